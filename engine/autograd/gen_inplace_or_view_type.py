"""From an operator that makes a view to the source of its kernel at ADInplaceOrView: redispatch, note the view.

Kernels of operators that write, which count a version, are made in engine/aten/codegen.py.
Mirrors tools/autograd/gen_inplace_or_view_type.py.
"""

from ..aten.codegen import names_of
from ..aten.model import NativeFunction
from ..dispatch.calling import parameter
from .gen_variable_type import calls_others, guarded


def view_source(f: NativeFunction) -> str:
    """Return the source of the ADInplaceOrView kernel of a view operator: the call, then `as_view`."""
    base = next(
        parameter(argument)
        for argument in f.func.tensor_arguments
        if argument.annotation is not None and not argument.is_write
    )
    call = f"result = below({names_of(f.func.arguments)})"
    several = len(f.func.returns) > 1 or f.func.returns[0].type.is_list
    note = f"    as_views({base}, result)\n" if several else f"    as_view({base}, result)\n"
    return (
        f"def ADInplaceOrView_{f.func.unambiguous_name}({names_of(f.func.arguments)}, below):\n"
        + (guarded(call) if calls_others(f) else f"    {call}\n")
        + note
        + "    return result\n"
    )
