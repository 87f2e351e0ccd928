"""nll_loss of a contiguous tensor, and its gradient. Mirrors aten/src/ATen/native/cuda/{NLLLoss2d,Loss}.cu.

The plain loop that they replace, for each place of each of the batch:

    c = target[b, place]
    out[b, place] = -x[b, c, place] * weight[c]
    grad_x[b, c, place] = -grad_out[b, place] * weight[c]

Sums are made by one block, so that their order is always the same.
"""

from ..aten.native import loss_backward, loss_nll
from ..aten.native.fill import fill_stub
from ..aten.native.loss import MEAN, NONE
from ..tensor_impl import Tensor
from .driver import cuda
from .index_rows import note, read_note
from .launch import SHAPES, grid_of, launch
from .row_sums import FLOATS, THREADS, block_sum, require, vector
from .runtime import to_host


@cuda.jit
def of_each(places, out, total_weight, x, target, weight, classes, size, ignore_index, outside):
    """Compute the unreduced losses; an empty weight means ones. `outside` records a target that is not a class."""
    for cell in range(cuda.grid(1), places, cuda.gridsize(1)):
        c, loss = target[cell], x.dtype.type(0)
        if 0 <= c < classes and c != ignore_index:
            factor = weight[c] if weight.size else x.dtype.type(1)
            loss = -x[(cell // size * classes + c) * size + cell % size] * factor
        elif c != ignore_index:
            cuda.atomic.min(outside, 0, cell)
        out[cell] = loss
        if cell == 0:
            total_weight[0] = x.dtype.type(0)


@cuda.jit
def of_all(places, out, total_weight, x, target, weight, classes, size, ignore_index, outside, is_mean):
    """Compute the sum or mean of all losses, and the sum of their weights, in one block."""
    cells = cuda.shared.array(THREADS, x.dtype)
    thread = cuda.threadIdx.x
    total, weights = x.dtype.type(0), x.dtype.type(0)
    for cell in range(thread, places, THREADS):
        c = target[cell]
        if 0 <= c < classes and c != ignore_index:
            factor = weight[c] if weight.size else x.dtype.type(1)
            total -= x[(cell // size * classes + c) * size + cell % size] * factor
            weights += factor
        elif c != ignore_index:
            cuda.atomic.min(outside, 0, cell)
    total = block_sum(cells, thread, total)
    weights = block_sum(cells, thread, weights)
    if thread == 0:
        out[0] = total / weights if is_mean else total
        total_weight[0] = weights


@cuda.jit
def backward(
    places, grad_x, grad, total_weight, target, weight, classes, size, ignore_index, outside, is_mean, is_reduced
):  # fmt: skip
    """Write the nonzero elements of the gradient."""
    for cell in range(cuda.grid(1), places, cuda.gridsize(1)):
        c = target[cell]
        if 0 <= c < classes and c != ignore_index:
            slope = grad[0 if is_reduced else cell]
            if is_mean:
                slope /= total_weight[0]
            factor = weight[c] if weight.size else grad_x.dtype.type(1)
            grad_x[(cell // size * classes + c) * size + cell % size] = -slope * factor
        elif c != ignore_index:
            cuda.atomic.min(outside, 0, cell)


def nll_loss_kernel(
    output: Tensor, total_weight: Tensor, self: Tensor, target: Tensor, weight: Tensor | None,
    reduction: int, ignore_index: int, sizes: tuple[int, int, int],
) -> None:  # fmt: skip
    """Compute nll_loss of contiguous tensors.

    Raises:
        IndexError: a target is none of the classes; to know it waits for the kernel, where PyTorch ends the program.
        NotImplementedError: not floating-point.
    """
    require("nll_loss_out_frame", FLOATS, self._dtype)
    batch, classes, size = sizes
    places = batch * size
    arrays = (*(vector(tensor, self) for tensor in (output, total_weight, self, target, weight)), classes, size)
    if reduction != NONE:
        launch(of_all, 1, SHAPES["row"].threads, places, *arrays, ignore_index, note(), reduction == MEAN)
    elif places:
        launch(of_each, *grid_of("elementwise", places), places, *arrays, ignore_index, note())
    else:
        fill_stub.kernels["cuda"](total_weight, 0)
    require_classes(target)


def nll_loss_backward_kernel(
    grad_input: Tensor, grad_output: Tensor, target: Tensor, weight: Tensor | None, total_weight: Tensor,
    reduction: int, ignore_index: int, sizes: tuple[int, int, int],
) -> None:  # fmt: skip
    """Compute the gradient of nll_loss for contiguous tensors.

    Raises:
        IndexError: as `nll_loss_kernel`.
        NotImplementedError: not floating-point.
    """
    require("nll_loss_backward_out_frame", FLOATS, grad_input._dtype)
    batch, classes, size = sizes
    places = batch * size
    if not grad_input.numel():
        return
    fill_stub.kernels["cuda"](grad_input, 0)
    arrays = (vector(tensor, grad_input) for tensor in (grad_input, grad_output, total_weight, target, weight))
    launch(backward, *grid_of("elementwise", places), places, *arrays, classes, size, ignore_index, note(),
           reduction == MEAN, reduction != NONE)  # fmt: skip
    require_classes(target)


def require_classes(target: Tensor) -> None:
    """Raise an error if the kernel found a target that is not a class.

    Raises:
        IndexError: the kernel noted one that is not.
    """
    cell = read_note()
    if cell is not None:
        raise IndexError(f"Target {to_host(vector(target, target)[cell : cell + 1]).item()} is out of bounds.")


loss_nll.nll_loss_stub.register("cuda", nll_loss_kernel)
loss_backward.nll_loss_backward_stub.register("cuda", nll_loss_backward_kernel)
