"""The gradient of unfold: windows that share cells are added up.

One thread an element of the tensor that was unfolded, which adds the windows that hold it, in order; so nothing is
atomic. The plain loop, of windows of `size` elements, `step` apart, along one dimension:

    for c in range((windows - 1) * step + size):
        for w in the windows with w * step <= c < w * step + size:
            x[c] += grad[w][c - w * step]

Mirrors aten/src/ATen/native/cuda/UnfoldBackwardKernel.cu.
"""

from ..aten.native import view_backward
from ..tensor_impl import Tensor
from .driver import cuda
from .index_rows import coalesced_walk, place
from .launch import grid_of, launch


@cuda.jit
def add_windows(n, x, p, grad, r, sizes, sx, sg, covered, within):
    """Add windows of grad to x; covered: size, stride of a row; within: windows, size, step, their strides in grad."""
    i = cuda.grid(1)
    windows, size, step = within[0], within[1], within[2]
    while i < n:
        row, c = i // covered[0], i % covered[0]
        of_grad = r + place(row, sizes, sg)
        first = 0 if c < size else (c - size) // step + 1
        last = min(c // step, windows - 1)
        cell = p + place(row, sizes, sx) + c * covered[1]
        total = x[cell]
        for w in range(first, last + 1):
            total += grad[of_grad + w * within[3] + (c - w * step) * within[4]]
        x[cell] = total
        i += cuda.gridsize(1)


def unfold_backward_kernel(windows: Tensor, grad: Tensor, dim: int) -> None:
    """Compute windows += grad for overlapping windows."""
    count, size, stride = windows._sizes[dim], windows._sizes[-1], windows._strides[-1]
    step = windows._strides[dim] // stride
    covered = (count - 1) * step + size
    across = tuple([1 if d == dim else length for d, length in enumerate(windows._sizes[:-1])])
    sizes, sx, sg = coalesced_walk(across, windows._strides[:-1], grad._strides[:-1])
    within = count, size, step, grad._strides[dim], grad._strides[-1]
    cells = windows._flat(), windows._storage_offset, grad._flat(), grad._storage_offset
    n = windows.numel() // (count * size) * covered
    launch(add_windows, *grid_of("elementwise", n), n, *cells, sizes, sx, sg, (covered, stride), within)


view_backward.unfold_backward_stub.register("cuda", unfold_backward_kernel)
