"""The detector that docs/new-detector.md makes is a real one, and its test passes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from clew.detectors.detector import Detector
from clew.model.vocabulary import KINDS
from tests.kit.moments import facts, problems

PAGE = (Path(__file__).parents[2] / "docs" / "new-detector.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_makes_a_detector_that_works() -> None:
    made: dict[str, Any] = {"facts": facts, "__name__": "sample"}
    for block in BLOCKS:
        exec(compile(block.replace("from __future__ import annotations", ""), "page", "exec"), made)

    made["test_an_upgraded_provider_is_told"]()
    terraform: Detector = made["Terraform"]()
    assert set(terraform.kinds) <= KINDS
    assert problems(terraform, {}, {".terraform.lock.hcl": b"\xff\x00provider"}) == []
