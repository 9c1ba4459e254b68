"""Story budget: how much processor time a story and each detector may use.

Limits count processor time, so the same change gives the same story on a busy machine; a generous
limit of the clock ends a worker that waits for ever.
Limits grow with the number of changed paths: what is spent on each path is bounded.

When time runs out, the detectors of details are left out first.  The others, which find lost data,
dangers and packages, may then use as much again.
"""

from __future__ import annotations

from clew.model.named_tuple import NamedTuple

_MEMORY = 768 << 20
_DETAILS = 0.6
"""The part of a budget after which no detector of details is started."""
_REST = 2.0
"""The multiple of a budget after which no detector is started."""
_COMPOSING = 4.0
"""The multiple of a budget at which the kernel ends the worker: some is needed for the words."""


class WorkerLimits(NamedTuple):
    """What a story may cost."""

    seconds: float = 20.0
    """Time on the clock; a start of the worker does not count."""
    processor_seconds: float = 2.0
    per_path: float = 1e-4
    """Processor seconds that each changed path adds, in all."""
    per_detector: float = 0.5
    """Processor seconds of one detector; each path that it is given adds half of `per_path`."""
    stalled: float = 8.0
    """Seconds of one detector on the clock after which the worker is killed."""
    memory: int = _MEMORY
    lowers_priority: bool = False
    """Whether the worker gives way to all other processes."""

    def clock_seconds(self, paths: int) -> float:
        """Return the time limit of a story about so many paths."""
        return self.seconds + 4 * paths * self.per_path


class Budget:
    """What the story of so many changed paths may cost."""

    def __init__(self, limits: WorkerLimits, paths: int) -> None:
        self._limits = limits
        self._total = limits.processor_seconds + paths * limits.per_path

    def allows(self, used: float, *, is_detail: bool) -> bool:
        """Return whether a detector may start after `used` seconds of processor time."""
        return used < self._total * (_DETAILS if is_detail else _REST)

    def detector_seconds(self, paths: int) -> float:
        """Return the processor seconds of a detector that is given so many paths."""
        return self._limits.per_detector + paths * self._limits.per_path / 2

    @property
    def worker_seconds(self) -> float:
        """The processor seconds at which the kernel ends the worker."""
        return self._total * _COMPOSING + 1
