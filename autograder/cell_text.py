"""Which text of a notebook is an exercise's answer: the cell that defines it, as it was typed and will be handed in."""

import difflib
import linecache
from collections.abc import Mapping
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from IPython import get_ipython

import engine
from autograder.checks import CHECKS

_ids: dict[str, set[str]] = {}  # by text: the ids of the cells that ran it, where the notebook's program tells them


class NotReady(Exception):
    """There is nothing to check yet; the message says what to do."""


def cell_source(name: str, namespace: Mapping[str, object]) -> str:
    """The text of the notebook cell that defines the exercise `name`.

    Raises:
        NotReady: no such exercise, the cell has not run, or the name means something else by now.
    """
    if name not in CHECKS:
        near = difflib.get_close_matches(name, CHECKS, 1, 0.4)
        raise NotReady(f"there is no exercise {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    qualname = name.rpartition(".")[2]
    if qualname not in namespace:
        raise NotReady(f"`{qualname}` is not defined yet: run the cell above, then this one")
    code = _code(namespace[qualname])
    if code is None:
        raise NotReady(f"`{qualname}` has to be made by `def` or `class`, without a decorator of your own")
    if is_part(name, code) or Path(code.co_filename).is_relative_to(Path(engine.__file__).parent):
        raise NotReady(f"`{qualname}` is the engine's own here: run the cell above again, then this one")
    source = "".join(linecache.getlines(code.co_filename))
    if not source:
        raise NotReady(f"the text of the cell that defines `{qualname}` is gone: run that cell again, then this one")
    return _as_typed(source)


def _as_typed(source: str) -> str:
    """The cell's text before IPython took indentation, prompts and magic out of it: that text is handed in."""
    shell = get_ipython()
    typed = shell.history_manager.input_hist_raw if shell else ()
    lines = source.splitlines()
    return next((raw for raw in reversed(typed) if _transformed(shell, raw) == lines), source)


def _transformed(shell: Any, raw: str) -> list[str]:
    """The lines that IPython runs for `raw`; none where even their tokens are wrong, as in a cell badly indented."""
    try:
        return shell.transform_cell(raw).splitlines()
    except SyntaxError:
        return []


def _code(defined: object) -> CodeType | None:
    """The code of a function, or of the first method of a class."""
    if isinstance(defined, type):
        functions = (getattr(member, "__func__", member) for member in vars(defined).values())
        defined = next((function for function in functions if isinstance(function, FunctionType)), None)
    return defined.__code__ if isinstance(defined, FunctionType) else None


def is_part(name: str, code: CodeType) -> bool:
    """Whether this is the code of a part, not of the engine itself."""
    return code.co_filename == f"<{name}>"


def is_elsewhere(name: str, source: str) -> bool:
    """Whether `source` ran in another cell than the one that is handed in as the answer to `name`.

    Known only where cells keep the ids of the release, as in JupyterLab: the check's own cell shows it.
    """
    grade_id = name.replace(".", "-")
    keeps_ids = any(grade_id in ids for ids in _ids.values())
    ran_in = _ids.get(source.rstrip(), set())
    return keeps_ids and bool(ran_in) and f"{grade_id}-answer" not in ran_in


def watch(shell: Any) -> None:
    """From now on remember in which cell a text runs."""
    shell.events.register("pre_run_cell", _remember)


def _remember(info: Any) -> None:
    if info.cell_id:
        _ids.setdefault(info.raw_cell.rstrip(), set()).add(info.cell_id)
