"""Kernels of three operands: addcmul, addcdiv, lerp.

The plain loop that each replaces:

    for to, of_a, of_b, of_c in zip(offsets of out, offsets of a, offsets of b, offsets of c):
        out[to] = f(a[of_a], b[of_b], c[of_c], *scalars)

Mirrors aten/src/ATen/native/cpu/{PointwiseOpsKernel,LerpKernel}.cpp.
"""

from ..aten.native import pointwise_ops
from .elementwise import FLOATS, NUMBERS, SAME2, SAME3, Table, register, vec

# Functions of single numbers: inputs, then scalars.


def addcmul(a, b, c, value):
    """Return a + value * b * c."""
    return a + value * b * c


def addcdiv(a, b, c, value):
    """Return a + value * b / c."""
    return a + value * b / c


def lerp(a, b, weight):
    """Interpolate from `a` to `b`, starting from the nearer end, so that both ends are met exactly."""
    way = b - a
    return a + weight * way if abs(weight) < 0.5 else b - way * (type(a)(1) - weight)


KERNELS: Table = (
    # stub, name in messages, dtypes: function, (output, inputs...), scalars
    (pointwise_ops.addcmul_stub, "addcmul_cpu_out", {NUMBERS: vec(addcmul)}, SAME3, 1),
    (pointwise_ops.addcdiv_stub, "addcdiv_cpu_out", {FLOATS: vec(addcdiv)}, SAME3, 1),
    (pointwise_ops.lerp_scalar_stub, "lerp_kernel_scalar", {FLOATS: lerp}, SAME2, 1),
    (pointwise_ops.lerp_tensor_stub, "lerp_kernel_tensor", {FLOATS: lerp}, SAME3, 0),
)

register(KERNELS)
