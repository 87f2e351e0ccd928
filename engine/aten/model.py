"""One entry of native_functions.yaml as a frozen dataclass that prints back to the entry.

`engine/aten/native_functions.py` makes them from the file. What an entry leaves out has PyTorch's default; what it
implies (the kernel of an entry without `dispatch:`, the tags of every out= overload) is a property, so that a field
holds what was written and nothing else. Mirrors torchgen/model.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from .. import dtypes
from ..dispatch.function_schema import FunctionSchema, OperatorName
from ..dispatch.keys import DispatchKey

UFUNC_BACKENDS = ("CPU", "CUDA")
COMPOSITE_KEYS = ("CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional", "CompositeImplicitAutograd")

# PyTorch's names of dtypes in ufunc_inner_loop. None: the engine does not have it.
DTYPES: dict[str, Any] = {
    **dict.fromkeys(("Byte", "Char", "Short", "Half", "BFloat16", "ComplexHalf", "ComplexFloat", "ComplexDouble")),
    **dtypes.OF_SCALAR_TYPE,
}
_INTEGRAL, _FLOATING = ("Byte", "Char", "Short", "Int", "Long"), ("Float", "Double")
_COMPLEX = ("ComplexFloat", "ComplexDouble")
DTYPE_SETS: dict[str, tuple[str, ...]] = {
    "Integral": _INTEGRAL,
    "Floating": _FLOATING,
    "Complex": _COMPLEX,
    "All": (*_INTEGRAL, *_FLOATING),
    "AllAndComplex": (*_INTEGRAL, *_FLOATING, *_COMPLEX),
    "FloatingAndComplex": (*_FLOATING, *_COMPLEX),
}


ENGINE_TAGS = {
    "replay": "the kernel at CPU depends on its key only: not on elements that it reads, nor on a state of the program",
    "remember_meta": "has no iterator; meta reads sizes, strides, dtypes and numbers, neither warns nor looks at the "
    "default dtype, and the implementation asks its first argument for the type of the device only",
    "uninitialized": "nobody writes the elements of the result",
    "no_view": "the result shares memory and versions with the argument, but autograd does not treat it as a view",
    "count_if_resized": "writes no element, so a version counts only if the sizes change (VariableTypeManual.cpp)",
    "count_nothing": "is no write, whatever the schema says (VariableTypeManual.cpp)",
}
"""Word of `engine_tags` -> its meaning. A layer that needs such a fact asks for the word, not for names."""


@dataclass(frozen=True)
class Location:
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class UfuncInnerLoop:
    """`Generic: add (AllAndComplex, Half)`: the scalar function of a kernel, and the dtypes for which it is used.

    Args:
        key: "Generic", or "ScalarOnly" where the loop has no vectorized form.
        kinds: names of dtypes and of sets of them, as written.
    """

    key: str
    name: str
    kinds: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.key}: {self.name} ({', '.join(self.kinds)})"

    @cached_property
    def supported(self) -> frozenset[dtypes.dtype]:
        """The engine's dtypes that `kinds` names."""
        names = [name for kind in self.kinds for name in DTYPE_SETS.get(kind, (kind,))]
        return frozenset(DTYPES[name] for name in names if DTYPES[name] is not None)


@dataclass(frozen=True)
class Declaration:
    """`int kW`: the type and the name of a precomputed value."""

    type: str
    name: str

    def __str__(self) -> str:
        return f"{self.type} {self.name}"


@dataclass(frozen=True)
class Precomputed:
    """`dim -> int dim, int valid`: what meta passes to impl instead of the argument named (or besides all: "")."""

    replaces: str
    declarations: tuple[Declaration, ...]

    def __str__(self) -> str:
        declared = ", ".join(map(str, self.declarations))
        return f"{self.replaces} -> {declared}" if self.replaces else declared


@dataclass(frozen=True)
class NativeFunction:
    """An operator overload, with the fields of native_functions.yaml; `str` is the entry, in its original order.

    Args:
        dispatch: key name -> name of the function in engine/aten/native/, as written; see `kernels`.
        alias_of: of another name of an operator, that operator (`mul.Tensor` for multiply.Tensor). The kernel is
            generated: it calls the operator with the same arguments. The engine's own field, not PyTorch's.
        scalar_of: of an overload that takes a number, the one that takes a tensor there (`add.Tensor` for add.Scalar).
            The kernel is generated: it wraps the number as a tensor. The engine's own field, too.
        copy_of: of an operator that returns a copy, the one that views (`select.int` for select_copy.int) or writes
            (`uniform_` for uniform) its first argument. The kernel is generated: it clones. The engine's own field.
        engine_tags: what the engine itself has to know of the operator, words of `ENGINE_TAGS`. Its own field.
        replay_calls: of an operator with the tag replay, the operator that its kernel calls. The engine's own field.
        written: names of the fields that the entry gives, in its order.
    """

    func: FunctionSchema
    variants: tuple[str, ...] = ("function",)
    structured: bool = False
    structured_delegate: OperatorName | None = None
    structured_inherits: str | None = None
    precomputed: tuple[Precomputed, ...] = ()
    ufunc_inner_loop: tuple[UfuncInnerLoop, ...] = ()
    dispatch: dict[str, str] = field(default_factory=dict, hash=False)
    alias_of: OperatorName | None = None
    scalar_of: OperatorName | None = None
    copy_of: OperatorName | None = None
    device_check: str = "ExactSame"
    device_guard: bool = True
    tags: tuple[str, ...] = ()
    autogen: tuple[OperatorName, ...] = ()
    engine_tags: tuple[str, ...] = ()
    replay_calls: OperatorName | None = None
    python_module: str | None = None
    category_override: str | None = None
    cpp_no_default_args: tuple[str, ...] = ()
    manual_cpp_binding: bool = False
    manual_kernel_registration: bool = False
    use_const_ref_for_mutable_tensors: bool = False
    written: tuple[str, ...] = field(default=(), compare=False)
    location: Location = field(default=Location("<python>", 0), compare=False)

    def __str__(self) -> str:
        return "\n".join(line for name in self.written or FIELDS for line in self._lines(name))

    def _lines(self, name: str) -> list[str]:
        value = getattr(self, name)
        if name == "func":
            return [f"- func: {value}"]
        if value == DEFAULTS[name] and name not in self.written:
            return []
        if name in SHOWN_BELOW and value:
            return [f"  {name}:", *SHOWN_BELOW[name](value)]
        return [f"  {name}: {SHOWN.get(name, str)(value)}"]

    @property
    def name(self) -> OperatorName:
        return self.func.name

    @property
    def is_factory(self) -> bool:
        """True if the operator makes a new tensor, from tensor options alone or after another tensor (`zeros_like`)."""
        if self.name.base.startswith("new_") or self.name.base.endswith("_like"):
            return True
        names = {argument.name for argument in self.func.keyword_only}
        return {"dtype", "layout", "device", "pin_memory"} <= names and not self.func.tensor_arguments

    @property
    def is_random(self) -> bool:
        return "rand" in str(self.name) or any(argument.type.base == "Generator" for argument in self.func.arguments)

    @property
    def target(self) -> OperatorName | None:
        """The operator that a generated kernel calls, of an alias, an overload for numbers, or a copy; else None."""
        return self.alias_of or self.scalar_of or self.copy_of

    @property
    def default_kernel(self) -> str:
        """The kernel of an entry that names none: the operator's name, with `_out` appended for an out= overload.

        A generated one is named after the overload, because overloads do not share it.
        """
        return self.name.unambiguous if self.target else self.name.base + ("_out" if self.func.is_out else "")

    @cached_property
    def kernels(self) -> dict[str, str]:
        """A dict from key name to function name for all keys of the engine, including those that the entry implies."""
        if self.manual_kernel_registration or (self.structured_delegate and not self.dispatch):
            return {}
        if not self.dispatch and not self.structured:
            return {"CompositeImplicitAutograd": self.default_kernel}
        implied = {key: f"ufunc_{self.name.base}_{key}" for key in UFUNC_BACKENDS if self.ufunc_inner_loop}
        return implied | {key: name for key, name in self.dispatch.items() if key in DispatchKey.__members__}

    @cached_property
    def all_tags(self) -> frozenset[str]:
        """The tags of the entry, and the tags that PyTorch adds by rule."""
        implied = {"pt2_compliant_tag": True, "out": self.func.is_out, "inplace": self.name.is_inplace}
        return frozenset(self.tags) | {tag for tag, is_given in implied.items() if is_given}

    @cached_property
    def supported_dtypes(self) -> frozenset[dtypes.dtype] | None:
        """The dtypes that `ufunc_inner_loop` names; None if the entry has none."""
        loops = [loop.supported for loop in self.ufunc_inner_loop]
        return frozenset().union(*loops) if loops else None


@dataclass(frozen=True)
class NativeFunctionsGroup:
    """The overloads that one structured kernel serves."""

    functional: NativeFunction
    out: NativeFunction
    inplace: NativeFunction | None = None

    @property
    def functions(self) -> tuple[NativeFunction, ...]:
        return tuple(function for function in (self.functional, self.inplace, self.out) if function)

    @property
    def meta_name(self) -> str:
        """The name of the group's meta function in engine/aten/native/, such as `add_Tensor_meta`."""
        return f"{self.functional.name.unambiguous}_meta"


def group_structured(functions: Sequence[NativeFunction]) -> tuple[NativeFunctionsGroup, ...]:
    """Group each structured out= overload with the functional and in-place overloads that delegate to it.

    Raises:
        ValueError: one has no functional overload, or the arguments of an overload differ from the out= one's.
    """
    delegates: dict[OperatorName | None, list[NativeFunction]] = {}
    for function in functions:
        delegates.setdefault(function.structured_delegate, []).append(function)
    groups = []
    for out in (function for function in functions if function.structured):
        forms = {function.name.is_inplace: function for function in delegates.get(out.name, ())}
        if False not in forms:
            raise ValueError(f"{out.location}: {out.name} is structured, but no functional overload delegates to it")
        for function in forms.values():
            if _inputs(function) != _inputs(out):
                raise ValueError(
                    f"{function.location}: {function.name} delegates to {out.name}, which takes other arguments:\n"
                    f"  {function.func}\n  {out.func}"
                )
        groups.append(NativeFunctionsGroup(forms[False], out, forms.get(True)))
    return tuple(groups)


def _inputs(function: NativeFunction) -> list[tuple[str, Any]]:
    return [(argument.name, argument.type) for argument in function.func.arguments if not argument.is_out]


def _as_list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"[{', '.join(names)}]"


def _dispatch_lines(dispatch: dict[str, str]) -> list[str]:
    """Return the lines of a dispatch table, `CPU, CUDA: add_out`: neighboring keys with one kernel share a line."""
    lines: list[tuple[list[str], str]] = []
    for key, kernel in dispatch.items():
        if lines and lines[-1][1] == kernel:
            lines[-1][0].append(key)
        else:
            lines.append(([key], kernel))
    return [f"    {', '.join(keys)}: {kernel}" for keys, kernel in lines]


# How a field's value prints, where `str` is not enough; on one line, or on lines below the field's name.
SHOWN: dict[str, Any] = {
    "variants": ", ".join,
    "tags": _as_list,
    "engine_tags": _as_list,
    "autogen": lambda names: ", ".join(map(str, names)),
    "cpp_no_default_args": lambda names: f"[{', '.join(map(repr, names))}]",
}
SHOWN_BELOW: dict[str, Any] = {
    "dispatch": _dispatch_lines,
    "ufunc_inner_loop": lambda loops: [f"    {loop}" for loop in loops],
    "precomputed": lambda items: [f"  - {item}" for item in items],
}
_OF_ENTRY = [entry for entry in fields(NativeFunction) if entry.name not in ("written", "location")]
FIELDS = tuple(entry.name for entry in _OF_ENTRY)
DEFAULTS: dict[str, Any] = {entry.name: {} if entry.name == "dispatch" else entry.default for entry in _OF_ENTRY}
