"""Random short programs do the same with kernels replayed as without, bit for bit.

A program is drawn from a seed: a mode, a few leaves of fixed sizes, then steps on a pool of tensors that grows with the
results. It runs with several sets of values: without replay, then with it, where all runs but the first find plans.
What can be seen is compared after the last step: values as bytes, geometry, versions, storages, gradients, errors.

    python -m tests.replay_programs 20000 [first seed]
"""

import random
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import engine
from engine.native import switch

BATCH = 200  # programs between turning replay off and on
RUNS = 3  # sets of values
SIZES = ((4, 3), (4, 3), (3,), (3, 3), (2, 4, 3), (1, 3), (3, 1), (4, 1, 3), (), (0, 3))
DTYPES = ("float32",) * 5 + ("float64", "float64", "int64", "int32", "bool")
SPECIAL = (0.0, -0.0, float("inf"), float("-inf"), float("nan"))
MODES = ("",) * 6 + ("no_grad", "inference_mode", "float64")

Values = Any
Step = Callable[..., Any]
UNARY: tuple[Step, ...] = (
    lambda x: -x, lambda x: x.exp(), lambda x: x.log(), lambda x: x.sqrt(), lambda x: x.tanh(), lambda x: x.sigmoid(),
    lambda x: x.relu(), lambda x: x.sum(), lambda x: x.sum(0), lambda x: x.sum(-1, keepdim=True), lambda x: x.mean(),
    lambda x: x.mean(0), lambda x: x.sum(0, dtype=engine.float64), lambda x: x.softmax(-1), lambda x: x.log_softmax(0),
    lambda x: x * 2, lambda x: x * 2.5, lambda x: 1 - x, lambda x: x / 3, lambda x: x + True, lambda x: x * x,
    lambda x: x - x, lambda x: x + float(np.float32(1e39)), lambda x: x.detach(), lambda x: x.clone(),
    lambda x: x.sum(-3), lambda x: x.relu_(), lambda x: x.mul_(2), lambda x: x.add_(1.5), lambda x: x.add_(x),
    lambda x: x.sub_(1, alpha=2), lambda x: x.div_(2), lambda x: x.requires_grad_(),
    lambda x: x.abs(), lambda x: x.sin(), lambda x: x.cos(), lambda x: x.rsqrt(), lambda x: x.reciprocal(),
    lambda x: x**2, lambda x: x**-0.5, lambda x: x.clamp(-1, 1), lambda x: x.clamp(min=0.5), lambda x: x.sqrt_(),
    lambda x: x.double(), lambda x: x.to(engine.int32), lambda x: engine.nn.functional.gelu(x), lambda x: x.amax(0),
    lambda x: engine.nn.functional.silu(x), lambda x: x.amin(), lambda x: x.amin(-1, keepdim=True),
    lambda x: engine.nn.functional.layer_norm(x, x.shape[-1:]),
    lambda x: x.zero_(), lambda x: x.fill_(2), lambda x: x.fill_(-1.5), lambda x: x.fill_(True),
    lambda x: x[1:].zero_(), lambda x: x.T.fill_(3),
    lambda x: engine.zeros(x.shape), lambda x: engine.ones(x.shape, dtype=x.dtype), lambda x: engine.full(x.shape, 3),
    lambda x: engine.zeros_like(x), lambda x: engine.ones_like(x, dtype=engine.float64), lambda x: x.contiguous(),
    lambda x: engine.full_like(x, 0.5), lambda x: x.expand(3, *x.shape).clone(), lambda x: engine.empty_like(x).zero_(),
    lambda x: engine.cat((x, x)), lambda x: engine.cat((x, x[:1], x)), lambda x: engine.stack((x, x), -1),
    lambda x: x.copy_(x), lambda x: x[1:].copy_(x[:-1]), lambda x: x.copy_(engine.tensor(1.5)),
)  # fmt: skip
VIEWS: tuple[Step, ...] = (
    lambda x: x.view(-1), lambda x: x.t(), lambda x: x.transpose(0, -1), lambda x: x[1:], lambda x: x[..., :2],
    lambda x: x[0], lambda x: x[-1], lambda x: x.unsqueeze(0), lambda x: x.squeeze(), lambda x: x.squeeze(-1),
    lambda x: x.expand(2, *x.shape), lambda x: x.permute(*reversed(range(x.dim()))), lambda x: x[::2],
    lambda x: x.view(x.shape), lambda x: x.select(0, 1), lambda x: x.view(7),
)  # fmt: skip
BINARY: tuple[Step, ...] = (
    lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / y, lambda x, y: x @ y,
    lambda x, y: x @ y.transpose(0, -1), lambda x, y: engine.add(x, y, alpha=2), lambda x, y: x.add_(y),
    lambda x, y: x.mul_(y), lambda x, y: x.sub_(y), lambda x, y: x.div_(y), lambda x, y: x.add_(y, alpha=-0.5),
    lambda x, y: engine.addmm(y, x, x.t()), lambda x, y: engine.nn.functional.linear(x, y),
    lambda x, y: engine.threshold(x, 0.5, 0) + y, lambda x, y: engine.mm(x, y), lambda x, y: engine.bmm(x, x.mT) + y,
    lambda x, y: engine.nn.functional.cross_entropy(x, y.long()), lambda x, y: x < y, lambda x, y: x == y,
    lambda x, y: x >= y, lambda x, y: x.maximum(y), lambda x, y: engine.minimum(x, y), lambda x, y: x.where(x > y, y),
    lambda x, y: engine.addcmul(x, x, y, value=0.5), lambda x, y: x.addcdiv_(y, y), lambda x, y: x.lerp(y, 0.3),
    lambda x, y: x.lerp_(y, 0.7), lambda x, y: x.addcmul_(x, y),
    lambda x, y: engine.nn.functional.layer_norm(x, (3,), y),
    lambda x, y: x.copy_(y), lambda x, y: engine.cat((x, y)), lambda x, y: engine.cat((x, y, x), -1),
    lambda x, y: engine.stack((x, y)), lambda x, y: x[0].copy_(y), lambda x, y: x.t().copy_(y),
)  # fmt: skip


class Program:
    """A program: its leaves, and its steps as (function, places of operands in the pool)."""

    def __init__(self, seed: int):
        draw = random.Random(seed)
        self.mode = draw.choice(MODES)
        self.leaves = [(draw.choice(SIZES), draw.choice(DTYPES), draw.random() < 0.4, draw.random()) for _ in range(3)]
        self.steps = []
        for _ in range(draw.randint(2, 8)):
            table, count = draw.choice(((UNARY, 1), (UNARY, 1), (VIEWS, 1), (BINARY, 2), (BINARY, 2)))
            self.steps.append((draw.choice(table), [draw.random() for _ in range(count)]))

    def run(self, values: int) -> list[Any]:
        """Return the errors of the steps, and the visible state of all tensors after the last one."""
        random_values = np.random.default_rng(values)
        pool = [leaf(random_values, *given) for given in self.leaves]
        seen: list[Any] = []
        for step, places in self.steps:
            try:
                made = step(*(pool[int(place * len(pool))] for place in places))
            except Exception as error:
                seen.append((type(error).__name__, str(error)))
            else:
                pool.append(made)
        try:
            ends = [x.double().sum() for x in pool if x.requires_grad]
            if ends:
                sum(ends).backward()
        except Exception as error:
            seen.append((type(error).__name__, str(error)))
        return seen + [seen_of(x, pool) for x in pool] + [seen_of(x.grad, pool) for x in pool[:3] if x.grad is not None]


def leaf(values: Values, sizes: tuple[int, ...], dtype: str, requires_grad: bool, where: float) -> Any:
    """A tensor of small numbers, some of them special; some begin within their storage, or skip elements of it."""
    offset, step = (3, 1) if where < 0.2 else (5, 2) if where < 0.3 else (0, 1)
    count = int(np.prod(sizes))
    numbers = values.integers(-3, 4, offset + count * step) / 2
    if dtype.startswith("float") and values.random() < 0.2 and numbers.size:
        numbers[values.integers(numbers.size)] = SPECIAL[values.integers(len(SPECIAL))]
    if dtype.startswith("int"):
        numbers = abs(numbers) % 3
    x = engine.from_numpy(numbers.astype(dtype))
    x = x[offset::step].view(sizes) if step == 1 else x[offset::step].as_strided(sizes, strides(sizes, step))
    return x.requires_grad_() if requires_grad and x.is_floating_point() else x


def strides(sizes: tuple[int, ...], step: int) -> tuple[int, ...]:
    """Strides of a tensor whose last dimension has a stride of `step`."""
    return tuple(step * int(np.prod(sizes[d + 1 :])) for d in range(len(sizes)))


def seen_of(x: Any, pool: list[Any]) -> tuple:
    """All that can be seen of a tensor. `pool` says which share its storage."""
    storage = x.untyped_storage()
    sharing = [k for k, other in enumerate(pool) if other.untyped_storage() is storage]
    kept = (x.shape, x.stride(), x.storage_offset(), str(x.dtype), x.requires_grad, x.is_inference(), x.is_leaf)
    version = None if x.is_inference() else x._version
    return (*kept, version, sharing, storage.nbytes(), x.detach().contiguous().numpy().tobytes())


def outcome(program: Program, values: int) -> list[Any]:
    """`Program.run` in the program's mode."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if program.mode == "float64":
            engine.set_default_dtype(engine.float64)
            try:
                return program.run(values)
            finally:
                engine.set_default_dtype(engine.float32)
        with getattr(engine, program.mode or "enable_grad")():
            return program.run(values)


def differences(seeds: Iterable[int]) -> list[int]:
    """The seeds of programs that do something else with replay."""
    switch.disable()
    programs = {seed: Program(seed) for seed in seeds}
    expected = {seed: [outcome(program, values) for values in range(RUNS)] for seed, program in programs.items()}
    if reason := switch.enable():
        raise RuntimeError(f"replay can't be turned on: {reason}")
    try:
        return [
            seed
            for seed, program in programs.items()
            if [outcome(program, values) for values in range(RUNS)] != expected[seed]
        ]
    finally:
        switch.disable()


def main(count: int, start: int = 0) -> int:
    """Run programs from a seed on and print the seeds of those that differ."""
    found = []
    for first in range(start, start + count, BATCH):
        last = min(first + BATCH, start + count)
        found += differences(range(first, last))
        print(f"\r{last - start} programs, {len(found)} differ {found[:5]}", end="", file=sys.stderr)
    replays = sum(leaf.replays for leaf in switch.leaves().values())
    print(f"\n{count} programs, {replays} replays, different: {found or 'none'}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:] or ("2000",))))
