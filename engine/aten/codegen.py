"""From entries of native_functions.yaml to Python source: everything that is written once for all operators.

    calling kernels      for `alias_of` and `scalar_of`: they call another operator
    copying kernels      for `copy_of`: they call an operator that views or writes, without sharing memory with `self`
    structured classes   one for each of functional, in-place and out=, from one meta and one impl
    wrappers             the kernels that make such an object, run meta and impl, and hand out its outputs
    ADInplaceOrView      count a version for every tensor that a schema marks as written, `Tensor(a!)`
    BackendSelect        find the backend of a factory, which has no tensor to tell it
    impl(...)            the registrations, one a line

`pieces_of_family` gives the text for all forms of an operator; `engine/aten/registration.py` runs it.
Mirrors torchgen/gen.py, torchgen/dest/register_dispatch_key.py and tools/autograd/gen_inplace_or_view_type.py.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..backend import ROWS
from ..dispatch.calling import parameter
from ..dispatch.function_schema import Argument, BaseType, FunctionSchema, ListType
from . import wrapper_memos
from .copying_kernels import copying_kernel
from .model import NativeFunction, NativeFunctionsGroup, Precomputed

DEVICE_TYPES = {backend.name: backend.device_type for backend in ROWS}  # by the keys of their kernels


@dataclass(frozen=True)
class Registration:
    """A registration of a function, generated or native, at a key of an operator. Prints as the line that makes it."""

    op: str
    key: str
    function: str
    below: str = ""

    def __str__(self) -> str:
        below = f", below={self.below}" if self.below else ""
        return f'impl("{self.op}", "{self.key}", {self.function}{below})\n'


class Text:
    """Source that is generated on first use, since most programs never call most operators.

    Args:
        make, arguments: what makes it.
    """

    __slots__ = ("make", "arguments")

    def __init__(self, make: Callable[..., str], *arguments: Any):
        self.make, self.arguments = make, arguments

    def __str__(self) -> str:
        return self.make(*self.arguments)


Pieces = list[str | Text | Registration]


def pieces_of_family(
    functions: Iterable[NativeFunction],
    groups: Mapping[str, NativeFunctionsGroup],
    targets: Mapping[str, FunctionSchema],
) -> Pieces:
    """Return the definitions and registrations for all forms of an operator; joined, they are its generated source.

    Args:
        functions: entries that belong together, such as all of `add`.
        groups: structured groups, by the full name of each of their members.
        targets: by full name of an entry with `alias_of`, `scalar_of` or `copy_of`, the schema of the operator named
            there.
    """
    pieces: Pieces = []
    for f in functions:
        name = str(f.name)
        if name in targets:
            pieces.append(Text(copying_kernel if f.copy_of else calling_kernel, f, targets[name]))
        pieces += structured_kernels(f, groups[name]) if name in groups else native_kernels(f)
        pieces += version_counting(f) + backend_selection(f)
    return pieces


# ---- pieces of text


def names_of(arguments: Iterable[Argument]) -> str:
    """Return the names of the arguments, joined by commas: `self, other, alpha`."""
    return ", ".join(map(parameter, arguments))


def impl(f: NativeFunction, key: str, function: str, below: str = "") -> Registration:
    """Return the registration of a function at a key of an entry's operator."""
    return Registration(str(f.name), key, function, below)


def keys_of(f: NativeFunction) -> Iterator[str]:
    """Return the dispatch keys of an entry for which this engine has a backend, and its Composite alias keys.

    A kernel for CUDA is one that the entry names: none is generated from `ufunc_inner_loop`.
    """
    named = (key for key in f.kernels if key != "CUDA" or key in f.dispatch)
    return (key for key in named if key in DEVICE_TYPES or key.startswith("Composite"))


def results_of(schema: FunctionSchema, expressions: list[str]) -> str:
    """Return the source of the value that a kernel returns: the one result, or a tuple of them."""
    return expressions[0] if len(schema.returns) == 1 else f"({', '.join(expressions)},)"


def device_check(f: NativeFunction, method: str) -> str:
    """Return the code that refuses tensors on different devices, "" if the entry says NoCheck or has one tensor."""
    tensors = f.func.tensor_arguments
    several = len(tensors) > 1 or any(isinstance(argument.type, ListType) for argument in tensors)
    if f.device_check == "NoCheck" or not several:
        return ""
    named = ", ".join(f"{argument.name}={argument.name}" for argument in tensors)
    check = f'check_common_device("{method}", {named})\n'
    if str(tensors[0].type) == "Tensor[]" and len(tensors) == 1:
        return f"    if not on_cpu({tensors[0].name}):\n        {check}"
    first, *others = tensors
    if not isinstance(first.type, BaseType) or any(isinstance(argument.type, ListType) for argument in others):
        return f"    {check}"
    devices = [f"{argument.name}._storage.device" for argument in tensors]
    if all(isinstance(argument.type, BaseType) for argument in others):
        return f"    if not ({' is '.join(devices)}):\n        {check}"
    same = [f"{device} is {devices[0]}" for device in devices[1:]]
    for place, argument in enumerate(others):
        if not isinstance(argument.type, BaseType):
            same[place] = f"({argument.name} is None or {same[place]})"
    return f"    if not ({' and '.join(same)}):\n        {check}"


# ---- kernels


def calling_kernel(f: NativeFunction, target: FunctionSchema) -> str:
    """Return the source of the kernel of an alias or of an overload for numbers, which calls the target operator.

    For `add.Scalar(Tensor self, Scalar other, Scalar alpha=1)` with `scalar_of: add.Tensor`:

        def add(self, other, alpha):
            return at.add_Tensor(self, wrapped_scalar_tensor(other), alpha)
    """
    (name,) = set(f.kernels.values())
    passed = [
        f"wrapped_scalar_tensor({parameter(own)})" if is_wrapped(own, wanted) else parameter(own)
        for own, wanted in zip(f.func.arguments, target.arguments, strict=False)
    ]
    call = f"at.{target.unambiguous_name}({', '.join(passed)})"
    return f"def {name}({names_of(f.func.arguments)}):\n    return {call}\n"


def is_wrapped(own: Argument, wanted: Argument) -> bool:
    """Return True if the argument is a number, but a tensor in the operator that is called."""
    return (str(own.type), str(wanted.type)) == ("Scalar", "Tensor")


def native_kernels(f: NativeFunction) -> Pieces:
    """Return the registrations of the functions that an entry names, behind a device check unless it says NoCheck."""
    pieces: Pieces = []
    for key in keys_of(f):
        function = f.kernels[key]
        method = f"wrapper_{key}_{f.func.unambiguous_name}"
        check = device_check(f, method) if key in DEVICE_TYPES else ""
        if check:
            arguments = names_of(f.func.arguments)
            pieces.append(f"def {method}({arguments}):\n{check}    return {function}({arguments})\n")
        pieces.append(impl(f, key, method if check else function))
    return pieces


def structured_kernels(f: NativeFunction, group: NativeFunctionsGroup) -> Pieces:
    """Return the source of the class of one form of a structured operator, and of its wrapper for each backend.

    A backend without memory runs the meta function only. A functional form that takes lists of tensors serves empty
    ones as well, as `cat([])`, which its meta function refuses.
    """
    kind = "inplace" if f.func.is_inplace else "out" if f.func.is_out else "functional"
    cls = f"structured_{f.func.unambiguous_name}"
    base = group.out.structured_inherits or "MetaBase"
    meta, implementation = group.meta_name, group.out.kernels.get("CPU", "")
    bases = kind.capitalize() if base == "MetaBase" else f"{kind.capitalize()}, {base}"
    pieces: Pieces = [
        f"class {cls}({bases}):\n    __slots__ = ()\n    meta = {meta}\n"
        + (f'    impl = {implementation}\n    device_type = "cpu"\n' if implementation else "")
    ]
    keys = set(keys_of(group.out))
    for key, device_type in DEVICE_TYPES.items():
        if key != "Meta" and key not in keys:
            continue
        method, of_key = f"wrapper_{key}_{f.func.unambiguous_name}", cls
        if key not in ("CPU", "Meta"):
            of_key = f"{cls}_{key}"
            pieces.append(
                f"class {of_key}({cls}):\n    __slots__ = ()\n"
                f'    impl = {group.out.kernels[key]}\n    device_type = "{device_type}"\n'
            )
        pieces += [Text(structured_wrapper, f, group, method, of_key, key), impl(f, key, method)]
    if implementation and kind == "functional" and all(argument.type.is_list for argument in f.func.tensor_arguments):
        pieces.append(impl(f, "Undefined", f"wrapper_CPU_{f.func.unambiguous_name}"))
    if not implementation:
        pieces += native_kernels(f)
    return pieces


def structured_wrapper(f: NativeFunction, group: NativeFunctionsGroup, method: str, cls: str, key: str) -> str:
    """Return the source of one backend's kernel for a form of a structured operator; on the CPU it has a memo."""
    schema = f.func
    before, after_meta = device_check(f, method), wrapper_memos.ufunc_dtypes(group)
    memo, found, kept = "", "", ""
    if key == "CPU":
        passed = ", ".join(impl_arguments(schema, group.out.precomputed))
        memo, found, kept = wrapper_memos.lines(group, schema, cls, given_outputs(schema), passed)
    return memo + wrapper_source(f, group, method, cls, key != "Meta", before + found, after_meta + kept)


def wrapper_source(
    f: NativeFunction,
    group: NativeFunctionsGroup,
    method: str,
    cls: str,
    runs_impl: bool,
    before: str = "",
    after_meta: str = "",
) -> str:
    """Return the source of the kernel of one form of a structured operator.

    For `add.out` with `method="wrapper_CPU_add_out"` and `cls="structured_add_out"`:

        def wrapper_CPU_add_out(self, other, alpha, out):
            op = structured_add_out(out)
            op.meta(self, other, alpha)
            op.impl(self, other, alpha, op.maybe_get_output(0))
            if op.proxy_outputs:
                op.copy_back()
            return out

    Args:
        f: the form. Its function takes the arguments of its schema, by position and in their order (`names_of`).
        group: the forms that belong together. If `group.out.precomputed` is not empty, `op.meta` returns a dict, and
            the kernel must call it `precomputed`.
        method, cls: names of the function and of the class of the form.
        runs_impl: False for a backend without memory. Its kernel does not call impl and copies nothing back.
        before: lines that come first in the function, indented and with their newlines.
        after_meta: lines of the same form that come after the call of meta; they may read `precomputed`.
    Returns:
        The text. `cls` is made from the given outputs: `self` in place, the `out=` arguments, or nothing if functional.
        `op.meta` takes all arguments except the outputs of `out=`. `op.impl` takes `impl_arguments(f.func,
        group.out.precomputed)`, then the outputs that the kernel fills: `op.maybe_get_output(k)`, or `op.outputs[k]` if
        the form is functional. A form with given outputs copies back from proxies if there are any. The function
        returns the given outputs, else `op.outputs`: the only one, or a tuple (`results_of`). The text runs without
        Python's builtin functions. No argument is called `op` or `precomputed`; a variable of another name could
        overwrite one (some arguments are called `output` and `result`).

    Source: StructuredRegisterDispatchKey.gen_one (torchgen/dest/register_dispatch_key.py).
    """
    schema, given = f.func, given_outputs(f.func)
    inputs = [argument for argument in schema.arguments if not argument.is_out]
    new = [f"op.outputs[{k}]" for k in range(len(schema.returns))]
    keeps = "precomputed = " if group.out.precomputed else ""
    lines = [
        f"def {method}({names_of(schema.arguments)}):\n{before}",
        f"    op = {cls}({', '.join(given)})\n",
        f"    {keeps}op.meta({names_of(inputs)})\n{after_meta}",
    ]
    if runs_impl:
        passed = impl_arguments(schema, group.out.precomputed)
        filled = [f"op.maybe_get_output({k})" for k in range(len(given))] or new
        lines.append(f"    op.impl({', '.join([*passed, *filled])})\n")
        if given:
            lines.append("    if op.proxy_outputs:\n        op.copy_back()\n")
    lines.append(f"    return {results_of(schema, given or new)}\n")
    return "".join(lines)


def impl_arguments(schema: FunctionSchema, precomputed: Iterable[Precomputed]) -> list[str]:
    """Return the expressions that a kernel passes to impl before the outputs.

    Without precomputed items they are the variables (`parameter`) of all arguments except the outputs of `out=`.

    Args:
        precomputed: items of the entry. `dim -> int wrapped, int valid` has `replaces` "dim" and two `declarations`
            with the names "wrapped" and "valid". `int count` replaces nothing: its `replaces` is "".
    Returns:
        A list of Python expressions. The dict that meta returned is the variable `precomputed`. The dict's values of
        an item that replaces an argument, `precomputed["wrapped"]` and so on, are where the argument would be. The
        values of items that replace nothing come last. An item calls an argument by its name in the schema: `from`,
        not `from_`.

    >>> from engine.dispatch.schema import parse_schema
    >>> schema = parse_schema("f(Tensor self, int from, int dim) -> Tensor")
    >>> impl_arguments(schema, [])
    ['self', 'from_', 'dim']

    Source: StructuredRegisterDispatchKey.gen_one (torchgen/dest/register_dispatch_key.py).
    """
    values = {item.replaces: [f'precomputed["{new.name}"]' for new in item.declarations] for item in precomputed}
    inputs = [argument for argument in schema.arguments if not argument.is_out]
    passed = [name for argument in inputs for name in values.get(argument.name, [parameter(argument)])]
    return [*passed, *values.get("", [])]


def given_outputs(schema: FunctionSchema) -> list[str]:
    """Return the names of the arguments that a form writes its results to: `self` if in-place, else the `out=` ones."""
    return ["self"] if schema.is_inplace else [argument.name for argument in schema.out]


# ---- kernels above the backends


AFTER = "AFTER_ADINPLACEORVIEW"
BELOW = """\
    state = local.state
    local.state = state.below
    try:
        {call}
    finally:
        local.state = state
"""
"""AutoDispatchBelowADInplaceOrView around a call, without the cost of a context manager."""


def version_counting(f: NativeFunction) -> Pieces:
    """Return the ADInplaceOrView kernel of an operator that returns what it wrote: the call, then a count of versions.

    Inside, nothing counts: an operator made of several in-place ones is one write.
    """
    if not f.func.mutated_and_returned or is_composite(f) or "count_nothing" in f.engine_tags:
        return []
    function = f"ADInplaceOrView_{f.func.unambiguous_name}"
    return [Text(version_counting_source, f, function), impl(f, "ADInplaceOrView", function, AFTER)]


def version_counting_source(f: NativeFunction, function: str) -> str:
    """Return the source of the ADInplaceOrView kernel of an operator that returns what it wrote."""
    written = f.func.mutated_and_returned
    bumps = "".join(
        f"    for tensor in {argument.name}:\n        tensor._bump_version()\n"
        if isinstance(argument.type, ListType)
        else f"    ({argument.name}._version_counter or {argument.name}._shared_version()).value += 1\n"
        for argument in written
    )
    before = ""
    if "count_if_resized" in f.engine_tags:
        before, bumps = "    sizes = self._sizes\n", f"    if self._sizes != sizes:\n    {bumps}"
    returned = f"    return {results_of(f.func, [argument.name for argument in written])}\n" if f.func.returns else ""
    arguments = names_of(f.func.arguments)
    head = f"def {function}({arguments}, below):\n{before}"
    return f"{head}{BELOW.format(call=f'below({arguments})')}{bumps}{returned}"


def backend_selection(f: NativeFunction) -> Pieces:
    """Return the BackendSelect kernel of a factory, an operator with tensor options and without tensor arguments."""
    names = {argument.name for argument in f.func.arguments}
    if f.func.tensor_arguments or not {"dtype", "layout", "device"} <= names or is_composite(f):
        return []
    name, arguments = f.func.unambiguous_name, names_of(f.func.arguments)
    return [
        f"def BackendSelect_{name}({arguments}):\n"
        "    key_set = key_set_of_options(dtype, layout, device)\n"
        f'    return redispatches["{f.func.name}"][key_set]({arguments})\n',
        impl(f, "BackendSelect", f"BackendSelect_{name}"),
    ]


def is_composite(f: NativeFunction) -> bool:
    """Return True if the operator is made of other operators, on which differentiation and version counting act."""
    return "CompositeImplicitAutograd" in f.kernels
