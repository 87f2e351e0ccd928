"""Source text that lets a generated wrapper skip meta for a geometry that it has seen.

What meta declares follows from geometry, dtypes and numbers, so a wrapper for the CPU keeps it by a key of these. Of an
operator with an iterator it keeps the plan; of one with the tag remember_meta the output's geometry, and what meta
returned. A scalar is in the key with its class, because 1, 1.0 and True are equal and promote differently.
PyTorch has nothing like it: its meta functions are compiled.
"""

from collections.abc import Iterable
from typing import Any

from ..dispatch.calling import parameter
from ..dispatch.function_schema import Argument, BaseType, FunctionSchema, ListType
from ..tensor_impl import Tensor
from .iterator_plan import MOST_PLANS
from .model import NativeFunctionsGroup

PLANNED = """\
    key = ({key})
    plan = {found}
    if plan is not None:
        op = new({cls})
        op.plan = plan
        {made}op.operands = ({out}, {inputs}) if not plan.needs_cast else ({out}, *cast_inputs(plan, {inputs}))
        {implementation}(op, {arguments}, {out})
        return {out}
"""
NEW_OUTPUT = "out = new_dense(plan.sizes, plan.strides, plan.numel, plan.dtype)\n        "

REMEMBERED = """\
    key = ({key})
    declared = {memo}.get(key)
    if declared is not None:
        {declared} = declared
        out = new_dense(*geometry)
        {implementation}({cls}, {arguments}, out)
        return out
"""


def lines(
    group: NativeFunctionsGroup, schema: FunctionSchema, cls: str, given: list[str], passed: str
) -> tuple[str, str, str]:
    """Return the memo's source for a CPU wrapper: the text before it, at its beginning, and after its call of meta.

    Args:
        cls: the class of the form.
        given: names of its given outputs.
        passed: source of what its implementation gets between the object and the outputs.
    Returns:
        Empty texts, if nothing is remembered.
    """
    memo, implementation = f"plans_of_{schema.unambiguous_name}", group.out.kernels.get("CPU", "")
    if is_planned(group):
        inputs = names_of(inputs_of(schema))
        found = planned(schema, memo, cls, given, implementation)
        return f"{memo} = plan_memo()\n\n", found, f"    remember({memo}, key, op, {inputs})\n"
    if schema is not group.functional.func or "remember_meta" not in group.functional.engine_tags:
        return "", "", ""
    precomputed = "precomputed" if group.out.precomputed else "None"
    found = REMEMBERED.format(
        key=", ".join(part for argument in schema.arguments for part in key_of(argument)),
        memo=memo,
        declared=f"geometry, {precomputed if group.out.precomputed else '_'}",
        implementation=implementation,
        cls=cls,
        arguments=passed,
    )
    return f"{memo} = plan_memo()\n\n", found, f"    remember_declared({memo}, key, op.outputs[0], {precomputed})\n"


def planned(schema: FunctionSchema, memo: str, cls: str, given: list[str], implementation: str) -> str:
    """Return the lines that run the kernel with a remembered plan.

    A given output comes first. Whether it overlaps an input does not follow from geometry, so where the two share a
    storage meta runs.
    """
    arguments = sorted(schema.arguments, key=lambda argument: not argument.is_out)
    read = [argument.name for argument in inputs_of(schema)]
    apart = [f"{name}._storage is not {output}._storage" for output in given for name in read if name != output]
    return PLANNED.format(
        key=", ".join(["dtypes._default", *(part for argument in arguments for part in key_of(argument))]),
        found=f"{memo}.get(key) if {' and '.join(apart)} else None" if apart else f"{memo}.get(key)",
        cls=cls,
        made="" if given else NEW_OUTPUT,
        out=given[0] if given else "out",
        inputs=", ".join(read),
        implementation=implementation,
        arguments=names_of(argument for argument in schema.arguments if not argument.is_out),
    )


def key_of(argument: Argument) -> list[str]:
    """Return the source of the parts that one argument adds to a memo's key."""
    name = parameter(argument)
    if argument.is_tensor_like:
        if isinstance(argument.type, ListType):
            return [f"geometries_of({name})"]
        return [f"{name}.{field}" for field in ("_sizes", "_strides", "_dtype", "_wrapped_number")]
    return [f"{name}.__class__", name] if argument.type.base == "Scalar" else [name]


def names_of(arguments: Iterable[Argument]) -> str:
    """Return the names of the arguments, joined by commas: `self, other, alpha`."""
    return ", ".join(map(parameter, arguments))


def inputs_of(schema: FunctionSchema) -> list[Argument]:
    """Return the tensor arguments that the operator reads."""
    return [argument for argument in schema.tensor_arguments if not argument.is_out]


def ufunc_dtypes(group: NativeFunctionsGroup) -> str:
    """Return the line that refuses dtypes for which `ufunc_inner_loop` has no loop; "" if the entry has none."""
    supported = group.out.supported_dtypes
    if supported is None:
        return ""
    names = ", ".join(sorted(kind.name for kind in supported))
    return f'    require_dtype("{group.functional.name.base}", op.plan.common_dtype, "{names}")\n'


def is_planned(group: NativeFunctionsGroup) -> bool:
    """Return True if meta computes only an iterator's plan, from geometry, dtypes and scalars alone."""
    schema = group.functional.func
    types = [argument.type for argument in schema.arguments]
    plain = all(isinstance(type, BaseType) and type.base in ("Tensor", "Scalar", "bool", "int") for type in types)
    return group.out.structured_inherits == "TensorIteratorBase" and plain and len(schema.returns) == 1


# ---- what these lines call


def geometries_of(tensors: Iterable[Tensor]) -> tuple[tuple[Any, ...], ...]:
    """Return the sizes, strides and dtype of each tensor in a list."""
    return tuple([(tensor._sizes, tensor._strides, tensor._dtype) for tensor in tensors])


def remember_declared(memo: dict[Any, Any], key: Any, output: Tensor, precomputed: Any) -> None:
    """Cache the geometry of a new output, as arguments of `new_dense`, and what meta returned."""
    if len(memo) >= MOST_PLANS:
        memo.clear()
    cells = output._storage._nbytes // output._dtype.itemsize
    memo[key] = (output._sizes, output._strides, cells, output._dtype), precomputed
