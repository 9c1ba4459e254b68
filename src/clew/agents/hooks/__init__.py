"""The hook: one short process at every event of an agent, which never gets in its way."""
