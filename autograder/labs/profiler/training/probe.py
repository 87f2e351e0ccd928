"""A probe of a pass of training: a model of two lines, and everything that happened, by the engine's own recorder.

What the pass is given notes its calls as events ("batch", "model", "loss", "zero_grad", "step"), and so does every
method that reads a tensor's values ("read tolist"). Whoever goes past these has to touch the memory, and when the cell
does that, itself or by one of the methods of before, is noted, too. The operators, the nodes and the allocations are
the recorder's. Whose code touches memory is a matter of the code objects that the engine had before any cell was run:
a text that is executed can take the name of any file, and is none of them.
"""

import contextlib
import functools
import math
import os
import random
import sys
import types
import weakref
from collections.abc import Iterator
from importlib import import_module
from time import perf_counter_ns
from types import SimpleNamespace

MEMORY = tuple(os.path.join("engine", name) for name in ("storage.py", "tensor_impl.py"))
READERS = tuple(os.path.join("engine", *name) for name in (("aten", "tensor_list.py"), ("aten", "tensor_numpy.py")))
OF_A_BATCH = " of whole numbers"
READS = ("tolist", "numpy", "__array__", "untyped_storage", "accessor", "__repr__", "data_ptr", "cpu")


def numbers(examples, width, seed):
    """Make the numbers of a case: inputs (N, k), targets (N,) and weights (k,), as lists."""
    rng = random.Random(seed)
    inputs = [[rng.randint(-8, 8) / 4 for _ in range(width)] for _ in range(examples)]
    return inputs, [rng.randint(-8, 8) / 2 for _ in inputs], [rng.randint(-4, 4) / 2 for _ in range(width)]


def run(engine, examples, width, batches, rate, seed, layout="rows"):
    """Run `train_epoch` with a linear model, squared errors plus outputs as the loss, and plain gradient descent.

    Args:
        examples, width, seed: of `numbers`.
        batches: lists of numbers of examples.
        rate: of the steps.
        layout: "rows", or "columns": then the inputs are a transposed view, whose rows are not contiguous.
    Returns:
        "losses" and "weights" afterwards; "events", each (name, start, end), in the order of their starts;
        "allocations", each (time, bytes); "copied", for each copy into a tensor (its start, elements); "touched", each
        (time, number of a storage); "alive", at each call of the model of how many earlier calls a graph lived.

    The weight has a gradient already, as of somebody who had the model before.
    """
    train_epoch = import_module(f"{engine.__name__}.utils.training").train_epoch
    recorders = import_module(f"{engine.__name__}.profiler.recorder")
    for name in ("backward", "memory"):
        import_module(f"{engine.__name__}.profiler.{name}")
    values = numbers(examples, width, seed)
    x, y, weight = (engine.tensor(each, dtype=engine.float64) for each in values)
    if layout == "columns":
        x = engine.tensor([list(column) for column in zip(*values[0], strict=True)], dtype=engine.float64).t()
    weight.requires_grad_()
    weight.grad = engine.ones_like(weight, requires_grad=False)
    recorder = recorders.Recorder(recorders.Config(profile_memory=True, record_shapes=True))
    given = Given(engine, recorder, weight, rate)
    storage = import_module(f"{engine.__name__}.storage").UntypedStorage
    with _reads_noted(engine.Tensor, recorder), _touches_noted(engine.Tensor, storage) as touched:
        recorder.start()
        try:
            losses = train_epoch(given.model, given.loss, given.optimizer(), x, y, given.batches(batches))
        finally:
            recording = recorder.stop()
    return {
        "losses": _described(losses),
        "weights": weight.detach().tolist(),
        "inputs": x.tolist(),
        "targets": y.tolist(),
        "events": [(event.name, event.start, event.end) for event in recording.events],
        "allocations": [(one.time, one.nbytes) for one in recording.allocations],
        "copied": [
            (one.start, math.prod(one.inputs[0].sizes)) for one in recording.events if one.name == "aten::copy_"
        ],
        "touched": [one for one in touched if recording.start <= one[0] <= recording.end],
        "alive": given.alive,
    }


def _described(losses):
    """Return a list of floats unchanged, and describe anything else in words."""
    if type(losses) is not list:
        return "None" if losses is None else f"a {type(losses).__name__}"
    odd = [type(one).__name__ for one in losses if type(one) is not float]
    return f"a list in which there is a {odd[0]}" if odd else losses


class Given:
    """The model, loss function, optimizer and batches that `train_epoch` is given."""

    def __init__(self, engine, recorder, weight, rate):
        self.engine, self.recorder, self.weight, self.rate = engine, recorder, weight, rate
        self.graphs, self.alive = [], []

    @contextlib.contextmanager
    def noted(self, name):
        record = self.recorder.annotate(name)
        try:
            yield
        finally:
            self.recorder.end(record)

    def batches(self, rows):
        for batch in rows:
            with self.noted("batch"):
                made = self.engine.tensor(batch)
            yield made

    def model(self, inputs):
        with self.noted("model"):
            self.alive.append(len({step for step, graph in self.graphs if graph() is not None}))
            outputs = self.engine.matmul(inputs, self.weight)
            if outputs.grad_fn is not None:
                self.graphs.append((len(self.alive), weakref.ref(outputs.grad_fn)))
            return outputs

    def loss(self, outputs, targets):
        with self.noted("loss"):
            difference = outputs - targets
            mean = (difference * difference + outputs).mean()
            self.graphs.append((len(self.alive), weakref.ref(mean.grad_fn)))
            return mean

    def optimizer(self):
        """Make an optimizer that has only the functions `zero_grad` and `step`."""

        def zero_grad():
            with self.noted("zero_grad"):
                self.weight.grad = None

        def step():
            with self.noted("step"), self.engine.no_grad():
                if self.weight.grad is not None:
                    self.weight.sub_(self.weight.grad * self.rate)

        return SimpleNamespace(zero_grad=zero_grad, step=step)


def _what(tensor):
    return OF_A_BATCH if str(getattr(tensor, "dtype", "")).endswith("int64") else ""


@contextlib.contextmanager
def _reads_noted(tensor, recorder):
    """Record an event for each call of a method that shows a tensor's values, inside the block."""
    originals = {name: getattr(tensor, name) for name in READS}
    own = {name: vars(tensor)[name] for name in READS if name in vars(tensor)}

    def noting(name, original):
        def read(*arguments, **keywords):
            record = recorder.annotate(f"read {name}{_what(arguments[0])}") if recorder.is_on() else None
            try:
                return original(*arguments, **keywords)
            finally:
                recorder.end(record)

        return read

    for name, original in originals.items():
        setattr(tensor, name, noting(name, original))
    try:
        yield
    finally:
        for name in originals:
            setattr(tensor, name, own[name]) if name in own else delattr(tensor, name)


@functools.cache
def codes_of(name):
    """Return the ids of the code objects of all functions that a package's modules hold, also in dicts and closures."""
    modules = [vars(module) for path, module in list(sys.modules.items()) if path.partition(".")[0] == name]
    waiting, seen, found = list(modules), set(), set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, types.CodeType):
            found.add(id(one))
            _kept.append(one)  # no other code gets its number
        waiting += _held(one)
    return frozenset(found)


_kept: list[types.CodeType] = []
BEFORE_CELL = {"utils.training.train_epoch": lambda engine: codes_of(engine.__name__)}


def _held(one) -> Iterator:
    """Yield the objects inside one that may hold functions."""
    if isinstance(one, types.CodeType):
        yield from (constant for constant in one.co_consts if isinstance(constant, types.CodeType))
    elif isinstance(one, types.FunctionType):
        cells = (cell.cell_contents for cell in one.__closure__ or () if cell != types.CellType())
        yield from (one.__code__, getattr(one, "__wrapped__", None), *cells)
    elif isinstance(one, type):
        yield from vars(one).values() if one.__module__.startswith("engine") else ()
    elif isinstance(one, dict):
        yield from one.values()
    elif isinstance(one, (list, tuple, set, frozenset)):
        yield from one
    elif isinstance(one, (staticmethod, classmethod, types.MethodType)):
        yield one.__func__
    elif isinstance(one, property):
        yield from (one.fget, one.fset)
    elif isinstance(one, functools.partial):
        yield from (one.func, *one.args)
    elif type(one).__module__.startswith("engine") and hasattr(type(one), "__dict__"):
        yield from getattr(one, "__dict__", {}).values()
        yield getattr(one, "__wrapped__", None)
        yield getattr(one, "py_func", None)


def _reads(frame, known):
    """Return True if a frame that touches memory is not the engine's, or is a function that shows values."""
    while frame is not None and id(frame.f_code) in known and frame.f_code.co_filename.endswith(MEMORY):
        frame = frame.f_back
    return frame is not None and (id(frame.f_code) not in known or frame.f_code.co_filename.endswith(READERS))


@contextlib.contextmanager
def _touches_noted(tensor, storage):
    """Record inside the block when the student's code accesses memory; yield a list of (time, storage number)."""
    known = codes_of(tensor.__module__.partition(".")[0])
    elements, cells = vars(tensor)["_elements"], vars(storage)["_cells"]
    numbers, touched = {}, []

    def noting(slot, storage_of):
        def touch(holder):
            if _reads(sys._getframe(1), known):
                number = numbers.setdefault(id(storage_of(holder)), len(numbers))
                touched.append((perf_counter_ns(), number))
            return slot.__get__(holder)

        return property(touch, slot.__set__, slot.__delete__)

    tensor._elements = noting(elements, lambda holder: holder._storage)
    storage._cells = noting(cells, lambda holder: holder)
    try:
        yield touched
    finally:
        tensor._elements, storage._cells = elements, cells
