"""The engine on device "cuda" against itself on the CPU: `python -m conformance.devices [--op NAME] [--most N]`.

PyTorch's own operator test inputs, forward (float32, int64, bool) and backward (float64, random cotangents). Results
must have the same dtype and sizes, be on the device, and hold the same values within assert_close's bounds; an input
that the CPU refuses must be refused with the same type of error. No kernel of the CPU may run meanwhile, but for copies
between the two. Under the simulator only small inputs are taken.
Exit status 1 below 97%.
"""

import argparse
import importlib
import pkgutil
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from autograder.progress_bar import ProgressBar, begin

if __name__ == "__main__":
    begin("loading PyTorch and its test inputs", interrupted="nothing was decided")

import numpy as np
import torch

import engine
from engine.aten.stubs import DispatchStub

from . import op_db, scope
from .calls import same
from .derivatives import cotangent
from .forms import Form, forms
from .frozen import FrozenTensor, Sample, Thawed, tensors
from .operators import patience

AIM = 0.97
CELLS = 128  # of all tensors of a sample together, at most, where kernels are simulated
DTYPES = (torch.float32, torch.int64, torch.bool)
ALLOWED = ("copy_stub", "fill_stub")  # a number on its way to the device is a tensor on the CPU first


class CPUKernels:
    """Every stub's kernel for the CPU, behind a guard that notes which ones run while it is on."""

    def __init__(self) -> None:
        self.is_on, self.ran = False, set[str]()
        package = engine.aten.native
        modules = [
            importlib.import_module(f"{package.__name__}.{m.name}") for m in pkgutil.iter_modules(package.__path__)
        ]
        for stub in {value for module in modules for value in vars(module).values() if isinstance(value, DispatchStub)}:
            if stub.name not in ALLOWED and "cpu" in stub.kernels:
                stub.kernels["cpu"] = self._guarded(stub.name, stub.kernels["cpu"])

    def _guarded(self, name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            if self.is_on:
                self.ran.add(name)
            return kernel(*arguments)

        return call

    def __enter__(self) -> set[str]:
        self.is_on, self.ran = True, set()
        return self.ran

    def __exit__(self, *_: object) -> None:
        self.is_on = False


CPU_KERNELS = CPUKernels()


class ThawedOn(Thawed):
    """The values of a sample with its tensors on a device."""

    def __init__(self, device: str):
        super().__init__(engine, with_leaves=True)
        self.device = device

    def thaw(self, value: Any) -> Any:
        if isinstance(value, str) and value == "cpu":
            return self.device
        return super().thaw(value)

    def _tensor(self, frozen: FrozenTensor) -> Any:
        if frozen.storage not in self.storages and frozen.device == "cpu":
            flat = engine.from_numpy(frozen.cells.copy())
            self.storages[frozen.storage] = flat.clone() if self.device == "cpu" else flat.to(self.device)
        return super()._tensor(frozen)


@dataclass
class Row:
    """The outcome of an operator's samples."""

    name: str
    samples: int = 0
    failed: int = 0
    failures: list[str] = field(default_factory=list)


def run(name: str, most: int | None, cells: int | None) -> Row:
    """All small samples of an operator on both devices."""
    info, row = op_db.INFOS[name], Row(name)
    kind = scope.OPERATORS.get(name) or scope.LATER[name]
    form = next(iter(forms(info).values()))
    for sample in _samples(info, most, cells):
        if kind == scope.RANDOM or scope.reason(name, sample):
            continue
        row.samples += 1
        try:
            with patience():
                with CPU_KERNELS as ran:
                    ours = outcome("cuda", form, sample)
                found = difference(ours, outcome("cpu", form, sample), kind)
                if ran and not ours.error:
                    found = f"kernels of the CPU ran: {', '.join(sorted(ran))}. {found}"
        except Exception:
            found = traceback.format_exc()
        if found:
            row.failed += 1
            row.failures.append(f"{sample.input} {sample.args} {sample.kwargs}: {found}")
    return row


def _samples(info: Any, most: int | None, cells: int | None) -> Iterator[Sample]:
    for dtype in DTYPES:
        if dtype in op_db.dtypes(info):
            yield from _small((sample for sample, _ in op_db.samples(info, dtype, most or 10_000)), cells)
    if torch.float64 in op_db.dtypes(info) and info.supports_autograd:
        yield from _small((sample for sample, _ in op_db.differentiated(info, most or 10_000)), cells)


def _small(samples: Iterator[Sample | None], cells: int | None) -> Iterator[Sample]:
    for sample in samples:
        if (
            sample
            and _is_on_a_device(sample)
            and (cells is None or sum(tensor.cells.size for tensor in tensors(sample.all)) <= cells)
        ):
            yield sample


def _is_on_a_device(sample: Sample) -> bool:
    """Return whether it names a device: a factory without a tensor or a device argument makes a CPU tensor."""
    return "device" in sample.kwargs or any(tensors(sample.all))


@dataclass
class Outcome:
    """The outcome of a call: an error's type, or the results and the gradients."""

    error: str = ""
    results: list[Any] = field(default_factory=list)
    gradients: list[Any] = field(default_factory=list)
    device: str = ""


def outcome(device: str, form: Form, sample: Sample) -> Outcome:
    """Call `form` with the tensors of a sample on a device, and differentiate what requires grad."""
    thawed = ThawedOn(device)
    values = thawed.thaw(sample.input), thawed.thaw(sample.args), thawed.thaw(sample.kwargs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine.manual_seed(0)
        try:
            results = list(_flat(form(engine, *values)))
            outputs = [result for result in results if isinstance(result, engine.Tensor) and result.requires_grad]
            gradients = []
            if outputs and thawed.leaves:
                cotangents = [cotangent(engine, output, at).to(device) for at, output in enumerate(outputs)]
                gradients = engine.autograd.grad(outputs, thawed.leaves, cotangents, allow_unused=True)
        except Exception as error:
            return Outcome(error=f"{type(error).__name__}: {str(error)[:300]}")
    on = {result.device.type for result in (*results, *gradients) if isinstance(result, engine.Tensor)}
    return Outcome("", [_seen(r) for r in results], [_seen(g) for g in gradients], ", ".join(sorted(on)))


def _flat(result: Any) -> Iterator[Any]:
    if isinstance(result, (list, tuple)):
        for entry in result:
            yield from _flat(entry)
    else:
        yield result


def _seen(value: Any) -> Any:
    return value.detach().cpu().numpy() if isinstance(value, engine.Tensor) else value


def difference(ours: Outcome, theirs: Outcome, kind: str) -> str:
    """Return the difference between a device and the CPU, "" if there is none."""
    if ours.error or theirs.error:
        alike = ours.error.partition(":")[0] == theirs.error.partition(":")[0]
        return "" if alike else f"cuda {ours.error or 'is fine'} | cpu {theirs.error or 'is fine'}"
    if ours.device not in ("cuda", ""):
        return f"results lie on {ours.device}"
    for part in ("results", "gradients"):
        one, other = getattr(ours, part), getattr(theirs, part)
        if len(one) != len(other):
            return f"{len(one)} {part} | cpu {len(other)}"
        for a, b in zip(one, other, strict=True):
            if isinstance(b, np.ndarray) and kind != scope.EMPTY:
                coarse = any(values.dtype == np.float32 for values in other if isinstance(values, np.ndarray))
                if not isinstance(a, np.ndarray) or not same(a, b, exact=False, coarse=coarse):
                    return f"{part}: cuda {a} | cpu {b}"
            elif not isinstance(b, np.ndarray) and a != b and a == a:
                return f"{part}: cuda {a} | cpu {b}"
    return ""


def main() -> int:
    options = _options()
    rows, cells = [], options.cells
    if cells is None and engine.cuda.is_simulated():
        cells = CELLS
    names = options.op or scope.names()
    with ProgressBar("operators", len(names)) as bar:
        for name in names:
            bar.step(name)
            rows.append(row := run(name, options.most, cells))
            print(f"{name:<40}{row.samples - row.failed:>6} of {row.samples}", flush=True)
            for failure in row.failures[: options.show]:
                print("    ", failure, flush=True)
    samples, failed = sum(row.samples for row in rows), sum(row.failed for row in rows)
    print(f"{samples - failed} of {samples} agree ({(samples - failed) / max(samples, 1):.2%}), "
          f"{sum(not row.failed for row in rows)} of {len(rows)} operators without a difference")  # fmt: skip
    return 0 if failed <= (1 - AIM) * samples else 1


def _options() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--op", action="append", help="only this operator (repeatable)")
    arguments.add_argument("--most", type=int, help="samples of each dtype (all)")
    arguments.add_argument("--cells", type=int, default=None, help="elements of a sample's tensors, at most")
    arguments.add_argument("--show", type=int, default=3, help="failures of an operator that are printed")
    return arguments.parse_args()


if __name__ == "__main__":
    sys.exit(main())
