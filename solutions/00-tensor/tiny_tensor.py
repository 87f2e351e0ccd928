"""A whole tensor library: strides, kernels in a table by key, autograd as a key, and a loop that learns.

The answer to lab 0. Everything is a Python list and a loop, so that nothing is hidden; `engine/` is the same seven
pieces, grown up. Shortcuts are named where they are taken: "PyTorch does X; here Y".
"""

import math
from itertools import product

# 1. Strides


def contiguous_strides(sizes):
    """Return the strides of a fresh tensor: the cells that one step along each dimension moves.

    PyTorch: `TensorImpl::empty_tensor_restride` in c10/core/TensorImpl.h.
    """
    strides, step = [], 1
    for size in reversed(sizes):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


# 2. From an index to a cell


class Tensor:
    """A way to walk along a list of numbers, `storage`; several tensors may share one.

    PyTorch: c10/core/TensorImpl.h, which also has an offset, a dtype and a device.
    """

    def __init__(self, storage, sizes, strides=None, keys=("CPU",)):
        self.storage = storage
        self.sizes = tuple(sizes)
        self.strides = contiguous_strides(self.sizes) if strides is None else tuple(strides)
        self.keys = set(keys)
        self.node = None  # how it was made: (operator, arguments)
        self.grad = None

    def offset_of(self, index):
        """Return the cell of the storage that the element at `index`, one int for each dimension, is in."""
        if len(index) != len(self.sizes):
            raise IndexError(f"expected {len(self.sizes)} indices, got {len(index)}")
        offset = 0
        for i, size, stride in zip(index, self.sizes, self.strides, strict=True):
            if not 0 <= i < size:
                raise IndexError(f"index {i} is out of range for size {size}")
            offset += i * stride
        return offset

    def __getitem__(self, index):
        return self.storage[self.offset_of(index)]

    def t(self):
        """Return the transpose: the same storage, walked along in another order."""
        return Tensor(self.storage, self.sizes[::-1], self.strides[::-1])


def indices(sizes):
    """Yield every index of a tensor, in reading order."""
    return product(*map(range, sizes))


# 3. Kernels: the functions that do the arithmetic


def add(x, y):
    """Return x + y, element by element, as a fresh tensor.

    PyTorch: aten/src/ATen/native/ufunc/add.h, and generated loops around it. Here without broadcasting.
    """
    if x.sizes != y.sizes:
        raise RuntimeError(f"expected equal sizes, got {x.sizes} and {y.sizes}")
    return Tensor([x[i] + y[i] for i in indices(x.sizes)], x.sizes)


def matmul(x, y):
    """Return the matrix product of x, (n, k), and y, (k, m), as a fresh tensor, (n, m).

    PyTorch: `addmm_impl_cpu_` in aten/src/ATen/native/LinearAlgebra.cpp, which calls a BLAS.
    """
    (n, k), (rows, m) = x.sizes, y.sizes
    if k != rows:
        raise RuntimeError(f"expected {k} rows in the second matrix, got {rows}")
    return Tensor([sum(x[i, p] * y[p, j] for p in range(k)) for i, j in indices((n, m))], (n, m))


def mul(x, y):
    """Return x * y, element by element."""
    return Tensor([x[i] * y[i] for i in indices(x.sizes)], x.sizes)


def tanh(x):
    """Return tanh(x), element by element."""
    return Tensor([math.tanh(x[i]) for i in indices(x.sizes)], x.sizes)


def total(x):
    """Return the sum of all elements, a tensor without dimensions."""
    return Tensor([sum(x[i] for i in indices(x.sizes))], ())


# 4. The table of kernels

KEYS = ["Autograd", "CPU"]
"""Highest priority first. PyTorch: c10/core/DispatchKey.h."""


class Table:
    """The kernel of each operator for each key. PyTorch: aten/src/ATen/core/dispatch/OperatorEntry.h."""

    def __init__(self):
        self.kernels = {}

    def register(self, op, key, kernel):
        """Enter a kernel; RuntimeError if the place is taken."""
        if (op, key) in self.kernels:
            raise RuntimeError(f"{op} already has a kernel for {key}")
        self.kernels[op, key] = kernel

    def find(self, op, keys):
        """Return the kernel for the highest of `keys` that has one; NotImplementedError if none has."""
        for key in KEYS:
            if key in keys and (op, key) in self.kernels:
                return self.kernels[op, key]
        raise NotImplementedError(f"{op} has no kernel for {sorted(keys)}")


TABLE = Table()
for kernel in (add, matmul, mul, tanh, total):
    TABLE.register(kernel.__name__, "CPU", kernel)


# 5. The call


def call(op, *args, below=None):
    """Run the kernel that the keys of the arguments choose: of all of them, or of those below the key `below`.

    PyTorch: `Dispatcher::call` and `redispatch` in aten/src/ATen/core/dispatch/Dispatcher.h.
    """
    keys = set()
    for arg in args:
        keys |= arg.keys
    if below is not None:
        keys &= set(KEYS[KEYS.index(below) + 1 :])
    return TABLE.find(op, keys)(*args)


# 6. Autograd: a key that remembers


def autograd_kernel(op):
    """Return the kernel of `op` for the key "Autograd": run the kernel below, and remember the call.

    PyTorch: the generated torch/csrc/autograd/generated/VariableType_*.cpp. There every tensor has the key, and the
    kernel asks whether an argument requires a gradient; here the key is the answer.
    """

    def kernel(*args):
        output = call(op, *args, below="Autograd")
        output.keys.add("Autograd")
        output.node = (op, args)
        return output

    return kernel


DERIVATIVES = {
    "add": lambda grad, x, y: (grad, grad),
    "mul": lambda grad, x, y: (mul(grad, y), mul(grad, x)),
    "matmul": lambda grad, x, y: (matmul(grad, y.t()), matmul(x.t(), grad)),
    "tanh": lambda grad, x: (Tensor([grad[i] * (1 - math.tanh(x[i]) ** 2) for i in indices(x.sizes)], x.sizes),),
    "total": lambda grad, x: (Tensor(grad.storage, x.sizes, (0,) * len(x.sizes)),),
}
"""From an operator's gradient to the gradients of its arguments. PyTorch: tools/autograd/derivatives.yaml."""

for op in DERIVATIVES:
    TABLE.register(op, "Autograd", autograd_kernel(op))


def backward(loss):
    """Add d loss / d x to the `grad` of each leaf x (a tensor with the key "Autograd" that no operator made).

    PyTorch: `Engine::execute` in torch/csrc/autograd/engine.cpp.
    """
    order, seen = [], set()  # each tensor after those that it was made from

    def visit(x):
        if id(x) in seen or "Autograd" not in x.keys:
            return
        seen.add(id(x))
        for arg in x.node[1] if x.node else ():
            visit(arg)
        order.append(x)

    visit(loss)
    grads = {id(loss): Tensor([1.0], ())}
    for x in reversed(order):
        grad = grads[id(x)]
        if x.node is None:
            x.grad = grad if x.grad is None else add(x.grad, grad)
            continue
        op, args = x.node
        for arg, its_grad in zip(args, DERIVATIVES[op](grad, *args), strict=True):
            grads[id(arg)] = add(grads[id(arg)], its_grad) if id(arg) in grads else its_grad


# 7. Learning


def train(parameters, loss_of, steps, rate):
    """Take steps of gradient descent, and return the loss before each, a list of floats.

    Args:
        parameters: leaves; their numbers are changed in place.
        loss_of: called without arguments, it gives the loss, a tensor without dimensions.
    PyTorch: torch/optim/sgd.py.
    """
    losses = []
    for _ in range(steps):
        for x in parameters:
            x.grad = None
        loss = loss_of()
        backward(loss)
        for x in parameters:
            for i in indices(x.sizes):
                x.storage[x.offset_of(i)] -= rate * x.grad[i]
        losses.append(loss[()])
    return losses
