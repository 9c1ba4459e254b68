"""The four ways in which agents talk to their models, one a file, as far as the tests need them.

Each says what a request asks (`asked`), how many tool results are in it (`results`), and how one
step of a script is answered: as a list of events where the agent wants a stream, else as one object.
"""
