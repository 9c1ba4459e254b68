"""Outcomes: what is verified after a command that was killed, or one of whose calls failed."""

from __future__ import annotations

import random

from torture.oracle import Tree, differences, is_same
from torture.plans import Plan
from torture.scene import Problem, Scene

_FINISHERS = (("restore", "--continue"), ("restore", "--abort"), ("save", "x"))


class Outcome:
    """One command, those that followed it, and what may be true after them."""

    def __init__(self, scene: Scene, plan: Plan, before: Tree, code: int) -> None:
        self.scene = scene
        self.plan = plan
        self.before = before
        self.is_done = code == 0
        self.is_partial = code == 3
        """It reported that it did not do all; what it did is not tracked."""
        self.follower_count = 0
        self.other_moves = False
        """Another command that writes the workspace was started; its target is not tracked."""
        if code == 0 and plan.words[0] == "save":
            scene.acknowledge_current(before)

    def note(self, words: tuple[str, ...], code: int) -> None:
        """Record a command that followed the first."""
        self.follower_count += 1
        self.is_partial |= code == 3
        self.other_moves |= words[0] == "undo"
        if code == 0 and words == self.plan.words:
            self.is_done = True
        if code == 0 and words[0] == "save":
            self.scene.acknowledge_current(self.scene.tree())

    def settle(self, rng: random.Random) -> Tree | None:
        """Finish what was interrupted; return the state before if the workspace has another one."""
        scene = self.scene
        scene.server.settle()
        if self.plan.repairs and not self.is_done:
            scene.ok(*self.plan.words)
            self.is_done = True
        self._check_workspace(rng)
        scene.check_outside()
        moved = not is_same(self.before, scene.tree(), times=False)
        if self.plan.finish is not None:
            self._finish()
        return self.before if moved else None

    def _check_workspace(self, rng: random.Random) -> None:
        """Finish an interrupted restore; the workspace is then what it was, or the target."""
        scene, target = self.scene, self.plan.target
        pending = scene.json("status")["interrupted_restore"]
        words: tuple[str, ...] = ()
        if pending:
            words = rng.choice(_FINISHERS)
            ran = scene.run(*words)
            if ran.code:
                raise Problem(f"`clew {' '.join(words)}` exits with {ran.code}: {ran.err[-300:]}")
            if words[0] == "save":
                scene.acknowledge_current(scene.tree())
            if scene.json("status")["interrupted_restore"]:
                raise Problem("the restore is still interrupted")
        after = scene.tree()
        if self.other_moves or (self.is_partial and target is not None):
            return  # `check_all` finds the state before in a checkpoint
        unmoved = differences(self.before, after, times=target is None)
        if target is None:
            if unmoved:
                raise Problem(f"the workspace changed: {unmoved[:3]}", is_loss=True)
            return
        moved = differences(target, after, times=self.plan.exact)
        if moved and unmoved:
            raise Problem(f"neither before {unmoved[:2]} nor after {moved[:2]}", is_loss=True)
        if self.follower_count or self.plan.words[:2] == ("restore", "--abort"):
            return
        is_aborting = pending and (words[-1] == "--abort" or pending["is_aborting"])
        if is_aborting and unmoved:
            raise Problem(f"aborted, but not as before: {unmoved[:3]}", is_loss=True)
        if ((pending and not is_aborting) or self.is_done) and moved:
            raise Problem(f"continued, but not as the target: {moved[:3]}", is_loss=True)

    def _finish(self) -> None:
        assert self.plan.finish is not None
        if not self.is_done:
            ran = self.scene.run(
                *self.plan.words, cwd=self.plan.cwd, env=self.plan.env, stdin=self.plan.stdin
            )
            # It may have been done before the kill, and then there is nothing left to do.
            if ran.code not in (0, 1, 2):
                raise Problem(f"{self.plan.words[0]} again exits with {ran.code}: {ran.err[-300:]}")
        self.plan.finish(self.scene)


def check_all(
    scene: Scene, rng: random.Random, doomed: set[str], states: list[Tree | None]
) -> None:
    """Verify a scene at the end of a round; `states` were replaced and must be in a checkpoint."""
    known = scene.check_known(doomed)
    scene.check_store()
    saved = scene.save("after the round")
    status = scene.json("status")
    if status["changes"] or status["interrupted_restore"]:
        raise Problem(f"not clean after a save: {str(status)[:300]}")
    if litter := [path.name for path in scene.project.glob(".clew-*")]:
        raise Problem(f"left in the workspace: {litter}")
    present = sorted((scene.acknowledged.keys() & known.keys()) | {saved})
    count = len(present) if rng.random() < 0.03 else 1
    for checkpoint in rng.sample(present, count):
        scene.check_restorable(checkpoint)
    if replaced := [state for state in states if state is not None]:
        _check_rescued(scene, known, rng.choice(replaced))
    scene.check_outside()


def _check_rescued(scene: Scene, known: dict[str, dict[str, object]], state: Tree) -> None:
    """Verify that some checkpoint holds a state that was in the workspace."""
    if any(is_same(state, tree, times=False) for tree in scene.acknowledged.values()):
        return
    for checkpoint in known.keys() - scene.acknowledged.keys():
        scene.ok("restore", checkpoint, "--yes")
        if is_same(state, scene.tree(), times=False):
            return
    raise Problem("unsaved work is in no checkpoint", is_loss=True)
