"""Reads native_functions.yaml: each field by the row of a table; `native_function_checks.py` refuses contradictions.

Every error names the file and the line. Mirrors NativeFunction.from_yaml of torchgen/model.py and parse_native_yaml
of torchgen/gen.py.
"""

import difflib
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import yaml

from ..dispatch.function_schema import OperatorName
from ..dispatch.keys import BACKEND_BITS
from ..dispatch.schema import parse_operator_name, parse_schema
from .model import (
    COMPOSITE_KEYS,
    DTYPE_SETS,
    DTYPES,
    ENGINE_TAGS,
    FIELDS,
    Declaration,
    Location,
    NativeFunction,
    Precomputed,
    UfuncInnerLoop,
    group_structured,
)
from .native_function_checks import CHECKS

Field = tuple[str, Any, int]
"""Name, value and line of a field of an entry."""

PATH = Path(__file__).with_suffix(".yaml")
Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # leaves what is True and what is text to `plain`
FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}

VARIANTS = ("function", "method")
DEVICE_CHECKS = ("NoCheck", "ExactSame")
_CUDA_FUNCTORS = ("CUDAFunctor", "CUDAFunctorOnOther", "CUDAFunctorOnSelf")
UFUNC_KEYS = ("Generic", "ScalarOnly", "CPUScalar", "CPUVector", *_CUDA_FUNCTORS)
_TAGS = """core cudagraph_unsafe data_dependent_output dynamic_output_shape flexible_layout generated
    inplace inplace_view maybe_aliasing_or_mutating needs_contiguous_strides needs_exact_strides
    needs_fixed_stride_order nondeterministic_bitwise nondeterministic_seeded
    out out_variant pointwise pt2_compliant_tag reduction view_copy"""
TAGS = frozenset(_TAGS.split())
# Backends that PyTorch has and the engine has not are read over: an entry may be PyTorch's own.
_BACKENDS = {*BACKEND_BITS, "MPS", "XPU", "MTIA", "HPU"}
_FUNCTIONALITIES = ("", "Sparse", "SparseCsr", "Quantized", "NestedTensor")
KEYS = frozenset(
    [functionality + backend for functionality in _FUNCTIONALITIES for backend in _BACKENDS]
    + [*COMPOSITE_KEYS, "CompositeImplicitAutogradNestedTensor", "MkldnnCPU", "ZeroTensor"]
)


def load(path: Path = PATH) -> tuple[NativeFunction, ...]:
    """Load the entries of a file in the format of native_functions.yaml, and check them.

    Raises:
        ValueError: as `parse`.
    """
    return parse(path.read_text(encoding="utf-8"), path.name)


def parse(text: str, file: str = "<string>") -> tuple[NativeFunction, ...]:
    """Parse text in the format of native_functions.yaml, and check the entries, each by itself and all together.

    Raises:
        ValueError: one makes no sense; the message begins with "file:line: ".
    """
    try:
        root = yaml.compose(text, Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ValueError(f"{Location(file, mark.line + 1 if mark else 1)}: no YAML: {error.problem}") from None
    if root is None:
        return ()
    if not isinstance(root, yaml.SequenceNode):
        raise ValueError(f"{_place(file, root)}: a list of entries `- func: ...` is expected")
    functions = tuple(parse_entry(fields_of(node, file), file) for node in root.value)
    check_together(functions)
    return functions


def fields_of(node: yaml.Node, file: str) -> list[Field]:
    """Return the fields of one entry, from its node in the YAML tree.

    Raises:
        ValueError: as `parse`.
    """
    if not isinstance(node, yaml.MappingNode) or not node.value:
        raise ValueError(f"{_place(file, node)}: an entry `func: ...` with its fields is expected")
    return [(str(key.value), plain(value), key.start_mark.line + 1) for key, value in node.value]


def parse_entry(fields: Sequence[Field], file: str) -> NativeFunction:
    """Convert one entry of native_functions.yaml to a frozen dataclass.

    Args:
        fields: (name, value, line) of each field, in the order of the entry; at least one. It is not changed. A value
            is what YAML has there: text, True or False, or a list or dict of these.
        file: name of the file, for messages.
    Returns:
        The entry. The value of each field is `READERS[name](value)`; fields that the entry does not have keep their
        defaults. `written` has the names of the fields in their order. `location` is the `Location(file, line)` of
        `func`.
    Raises:
        ValueError: for the first fault. The message begins with "file:line: "; the rest is up to you. Faults of the
            fields come first, in the order of the fields, with the line of the field: it has no reader; it is given
            twice; its reader raises a ValueError or a RuntimeError. (Any other error of a reader passes through as it
            is.) Then: there is no `func` (the line of the first field). Then, in the order of the rows
            (name, is_refused, reason) of `CHECKS`: `is_refused(entry)` is true (the line of the field `name`, or of
            `func` if the entry does not have that field).

    >>> entry = parse_entry([("func", "relu(Tensor self) -> Tensor", 7), ("tags", ["core"], 8)], "my.yaml")
    >>> print(entry.name, entry.tags, entry.written, entry.location)
    relu ('core',) ('func', 'tags') my.yaml:7
    >>> parse_entry([("func", "relu(Tensor self) -> Tensor", 7), ("tag", "core", 8)], "my.yaml")
    Traceback (most recent call last):
    ValueError: my.yaml:8: unknown field 'tag'; did you mean tags?

    Source: NativeFunction.from_yaml (torchgen/model.py).
    """
    values: dict[str, Any] = {}
    places: dict[str, Location] = {}
    for name, value, line in fields:
        place = Location(file, line)
        if name not in READERS:
            raise ValueError(f"{place}: unknown field '{name}'{similar(name, READERS)}")
        if name in values:
            raise ValueError(f"{place}: field '{name}' is given twice")
        try:
            values[name] = READERS[name](value)
        except (ValueError, RuntimeError) as error:
            raise ValueError(f"{place}: {name}: {str(error).strip()}") from None
        places[name] = place
    if "func" not in values:
        raise ValueError(f"{file}:{fields[0][2]}: the entry has no func")
    function = NativeFunction(**values, written=tuple(values), location=places["func"])
    for name, is_refused, reason in CHECKS:
        if is_refused(function):
            raise ValueError(f"{places.get(name, places['func'])}: {function.name}: {reason}")
    return function


def check_together(functions: Sequence[NativeFunction]) -> None:
    """Refuse repeated schema names, missing delegates, and structured groups whose members don't fit together.

    Raises:
        ValueError: as `parse`.
    """
    by_name: dict[OperatorName, NativeFunction] = {}
    for function in functions:
        first = by_name.setdefault(function.name, function)
        if first is not function:
            raise ValueError(f"{function.location}: {function.name} is defined twice, first at {first.location}")
    for function in functions:
        delegate = function.structured_delegate
        if delegate and not (delegate in by_name and by_name[delegate].structured):
            structured = [str(name) for name, other in by_name.items() if other.structured]
            raise ValueError(
                f"{function.location}: {function.name} delegates to {delegate}, "
                f"which is no structured operator here{similar(str(delegate), structured)}"
            )
    group_structured(functions)


def plain(node: yaml.Node) -> Any:
    """Return the value of a YAML node: a string, True or False, or a list or dict of these."""
    if isinstance(node, yaml.MappingNode):
        return {plain(key): plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [plain(value) for value in node.value]
    assert isinstance(node, yaml.ScalarNode)
    return node.value if node.style else FLAGS.get(node.value.lower(), node.value)


def _place(file: str, node: yaml.Node) -> Location:
    return Location(file, node.start_mark.line + 1)


def similar(name: str, known: Collection[str]) -> str:
    """Return `; did you mean ...?` for a name similar to a known one, else an empty string."""
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {close[0]}?" if close else ""


# ---- one reader for each field: what YAML has there -> the value in the dataclass; ValueError if it is none


def expect(value: Any, kind: type, what: str) -> Any:
    """Return `value`; raise ValueError if it does not have this Python type."""
    if not isinstance(value, kind):
        raise ValueError(f"{what} is expected, got {value!r}")
    return value


def one_of(name: str, known: Collection[str], what: str) -> str:
    """Return `name`; raise ValueError if it is not among the known names."""
    if name not in known:
        raise ValueError(f"unknown {what} '{name}'{similar(name, known)}")
    return name


def read_text(value: Any) -> str:
    """Read a string: `nn`."""
    return expect(value, str, "a text")


def read_flag(value: Any) -> bool:
    """Read a bool: `True`, `False`."""
    return expect(value, bool, "True or False")


def read_words(value: Any) -> list[str]:
    """Read comma-separated words: `function, method`."""
    return [word.strip() for word in read_text(value).split(",")]


def read_names(value: Any) -> tuple[str, ...]:
    """Read one name or a list of names: `core` or `[core, pointwise]`."""
    return tuple(read_text(name) for name in (value if isinstance(value, list) else [value]))


def read_dispatch(value: Any) -> dict[str, str]:
    """Read the kernel of each dispatch key: `CPU, CUDA: add_out`."""
    kernels: dict[str, str] = {}
    for keys, kernel in expect(value, dict, "lines `keys: function`").items():
        for key in read_words(keys):
            if one_of(key, KEYS, "dispatch key") in kernels:
                raise ValueError(f"{key} has two kernels: {kernels[key]} and {kernel}")
            kernels[key] = read_text(kernel)
    return kernels


def read_ufunc_inner_loop(value: Any) -> tuple[UfuncInnerLoop, ...]:
    """Read the inner loops: `Generic: add (AllAndComplex, Half)`; the key is Generic by default."""
    lines = value if isinstance(value, dict) else {"Generic": value}
    return tuple(read_inner_loop(one_of(key, UFUNC_KEYS, "ufunc key"), read_text(line)) for key, line in lines.items())


def read_inner_loop(key: str, line: str) -> UfuncInnerLoop:
    """Read the function of an inner loop and its dtypes: `add (AllAndComplex, Half)`."""
    name, bracket, inside = line.partition(" (")
    if not (bracket and inside.endswith(")") and name.isidentifier()):
        raise ValueError(f"`function (dtypes)` is expected, got '{line}'")
    known = [*DTYPES, *DTYPE_SETS]
    return UfuncInnerLoop(key, name, tuple(one_of(kind, known, "dtype") for kind in read_words(inside[:-1])))


def read_precomputed(value: Any) -> tuple[Precomputed, ...]:
    """Read lines `- dim -> int dim, int valid`; the last one may lack the arrow, as its values replace no argument."""
    items = [read_text(item) for item in expect(value, list, "a list")]
    if any(" -> " not in item for item in items[:-1]):
        raise ValueError("only the last item may stand without `argument -> `")
    split = [item.partition(" -> ") if " -> " in item else ("", "", item) for item in items]
    return tuple(Precomputed(replaced, tuple(map(read_declaration, read_words(by)))) for replaced, _, by in split)


def read_declaration(text: str) -> Declaration:
    """Read the type and the name of a value: `int kW`."""
    type, _, name = text.partition(" ")
    if not name.isidentifier():
        raise ValueError(f"`type name` is expected, got '{text}'")
    return Declaration(type, name)


READERS: dict[str, Callable[[Any], Any]] = {
    "func": lambda value: parse_schema(read_text(value)),
    "variants": lambda value: tuple(one_of(word, VARIANTS, "variant") for word in read_words(value)),
    "structured": read_flag,
    "structured_delegate": lambda value: parse_operator_name(read_text(value)),
    "structured_inherits": read_text,
    "precomputed": read_precomputed,
    "ufunc_inner_loop": read_ufunc_inner_loop,
    "dispatch": read_dispatch,
    "alias_of": lambda value: parse_operator_name(read_text(value)),
    "scalar_of": lambda value: parse_operator_name(read_text(value)),
    "copy_of": lambda value: parse_operator_name(read_text(value)),
    "device_check": lambda value: one_of(read_text(value), DEVICE_CHECKS, "device check"),
    "device_guard": read_flag,
    "tags": lambda value: tuple(one_of(tag, TAGS, "tag") for tag in read_names(value)),
    "autogen": lambda value: tuple(map(parse_operator_name, read_words(value))),
    "engine_tags": lambda value: tuple(one_of(tag, ENGINE_TAGS, "tag of the engine") for tag in read_names(value)),
    "replay_calls": lambda value: parse_operator_name(read_text(value)),
    "python_module": read_text,
    "category_override": read_text,
    "cpp_no_default_args": read_names,
    "manual_cpp_binding": read_flag,
    "manual_kernel_registration": read_flag,
    "use_const_ref_for_mutable_tensors": read_flag,
}
assert set(READERS) == set(FIELDS)
