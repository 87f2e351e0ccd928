"""TRACE.md of lab 6: a call on CUDA tensors, from the dispatcher's first key down to the kernels that are launched."""

import importlib
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

import engine
from autograder.documents.checked_document import Aspect, Document, Rows
from autograder.labs.dispatch.documents import plain_key, plain_op, plain_place
from engine.dispatch import trace
from engine.dispatch.source_location import place_in

CALLS = ("x + y", "torch.matmul(x, w)")
SIZES = {"x": (6, 7), "y": (6, 7), "w": (7, 9)}
LAUNCH = "launch"  # shown instead of a key


def expected() -> dict[str, Rows]:
    """Return, for each call, the dispatcher kernels that it enters and the CUDA launches, in their order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module("engine.cuda").initialize()
    torch: Any = engine
    names = {"torch": torch, **{name: torch.ones(*sizes, device="cuda") for name, sizes in SIZES.items()}}
    return {call: _rows(call, names) for call in CALLS}


def _rows(call: str, names: dict[str, object]) -> Rows:
    launches = importlib.import_module("engine.cuda.launch")
    seen: list[tuple[int, tuple[str, ...]]] = []  # how many kernels of the dispatcher came before, and the row

    def listen(name: str, grid: Any, block: Any, stream: Any, run: Callable[[], None]) -> None:
        seen.append((len(steps), (name, LAUNCH, _launched_by(launches.launch), *map(extent, (grid, block)))))
        run()

    launches.watch(listen)
    try:
        with trace() as steps:
            eval(call, dict(names))
    finally:
        launches.unwatch(listen)
    rows: Rows = [(step.op, step.key.name, f"{step.place.file}:{step.place.function}", "", "") for step in steps]
    for number, (before, row) in enumerate(seen):
        rows.insert(before + number, row)
    return rows


def _launched_by(launch: Callable[..., None]) -> str:
    """Return `file:function` of what called `launch`."""
    frame = sys._getframe()
    while frame.f_code is not launch.__code__ and frame.f_back is not None:
        frame = frame.f_back
    caller = frame.f_back or frame
    place = place_in(caller.f_code.co_filename, caller.f_code.co_name)
    return f"{place.file}:{place.function}"


def extent(sizes: int | tuple[int, ...]) -> str:
    """Format the size of a grid or block as a table cell.

    >>> extent(3), extent((4, 4))
    ('3', '4 x 4')
    """
    return " x ".join(map(str, sizes if isinstance(sizes, tuple) else (sizes,)))


def plain_step(text: str) -> str:
    """Normalize a step to an operator's full name or a CUDA kernel's name; the unnamed kernel of 6.8 gets a name.

    >>> plain_step("add.Tensor"), plain_step("gemm_tiled"), plain_step("gemm_tiled()")
    ('aten::add.Tensor', 'gemm_tiled', 'gemm_tiled')
    >>> plain_step("gemm_tiled_kernel.<locals>.tiles"), plain_step("add_kernel")
    ('gemm_tiled', 'add_kernel')
    """
    name = plain_op(text)
    bare = name.removeprefix("aten::").removesuffix("()")
    if bare.startswith(UNNAMED):
        return OF_STUDENT
    return name if "::" in text or "." in bare or bare in OPERATORS else bare


OF_STUDENT = "gemm_tiled"  # the only kernel of the two calls that is an exercise
UNNAMED = f"{OF_STUDENT}_kernel.<locals>."  # begins the name of such a kernel that its maker has not named
OPERATORS = ("mm", "matmul", "bmm", "addmm", "add", "mul", "empty", "copy_")
"""Names of operators without an overload, which a cell may have without `aten::`."""


def plain_extent(text: str) -> str:
    """Normalize the size of a grid or block, without trailing 1s.

    >>> plain_extent("(4, 4, 1)"), plain_extent("2"), plain_extent("4x4"), plain_extent("-")
    ('4 x 4', '2', '4 x 4', '')
    """
    numbers = re.findall(r"\d+", text)
    while len(numbers) > 1 and numbers[-1] == "1":
        numbers.pop()
    return " x ".join(numbers)


LAUNCHES = Document(
    "TRACE.md",
    ("step", "key", "file:function", "grid", "block"),
    ("step", "key"),
    (
        Aspect(
            "keys", 3, ("step", "key"), "run the call with the trace on and a listener at `launch`; a kernel of yours "
            "has the name in its docstring", in_order=True
        ),
        Aspect(
            "places", 2, ("file:function",),
            "`step.place` of a recorded step; of a launch, the function that called `launch`",
        ),
        Aspect("launches", 3, ("grid", "block"), "the listener is told both; on the simulator, not on a GPU"),
    ),
    expected,
    plain={
        "step": plain_step, "key": plain_key, "file:function": plain_place, "grid": plain_extent,
        "block": plain_extent,
    },
    prose="In words",
)  # fmt: skip

DOCUMENTS = (LAUNCHES,)
