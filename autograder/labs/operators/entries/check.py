"""Check of reading one entry of native_functions.yaml: entries of the engine's own file, and what must be refused."""

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.plain_data import equal

Fields = list[tuple[str, Any, int]]

RELU: Fields = [("func", "relu(Tensor self) -> Tensor", 1)]
ADD_OUT: Fields = [
    ("func", "add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)", 12),
    ("device_check", "NoCheck", 13),
    ("structured", True, 14),
    ("structured_inherits", "TensorIteratorBase", 15),
    ("ufunc_inner_loop", {"Generic": "add (AllAndComplex, BFloat16, Half, ComplexHalf)",
                          "ScalarOnly": "add (Bool)"}, 16),
    ("dispatch", {"SparseCPU": "add_out_sparse_cpu", "MPS": "add_out_mps", "CPU, CUDA": "add_out"}, 19),
    ("tags", "pointwise", 23),
]  # fmt: skip
SCALED: Fields = [
    ("func", "_scaled_grouped_mm(Tensor self, Tensor mat2, Tensor scale_a, Tensor scale_b, Tensor? offs=None, "
     "Tensor? bias=None, Tensor? scale_result=None, ScalarType? out_dtype=None, bool use_fast_accum=False) "
     "-> Tensor", 70),
    ("variants", "function", 71),
    ("dispatch", {"CUDA": "_scaled_grouped_mm_cuda"}, 72),
    ("tags", "needs_exact_strides", 74),
]  # fmt: skip
FILES = ("native_functions.yaml", "my.yaml", "<string>")


@cache
def _entries() -> tuple[Fields, ...]:
    """Return the fields of every entry of the engine's file."""
    import yaml

    from engine.aten import native_functions

    file = native_functions.PATH
    root = yaml.compose(file.read_text(encoding="utf-8"), native_functions.Loader)
    nodes: list = root.value if root else []
    return tuple(native_functions.fields_of(node, file.name) for node in nodes)


def _of_file(rng: random.Random, fields: str, count: int) -> list[Fields]:
    """Draw entries that have one of these fields, on other lines than in the file."""
    wanted = set(fields.split())
    there = [entry for entry in _entries() if wanted & {name for name, _, _ in entry}]
    return [_moved(entry, rng.randint(1, 900)) for entry in rng.sample(there, min(count, len(there)))]


def _moved(entry: Fields, line: int) -> Fields:
    return [(name, value, line + at - entry[0][2]) for name, value, at in entry]


def _turned(rng: random.Random, entry: Fields) -> Fields:
    """Return the same fields in another order, so that func is not the first one."""
    order = rng.sample(entry, len(entry))
    lines = sorted(line for _, _, line in entry)
    return [(name, value, line) for (name, value, _), line in zip(order, lines, strict=True)]


def _ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case((RELU, "my.yaml"), "func")
    yield Case(([*RELU, ("variants", "function, method", 2)], "my.yaml"), "written")
    yield Case(([("variants", "method", 4), ("func", "relu(Tensor self) -> Tensor", 5)], "my.yaml"), "place of func")
    yield Case(([*RELU, ("tags", ["core", "pointwise"], 3), ("python_module", "nn", 9)], "my.yaml"), "written")
    yield Case(([*RELU, ("device_guard", False, 2)], "my.yaml"), "written")
    yield Case(([*RELU, ("variants", "function", 2)], "my.yaml"), "written")
    for entry in (ADD_OUT, SCALED):
        yield Case((entry, "native_functions.yaml"), "fields")
    for entry in _of_file(rng, "func", 20) + _of_file(rng, "structured tags dispatch", 12):
        yield Case((entry, rng.choice(FILES)), "fields")
    rare = "precomputed ufunc_inner_loop autogen cpp_no_default_args category_override manual_cpp_binding device_guard"
    for entry in _of_file(rng, rare, 10):
        yield Case((entry, rng.choice(FILES)), "fields")
    for entry in _of_file(rng, "dispatch variants", 12):
        yield Case((_turned(rng, entry), rng.choice(FILES)), "place of func")


WRONG_VALUES: tuple[tuple[str, Any], ...] = (
    ("func", "relu(Tensor self -> Tensor"),
    ("func", "relu(Tensor self)"),
    ("variants", "function, methods"),
    ("variants", ["function"]),
    ("structured", "yes!"),
    ("device_check", "Check"),
    ("tags", ["core", "pointwize"]),
    ("dispatch", {"CPUU": "relu"}),
    ("dispatch", "relu"),
    ("dispatch", {"CPU, Meta": "relu", "CPU": "relu_cpu"}),
    ("ufunc_inner_loop", "add Bool"),
    ("precomputed", ["int a", "dim -> int dim"]),
    ("structured_delegate", "relu.out.more("),
    ("python_module", True),
)
UNKNOWN = ("tag", "dispatches", "fun", "variant", "backend", "Func")
_MUL = "mul(Tensor self, Tensor other) -> Tensor"
_MUL_OUT = "mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"
CONTRADICTIONS: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = (
    ("relu_(Tensor self) -> Tensor", ()),
    ("f(Tensor self, Tensor self) -> Tensor", ()),
    ("rand.like(Tensor self) -> Tensor", ()),
    (_MUL_OUT, (("variants", "function, method"),)),
    (_MUL, (("variants", "method"), ("python_module", "nn"))),
    (_MUL, (("structured", True), ("dispatch", {"CPU": "mul_out"}))),
    (_MUL_OUT, (("structured", True),)),
    (_MUL_OUT, (("structured_delegate", "mul.out"),)),
    (_MUL, (("structured_inherits", "TensorIteratorBase"),)),
    (_MUL, (("structured_delegate", "mul.out"), ("device_guard", False))),
    (_MUL, (("structured_delegate", "mul.out"), ("dispatch", {"CPU": "mul"}))),
    (_MUL, (("dispatch", {"CompositeImplicitAutograd": "mul"}),)),
    (_MUL, (("dispatch", {"CompositeImplicitAutograd": "f", "CompositeExplicitAutograd": "g"}),)),
    (_MUL, (("manual_kernel_registration", True), ("dispatch", {"CPU": "mul"}))),
    (_MUL, (("cpp_no_default_args", ["other"]),)),
    ("ones_of(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) "
     "-> Tensor", ()),
)  # fmt: skip


def _both(one: int, other: int) -> tuple[Any, ...]:
    """Return the fields of two contradictions, for a schema that breaks two rules."""
    fields = {name: value for at in (one, other) for name, value in CONTRADICTIONS[at][1]}
    return tuple(fields.items())


# By the schema, and fields that break two rules: the first row of CHECKS counts, whatever the order of the fields.
TWO_RULES: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = (
    (_MUL_OUT, _both(3, 7)), (_MUL_OUT, _both(3, 6)), (_MUL_OUT, _both(6, 7)), (_MUL, _both(4, 8)),
    (_MUL, _both(4, 14)), (_MUL, _both(8, 14)), (_MUL, _both(9, 10)), (_MUL, _both(11, 14)),
    (_MUL, _both(13, 14)), (_MUL, _both(5, 8)), ("f(Tensor self, Tensor self) -> Tensor", _both(8, 14)),
)  # fmt: skip
RAISED = ("ValueError", "RuntimeError", "KeyError", "TypeError", "AttributeError", "ZeroDivisionError",
          "KeyboardInterrupt")  # fmt: skip


def _refusals(rng: random.Random) -> Iterator[Case]:
    for fault in RAISED:
        about = "reader" if fault in RAISED[:2] else "another error"
        yield Case(([*RELU, ("tags", "core", 4)], "my.yaml", fault), about)
    yield Case(([("variants", "method", 4), ("func", "relu(Tensor self) -> Tensor", 5)], "my.yaml", "KeyError"),
               "another error")  # fmt: skip
    for schema, fields in TWO_RULES:
        entry = [("func", schema, 3), *((name, value, 4 + k) for k, (name, value) in enumerate(fields))]
        yield Case((entry, "my.yaml"), "rule")
        yield Case((_turned(rng, entry), "my.yaml"), "rule")
    drawn = ("func", "rand.like(Tensor self) -> Tensor", 4)  # the row of CHECKS names tags, which is not written
    yield Case(([("variants", "function", 3), drawn], "my.yaml"), "rule")
    yield Case(([("variants", "method", 7)], "my.yaml"), "no func")
    yield Case(([("variants", "method", 7), ("tags", "core", 9)], "my.yaml"), "no func")
    yield Case(([("variants", "method", 7), ("tag", "core", 9)], "my.yaml"), "first")
    yield Case(([*RELU, ("func", "relu(Tensor self", 3)], "my.yaml"), "first")
    yield Case(([*RELU, ("tag", "core", 3), ("tag", "core", 4)], "my.yaml"), "first")
    for name, value in WRONG_VALUES:
        line = rng.randint(2, 90)
        others: Fields = [] if name == "func" else _moved(RELU, line)
        yield Case(([*others, (name, value, line + 1)], rng.choice(FILES)), "reader")
    for schema, fields in CONTRADICTIONS:
        line = rng.randint(2, 90)
        entry = [("func", schema, line), *((name, value, line + k + 1) for k, (name, value) in enumerate(fields))]
        yield Case((entry, rng.choice(FILES)), "rule")
        yield Case((_turned(rng, [*entry, ("category_override", "dummy", line + 9)]), rng.choice(FILES)), "rule")
    for entry in _of_file(rng, "variants", 8):
        name, value, line = entry[-1][0], entry[-1][1], entry[-1][2] + 1
        at = rng.randrange(1, len(entry) + 1)
        yield Case(([*entry, (name, value, line)], rng.choice(FILES)), "twice")
        wrong = (rng.choice(UNKNOWN), "core", entry[at - 1][2])
        yield Case(([*entry[:at], wrong, *_moved(entry[at:] or RELU, line)][: len(entry) + 1], "my.yaml"), "unknown")


def _was_refused(value: object) -> bool:
    return isinstance(value, tuple) and value[0] in ("refused at", "ValueError")


def _differs(args: tuple, wanted, got) -> Iterator[str]:
    if isinstance(wanted, dict):
        fields = ("written", "location", "types", "entry") if isinstance(got, dict) else ()
        yield from (field for field in fields if not equal(wanted[field], got[field]))
    elif got[0] == "refused at":
        yield "file" if got[1].rpartition(":")[0] != args[1] else "line"


WRITTEN = (
    "`written` is a tuple: the names of the fields that are there, in their order; a default that is written counts as "
    "written"
)
ANOTHER_ERROR = (
    "a reader that raises anything but a ValueError or a RuntimeError is broken: its error passes through as it is. "
    "Catch these two only"
)
PARSE_ENTRY = Check(
    "aten.native_functions.parse_entry",
    ("fields", "file", "fault"),
    (Aspect("ordinary", 3, _ordinary), Aspect("refusals", 3, _refusals, needs="ordinary")),
    {
        "func": "one field: its reader makes the schema, everything else keeps its default",
        "place of func": "`location` is the place of the field func, wherever it is in the entry",
        "fields": "each value goes through the reader of its own field",
        "no func": "without func: refused at the line of the first field, once all fields were read",
        "first": "the fault that is met first counts: field after field, and for each: unknown, twice, its reader",
        "reader": "a reader may raise ValueError or RuntimeError: both become a ValueError with the place in front",
        "rule": "a row of CHECKS: the line of the field that it names, or that of func if the entry has no such field",
        "twice": "a name that was read before is refused, at the line of the second one",
        "unknown": "a name that READERS has not is refused, at its line",
        "another error": ANOTHER_ERROR,
        "written": WRITTEN,
        "location": "`location` is Location(file, line of the field func), wherever func is in the entry",
        "types": "each value goes through the reader of its own field: READERS[name](value)",
        "entry": "each value goes through the reader of its own field, and lands in the field of its name",
        "line": "refused, but at another line: the fault of a field counts at its own line, a missing func at the line "
        "of the first field, a row of CHECKS at the line of the field that it names (of func if it is not written)",
        "file": "the message begins with the name of the file as it was given",
        "type": WRITTEN,
        "returned None": "the function ends without `return`",
        "raised": "nothing to refuse here",
    },
    mistakes=(
        Mistake(
            ANOTHER_ERROR,
            lambda args, wanted, got: wanted.value[0] == "passes through" and not got.raised and got.value,
        ),
        Mistake(
            "the fields are changed: `fields` belongs to the caller",
            lambda args, wanted, got: got.value[1] == "fields changed to",
        ),
        Mistake(
            "a reader may raise a ValueError or a RuntimeError: both become a ValueError that begins with the place",
            lambda args, wanted, got: _was_refused(wanted.value) and got.raised == "RuntimeError",
        ),
        Mistake(
            'the message of the ValueError must begin with "file:line: "; is this the message of a reader, passed on '
            "as it is?",
            lambda args, wanted, got: _was_refused(wanted.value) and got.value[0] == "ValueError",
        ),
        Mistake(
            "this must be refused: see Raises in the docstring",
            lambda args, wanted, got: _was_refused(wanted.value) and isinstance(got.value, dict),
        ),
        Mistake(
            "nothing is to be refused here",
            lambda args, wanted, got: isinstance(wanted.value, dict) and _was_refused(got.value),
        ),
        Mistake(
            "return the NativeFunction",
            lambda args, wanted, got: isinstance(wanted.value, dict) and got.value[0] == "returned",
        ),
    ),
    differs=_differs,
    probe="operators.entries.parsed",
    program="operators.program.run",
)

CHECKS = (PARSE_ENTRY,)
