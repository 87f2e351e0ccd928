"""Calls of the engine's compiled kernels that probes need, made once before any student's code runs."""

import gc
import importlib
import json
import os
from pathlib import Path

import numpy as np

CONTENTS = "contents.json"  # beside the kernels
PROGRAMS = "*/program/probe.py"  # below labs/
OF_NUMPY = ("sum", "prod", "max", "min", "any", "all", "mean", "var", "std", "clip")
OF_TWO = ("add", "sub", "mul", "div")
OF_ONE = ("sum", "neg", "exp", "log", "relu", "clone", "mean", "sqrt", "rsqrt")
MORE = (
    lambda T, x: T.softmax(x, 0),
    lambda T, x: x.pow(2),
    lambda T, x: x.t().contiguous(),
    lambda T, x: x.mean((-1,), True) * x,
    lambda T, x: T.rsqrt((x * x).mean((-1,), True) + 0.5) * x.permute(0, 1),
    lambda T, x: x.tanh().sigmoid(),
    lambda T, x: x.max(0)[0],
    lambda T, x: x.select(0, 0).max(0)[0],
    lambda T, x: x.unbind(0)[1],
    lambda T, x: x.select(1, 0).clone().zero_(),
)


def grafting() -> None:
    """Precompute the functions that each kernel reaches and the memos of the engine, which every graft needs."""
    from engine import compiled
    from engine.utils.memos import forget_memos

    compiled.changed("cpu.loops.no_part", None)
    forget_memos()


def gpu_compiler() -> None:
    """Compile something for a GPU before students' kernels: the first compilation takes 0.25 seconds longer."""
    from autograder.examine import gpu_compiler
    from engine.cuda import driver

    gpu_compiler.warm_up(driver)


def numpy() -> None:
    """Call the NumPy methods that import modules at their first call, because students' code may not import them."""
    for method in OF_NUMPY:
        getattr(np.arange(3.0), method)(*((0, 1) if method == "clip" else ()))


def run(engine) -> None:
    """Call every operator that the probes use, with their dtypes; do nothing if the engine has no operators yet."""
    numpy()
    if not hasattr(engine, "add"):
        return
    for dtype in (engine.float32, engine.float64, engine.int64):
        x = engine.ones(2, 3).to(dtype)
        for name in OF_TWO:
            getattr(engine, name)(x, x)
            getattr(engine, name)(x, 2)
        x.sum(), x.add_(x), x.mul_(2), x.fill_(1), x.copy_(x.t().t()), x.t().clone()
        engine.matmul(x, x.t())
    numbered = engine.arange(24).as_strided((2, 3, 2), (1, 2, 9), 1)
    numbered.tolist(), numbered[0].fill_(1), numbered.permute(2, 0, 1).fill_(1), numbered[0][:, 0].fill_(1)
    for dtype in (engine.float32, engine.float64):
        x = engine.ones(2, 3).to(dtype).requires_grad_()
        for call in (*(lambda T, x, name=name: getattr(x, name)() for name in OF_ONE), *MORE):
            call(engine, x).sum().backward()
        (x * x + x / (x - 3)).sum().backward()
        engine.bmm(x.sqrt()[None], x.t()[None]).sum().backward(), x == x
        x.detach().clone().add_(1), x.detach().sum((0, 1), True)
        engine.matmul(x, x.t()).sum().backward()
    for sizes in ((3,), (2, 3), (4, 2), (2, 3, 4), (3, 4, 2), (2, 3, 4, 5), (4, 1, 3, 2)):
        turned = engine.ones(*reversed(sizes)).double().permute(*reversed(range(len(sizes))))
        for count in range(1, len(sizes) + 1):
            x = turned.detach().requires_grad_()
            (engine.rsqrt((x * x).mean(tuple(range(-count, 0)), True)) * x).sum().backward()
    for n, i, k, j in ((1, 1, 1, 1), (1, 2, 1, 3), (2, 2, 3, 2)):  # the formulas of a batched product, by themselves
        grad, one, two = (engine.ones(n, *sizes).double() for sizes in ((i, j), (i, k), (k, j)))
        grad.bmm(two.mT), one.mT.bmm(grad), grad.sum([0], True), grad.sum([0, 2], True)
    x = engine.ones(2, 3).double().requires_grad_()
    (x.max(1)[0].sum() + (x.sigmoid() * 2).sum()).float().backward()
    numbered.copy_(numbered + 1)
    engine.arange(3).to(engine.float64), numbered.to(engine.float64)
    training(engine)
    programs(engine)


def programs(engine) -> None:
    """Run the labs' programs on the whole engine, as checks do last (`Check.program`)."""
    folder = Path(__file__).resolve().parents[1] / "labs"
    for path in sorted(folder.glob(PROGRAMS)):
        name = ".".join(("autograder.labs", *path.relative_to(folder).with_suffix("").parts))
        if run := getattr(importlib.import_module(name), "run", None):
            run(engine)


def training(engine) -> None:
    """Run a training step, with every way of indexing, copying and concatenating that an answer may use."""
    for sizes in ((3, 2), (4, 3), (40, 6)):
        x, y = engine.ones(*sizes).double(), engine.ones(sizes[0]).double()
        for rows in (engine.tensor([1]), engine.tensor([2, 0])):
            weight = engine.ones(sizes[1]).double().requires_grad_()
            outputs = engine.matmul(x[rows], weight)
            difference = outputs - y[rows]
            loss = (difference * difference + outputs).mean()
            total = 0.0 + loss + (outputs[0:1] * outputs[0:1]).mean() / len(rows)
            total.backward()
            weight.detach().sub_(weight.grad * 0.5)
            losses = [loss.detach(), loss.detach()]
            engine.stack(losses).tolist(), engine.cat([loss.view(1) for loss in losses]).tolist(), loss.item()
            engine.index_select(x, 0, rows), engine.index_select(y, 0, rows), engine.stack([x[0], x[1]])
            engine.cat([x[rows[0:1]], x[rows[0:1]]]), x.clone(), x + 0.0, x.float().double(), x[[0, 1]]


def write_contents(folder: str) -> None:
    """Write JSON beside the kernels compiled so far that lists the functions whose code is in each (`contents`)."""
    with open(os.path.join(folder, CONTENTS), "w", encoding="utf-8") as file:
        json.dump(contents(), file, indent=1, sort_keys=True)


def contents() -> dict[str, list[str]]:
    """Return the engine functions whose code is in each file of numba's cache, by the file's path in the cache.

    Index files are not among them: they hold digests and types.
    """
    from numba.core.dispatcher import Dispatcher

    from engine.compiled import kernel_invalidation, numba_cache

    found: dict[str, set[str]] = {}
    for one in gc.get_objects():
        if issubclass(type(one), Dispatcher) and one.overloads:
            names = kernel_invalidation.reached(one)
            for path in numba_cache.kernels_of(one):
                found.setdefault(str(path.relative_to(numba_cache.base())), set()).update(names)
    return {path: sorted(names) for path, names in found.items()}
