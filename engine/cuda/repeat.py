"""Numbers repeated, and the summary that says how much room they take. Mirrors aten/src/ATen/native/cuda/Repeat.cu."""

from ..aten.at import at
from ..aten.native import repeat
from ..dtypes import int64
from ..tensor_impl import Tensor
from .driver import cuda
from .launch import grid_of, launch


@cuda.jit
def repeats_of(n, out, o, ends, e, numbers):
    """Compute out[i] as the first number whose running sum of repeats exceeds i; `ends` holds these sums."""
    i = cuda.grid(1)
    while i < n:
        low, high = 0, numbers - 1
        while low < high:
            middle = (low + high) // 2
            if ends[e + middle] > i:
                high = middle
            else:
                low = middle + 1
        out[o + i] = low
        i += cuda.gridsize(1)


def repeat_interleave_kernel(out: Tensor, repeats: Tensor) -> None:
    """Write each number k into `out` `repeats[k]` times, in order."""
    ends, n = at.cumsum(repeats, 0, dtype=int64), out.numel()
    launch(
        repeats_of, *grid_of("elementwise", n), n, out._flat(), out._storage_offset, ends._flat(), ends._storage_offset,
        ends.numel(),
    )  # fmt: skip


def summary_kernel(x: Tensor) -> tuple[int, int, int]:
    """Return the minimum, the maximum, and the sum of a non-empty tensor."""
    return at.item(at.amin(x, ())), at.item(at.amax(x, ())), at.item(at.sum(x))


repeat.repeat_interleave_stub.register("cuda", repeat_interleave_kernel)
repeat.summary_stub.register("cuda", summary_kernel)
