"""Records the session that `store.tar.xz` holds: two days in a shop, with a person and Claude Code.

    python -m tests.recorded.recording     as root on Debian, with gcc, node, npm and network

Everything is real but three things: the model follows a script (`days.py`), the clock is moved
forward between the steps, and it happens in namespaces where the shop is `/srv/shop` and nothing
else runs.  Besides the store it writes `journal.json`, what was done when, as this program knows it:
tests take their answers from there and from the restored files, never from what clew says.

* `packages.py`: what is fetched before, as there is no network inside
* `machine.py`: the namespaces, the clock (`clock.c`), the programs
* `project.py`: the shop before the first day
* `journal.py`: what was done, and the checkpoints that appeared meanwhile
* `agent.py`: Claude Code with a scripted model
* `days.py`: the two days
* `packing.py`: the store made portable and small
"""
