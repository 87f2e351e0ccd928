"""TRACE.md of lab 2: the ladder of kernels that a call goes down, and why each of them is at its key."""

import re
from typing import Any

import engine
from autograder.documents.checked_document import Aspect, Document, Rows
from engine.dispatch import dispatcher, registry, trace
from engine.dispatch.source_location import Place
from engine.dispatch.table import computed_kernel

CALLS = ("x + y", "torch.matmul(batch, y)")
REASONS = ("kernel", "autograd", "math", "default", "fallback")  # the origins of `computed_kernel`


def expected() -> dict[str, Rows]:
    """Return, for each call, the operator, key, place and origin of each kernel that runs, in the order of entry."""
    torch: Any = engine
    names = {"torch": torch, "x": torch.ones(3, 4), "y": torch.ones(3, 4), "batch": torch.ones(2, 5, 3)}
    return {call: _rows(call, names) for call in CALLS}


def _rows(call: str, names: dict[str, object]) -> Rows:
    with trace() as steps:
        eval(call, dict(names))
    return [(step.op, step.key.name, _shown(step.place), _origin(step.op, step.key)) for step in steps]


def _origin(op: str, key: dispatcher.DispatchKey) -> str:
    return computed_kernel(registry.find(op).kernels, registry.fallbacks, key)[1]


def _shown(place: Place) -> str:
    return f"{place.file}:{place.function}"


def plain_op(text: str) -> str:
    """Normalize an operator to its full name with namespace.

    >>> plain_op("add.Tensor"), plain_op("op=[aten::add.Tensor]")
    ('aten::add.Tensor', 'aten::add.Tensor')
    """
    name = re.sub(r"^op=\[(.*)\]$", r"\1", text)
    return name if "::" in name else f"aten::{name}"


def plain_key(text: str) -> str:
    """Normalize a dispatch key to its bare name.

    >>> plain_key("DispatchKey.CPU"), plain_key("key=[CPU]")
    ('CPU', 'CPU')
    """
    return re.sub(r"^key=\[(.*)\]$", r"\1", text).rpartition(".")[2]


def plain_place(text: str) -> str:
    """Normalize a code location to `file:function`, relative to the repository root and without the line number.

    >>> plain_place("/home/ada/course/engine/aten/native/fill.py:19: fill_()")
    'engine/aten/native/fill.py:fill_'
    >>> plain_place("<autograd: add.Tensor>:Autograd_add_Tensor")
    '<autograd: add.Tensor>:Autograd_add_Tensor'
    """
    file, colon, function = re.sub(r"\s+", " ", text.replace("\\", "/")).rpartition(":")
    file = re.sub(r":\d+$", "", file.strip()) if not file.startswith("<") else file.strip()
    return f"{plain_file(file)}{colon}{function.strip().removesuffix('()')}"


def plain_file(text: str) -> str:
    """Return an engine file's path relative to the repository root; keep the name of a generated source.

    >>> plain_file("./engine/strides.py"), plain_file("<generated: add>")
    ('engine/strides.py', '<generated: add>')
    """
    inside = re.search(r"(?:^|/)(engine/.*)", text)
    return inside[1] if inside and not text.startswith("<") else text


def plain_reason(text: str) -> str:
    """Normalize a reason to a word of the closed list, even if it is written as in PyTorch's dump.

    >>> plain_reason("[autograd kernel]"), plain_reason("[default backend kernel]"), plain_reason("Kernel")
    ('autograd', 'default', 'kernel')
    """
    words = re.sub(r"[\[\]\"'.]", "", text).lower().split()
    if words == ["backend", "fallback"]:
        return "fallback"
    return words[0] if len(words) > 1 and words[-1] == "kernel" else " ".join(words)


TRACE = Document(
    "TRACE.md",
    ("op", "key", "file:function", "reason"),
    ("op", "key"),
    (
        Aspect(
            "keys", 3, ("op", "key"), "run the call with the trace on and compare line by line", in_order=True
        ),
        Aspect(
            "places", 3, ("file:function",), "`step.place` of a recorded step names the file and the function"
        ),
        Aspect(
            "reasons", 2, ("reason",), "at which key or alias was this kernel registered? see the table of the operator"
        ),
    ),
    expected,
    words={"reason": REASONS},
    plain={"op": plain_op, "key": plain_key, "file:function": plain_place, "reason": plain_reason},
    prose="In words",
)  # fmt: skip

DOCUMENTS = (TRACE,)
