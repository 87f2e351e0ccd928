"""The kernels of entries with `copy_of`, which share no memory with their first argument and write nothing.

Functionalization calls these operators instead of views and writes.
"""

from ..dispatch.calling import parameter
from ..dispatch.function_schema import FunctionSchema
from .model import NativeFunction


def copying_kernel(f: NativeFunction, target: FunctionSchema) -> str:
    """Return the source of the kernel of an entry with `copy_of`, which calls an operator that views or writes `self`.

    For `select_copy.int` with `copy_of: select.int`, and for `uniform` with `copy_of: uniform_`:

        def select_copy_int(self, dim, index):
            return at.clone(at.select_int(self, dim, index), dtypes.contiguous_format)

        def uniform(self, from_, to, generator):
            return at.uniform_(at.clone(self), from_, to, generator)

    Source: GenCompositeViewCopyKernel (torchgen/gen_functionalization_type.py), gen_composite_functional_kernel
    (torchgen/native_function_generation.py).
    """
    (name,) = set(f.kernels.values())
    first, *others = map(parameter, f.func.arguments)
    passed = ", ".join([f"at.clone({first})" if target.is_mutable else first, *others])
    call = f"at.{target.unambiguous_name}({passed})"
    if target.is_view and target.returns[0].type.is_list:
        call = f"(*[at.clone(one, dtypes.contiguous_format) for one in {call}],)"
    elif target.is_view:
        call = f"at.clone({call}, dtypes.contiguous_format)"
    return f"def {name}({', '.join([first, *others])}):\n    return {call}\n"
