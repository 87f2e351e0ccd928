"""Random programs of operators, views, writes, hooks and modes, on the engine and on PyTorch.

A program is drawn from a seed: a few leaves, then steps on tensors of a pool that grows with the results. After every
step both sides must agree on what the step raised or gave, and on all that can be seen of every tensor of the pool:
values, geometry, version, flags, base, node. In the end both run a backward pass over the pool and agree on gradients.
"""

import random
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

SIZES = ((2, 3), (3,), (3, 3), (4, 2, 3), ())
MOST_TENSORS = 14

UNARY = {
    "exp": lambda x: x.exp(), "sin": lambda x: x.sin(), "neg": lambda x: -x, "relu": lambda x: x.relu(),
    "double": lambda x: x * 2, "rsub": lambda x: 1 - x, "clone": lambda x: x.clone(), "sigmoid": lambda x: x.sigmoid(),
    "sum": lambda x: x.sum(), "sum_dim": lambda x: x.sum(0), "mean": lambda x: x.mean(-1, keepdim=True),
    "max": lambda x: x.max(0)[0], "cumsum": lambda x: x.cumsum(0), "softmax": lambda x: x.softmax(-1),
    "rows": lambda x: x[[0, 1]], "masked": lambda x: x[x > 0], "to_float": lambda x: x.float().double(),
    "detach": lambda x: x.detach(), "data": lambda x: x.data, "contiguous": lambda x: x.contiguous(),
}  # fmt: skip
VIEWS = {
    "view": lambda x: x.view(-1), "reshape": lambda x: x.reshape(-1), "transpose": lambda x: x.transpose(0, -1),
    "select": lambda x: x.select(0, 1), "narrow": lambda x: x.narrow(0, 0, 2), "slice": lambda x: x[..., 1:],
    "unsqueeze": lambda x: x.unsqueeze(0), "expand": lambda x: x.unsqueeze(0).expand(2, *x.shape),
    "diagonal": lambda x: x.diagonal(), "unbind": lambda x: x.unbind(0), "split": lambda x: x.split(2)[0],
    "chunk": lambda x: x.chunk(2, -1)[0], "permute": lambda x: x.permute(*reversed(range(x.dim()))),
    "squeeze": lambda x: x.squeeze(), "as_strided": lambda x: x.as_strided((2,), (1,)),
    "movedim": lambda x: x.movedim(0, -1),
}  # fmt: skip
WRITES = {
    "mul_": lambda x: x.mul_(2), "add_": lambda x: x.add_(1), "exp_": lambda x: x.exp_(), "sin_": lambda x: x.sin_(),
    "zero_": lambda x: x.zero_(), "fill_": lambda x: x.fill_(0.5), "relu_": lambda x: x.relu_(),
    "clamp_": lambda x: x.clamp_(-1, 1), "sigmoid_": lambda x: x.sigmoid_(), "neg_": lambda x: x.neg_(),
    "set_row": lambda x: x.__setitem__(0, 0.25), "set_slice": lambda x: x.__setitem__((..., slice(0, 1)), 0.75),
    "t_": lambda x: x.t_(), "unsqueeze_": lambda x: x.unsqueeze_(0), "iadd": lambda x: x.__iadd__(1),
}  # fmt: skip
FLAGS = {
    "requires_grad_": lambda x: x.requires_grad_(), "no_longer": lambda x: x.requires_grad_(False),
    "retain_grad": lambda x: x.retain_grad(), "hook": lambda x: x.register_hook(lambda grad: grad * 2) and None,
}  # fmt: skip
BINARY = {
    "add": lambda x, y: x + y, "mul": lambda x, y: x * y, "sub": lambda x, y: x - y, "matmul": lambda x, y: x @ y,
    "div": lambda x, y: x / (y * y + 1), "view_as": lambda x, y: x.view_as(y), "expand_as": lambda x, y: x.expand_as(y),
    "add_tensor_": lambda x, y: x.add_(y), "mul_tensor_": lambda x, y: x.mul_(y), "copy_": lambda x, y: x.copy_(y),
    "addcmul_": lambda x, y: x.addcmul_(y, y), "lerp_": lambda x, y: x.lerp_(y, 0.3),
    "set_row_to": lambda x, y: x.__setitem__(0, y), "set_all": lambda x, y: x.__setitem__(..., y),
    "set_masked": lambda x, y: x.__setitem__(x > 0, 0.1), "where": lambda x, y: x.where(x > 0, y),
}  # fmt: skip
STEPS = {**UNARY, **VIEWS, **WRITES, **FLAGS, **BINARY}


@dataclass
class Program:
    """A program drawn from a seed: leaves as (array, requires_grad), steps as (name, grad mode, positions)."""

    leaves: list[tuple[np.ndarray, bool]] = field(default_factory=list)
    steps: list[tuple[str, bool, int, int]] = field(default_factory=list)

    def __str__(self) -> str:
        leaves = [f"{array.shape}{' requires grad' if grad else ''}" for array, grad in self.leaves]
        steps = [f"{name}({i}, {j}){'' if grad_mode else ' in no_grad'}" for name, grad_mode, i, j in self.steps]
        return "; ".join([*leaves, *steps])


def draw(seed: int) -> Program:
    """The program of a seed. Positions count modulo the tensors that are there."""
    choose, numbers = random.Random(seed), np.random.RandomState(seed)
    program = Program([(np.asarray(numbers.randn(*choose.choice(SIZES))), choose.random() < 0.6) for _ in range(3)])
    grad_mode = True
    for _ in range(choose.randint(3, 14)):
        grad_mode ^= choose.random() < 0.12
        name = choose.choice([*BINARY] if choose.random() < 0.3 else [*UNARY, *VIEWS, *WRITES, *FLAGS])
        program.steps.append((name, grad_mode, choose.randrange(99), choose.randrange(99)))
    return program


class Side:
    """One side's pool, and what it does with a program.

    Args:
        T: the engine or PyTorch.
    """

    def __init__(self, T: Any, program: Program):
        self.T = T
        self.pool = [T.tensor(a.tolist(), dtype=T.float64, requires_grad=grad) for a, grad in program.leaves]

    def step(self, name: str, grad_mode: bool, i: int, j: int) -> Any:
        """Run a step; return the error that it raised, or "ok". Its results join the pool."""
        x, y = self.pool[i % len(self.pool)], self.pool[j % len(self.pool)]
        try:
            with self.T.set_grad_enabled(grad_mode):
                result = STEPS[name](x, y) if name in BINARY else STEPS[name](x)
        except Exception as error:
            return raised(error)
        for made in result if isinstance(result, (tuple, list)) else [result]:
            new = isinstance(made, self.T.Tensor) and not any(made is there for there in self.pool)
            if new and len(self.pool) < MOST_TENSORS:
                self.pool.append(made)
        return "ok"

    def seen(self, tensor: Any) -> dict[str, Any]:
        """All that can be seen of a tensor but its values."""
        base = tensor._base
        told = {
            "geometry": (tuple(tensor.shape), tensor.stride(), tensor.storage_offset()),
            "version": tensor._version,
            "requires_grad": tensor.requires_grad,
            "base": None if base is None else next((k for k, one in enumerate(self.pool) if one is base), "another"),
        }
        try:
            told["node"] = tensor.grad_fn and tensor.grad_fn.name()
            told["is_leaf"] = tensor.is_leaf
        except RuntimeError as error:
            told["node"] = raised(error)
        return told

    def backward(self) -> Any:
        """Run a pass from the sum of the squares of all tensors that require grad."""
        try:
            squares = [(tensor * tensor).sum() for tensor in self.pool if tensor.requires_grad]
            if squares:
                sum(squares[1:], squares[0]).backward()
        except Exception as error:
            return raised(error)
        return "ok"


def raised(error: Exception) -> tuple[str, str]:
    """Type and first line; of `expand` without the tensor's type, which PyTorch names."""
    line = str(error).partition("\n")[0]
    return type(error).__name__, "expand" if line.startswith("expand(") else line


def difference(seed: int, engine: Any, torch: Any) -> str:
    """Return the differences between both sides in the program of a seed; "" if there are none."""
    program = draw(seed)
    sides = [Side(engine, program), Side(torch, program)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, step in enumerate(program.steps):
            found = _differing("step", [side.step(*step) for side in sides]) or _differing_pools(sides)
            if found:
                return f"seed {seed}, after step {number}: {program}\n{found}"
        found = _differing("backward", [side.backward() for side in sides]) or _differing_gradients(sides)
    return f"seed {seed}: {program}\n{found}" if found else ""


def _differing(what: str, told: list[Any]) -> str:
    return "" if told[0] == told[1] else f"  {what}: engine {told[0]}\n  {what}: PyTorch {told[1]}"


def _differing_pools(sides: list[Side]) -> str:
    found = _differing("tensors", [len(side.pool) for side in sides])
    for number, pair in enumerate(zip(*(side.pool for side in sides), strict=False)):
        found = found or _differing(f"tensor {number}", [s.seen(t) for s, t in zip(sides, pair, strict=True)])
        if not found and not _close(*(tensor.detach() for tensor in pair)):
            found = f"  tensor {number}: values differ"
    return found


def _differing_gradients(sides: list[Side]) -> str:
    for number, pair in enumerate(zip(*(side.pool for side in sides), strict=True)):
        grads = [tensor.grad for tensor in pair]
        if any(grad is None for grad in grads):
            found = _differing(f"gradient {number} is None", [grad is None for grad in grads])
        else:
            found = _differing(f"strides of gradient {number}", [grad.stride() for grad in grads])
            found = found or ("" if _close(*grads) else f"  gradient {number}: {grads[0]}, PyTorch {grads[1]}")
        if found:
            return found
    return ""


def _close(one: Any, other: Any) -> bool:
    return np.allclose(one.numpy(), other.numpy(), rtol=1e-6, atol=1e-6, equal_nan=True)
