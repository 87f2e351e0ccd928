"""Everything that is asked in the labs, one folder each: `labs/<lab>/<theme>/{check,probe,wrong,right}.py`.

    check.py    the checks of the theme's exercises: questions, points, hints
    probe.py    runs next to an answer and reports what it saw; with what it imports it enters the sandbox
    wrong.py    wrong answers that must lose points     right.py    right answers in other words (both the author's)
    documents.py, limits.yaml, cohort/    documents that are handed in, limits, made-up students of the lab

The folder of lab "03-operators" is `operators`. Its exercises have their order and titles in
`solutions/03-operators/lab.md`; their points are in the checks and nowhere else.
"""

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autograder.examine.model import Check

FOLDER = Path(__file__).resolve().parent


def modules(name: str) -> list[str]:
    """Return the full names of the modules called `name`, such as "check" or "wrong", of all themes."""
    found = sorted(FOLDER.glob(f"*/*/{name}.py"))
    return [".".join((__name__, *path.relative_to(FOLDER).with_suffix("").parts)) for path in found]


def name_of(lab: str) -> str:
    """Return the name of a lab's folder in `autograder/labs`.

    >>> name_of("03-operators"), name_of("09a-compiler"), name_of("operators")
    ('operators', 'compiler', 'operators')
    """
    return lab.partition("-")[2] or lab


def number_of(lab: str) -> str:
    """Return the number by which people refer to a lab, as text.

    >>> number_of("06-cuda"), number_of("09a-compiler"), number_of("00-start")
    ('6', '9a', '0')
    """
    return lab.partition("-")[0].lstrip("0") or "0"


def limits(lab: str) -> dict:
    """Return the contents of the lab's `limits.yaml`, or {} if the lab has none and the usual limits apply.

    Keys: `check_seconds`, the most that a warm check in the notebook should take; `mutant_cpu_seconds`, in which a
    mutant answers all cases of an exercise; `sandbox`, least
    values for fields of `sandbox.isolation.Limits`; `engine`, "own layers" where the lab's exercises need only the
    layers up to the lab's, "whole" otherwise.
    """
    import yaml

    path = FOLDER / name_of(lab) / "limits.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {}


CHECKS: dict[str, "Check"]
"""All checks, by exercise; loaded when first used, since the engine comes with them."""
MODULE_OF: dict[str, str]
"""The module with the check of each exercise: {"strides.permute": "autograder.labs.strides.order.check"}."""
LAB_OF: dict[str, str]
"""Folder of the lab that each exercise belongs to: {"strides.permute": "strides"}. Both are loaded with the checks."""


def __getattr__(name: str) -> dict:
    if name not in ("CHECKS", "MODULE_OF", "LAB_OF"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = [importlib.import_module(module) for module in modules("check")]
    module_of = {check.exercise: module.__name__ for module in found for check in module.CHECKS}
    lab_of = {exercise: module.split(".")[2] for exercise, module in module_of.items()}
    checks = {check.exercise: check for module in found for check in module.CHECKS}
    globals().update(CHECKS=checks, MODULE_OF=module_of, LAB_OF=lab_of)
    return globals()[name]
