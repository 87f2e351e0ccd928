"""numba's compiler for GPUs beside its simulator: can what ran here become code for a GPU?

numba has one module `numba.cuda`, which is the simulator where there is no GPU. The real one is imported all the same,
under the same name and only while it is needed. It is given a copy of a kernel in which the simulator's objects are
replaced by what a GPU would have, infers the types, and makes LLVM's code of it. No GPU, driver or NVVM takes part, so
nothing is known of what they would refuse: too many registers, or more shared memory than a block may have.
"""

import contextlib
import importlib
import inspect
import sys
import threading
import types
from collections.abc import Iterator
from typing import Any

NAME = "numba.cuda"
MODULES = (NAME, f"{NAME}.compiler", f"{NAME}.descriptor", f"{NAME}.extending")
COMPUTE_CAPABILITY = (8, 0)

_real: dict[str, types.ModuleType] = {}  # all modules of the real numba.cuda by name, once it is imported
_intrinsics: dict[int, Any] = {}  # by id of what the simulator calls
_one_at_a_time = threading.RLock()


def compile_for_gpu(function: Any, arguments: tuple, driver: types.ModuleType) -> None:
    """Raise the compiler's error unless numba can compile a kernel for a GPU with arguments of these types.

    Args:
        function: the one in Python under `@cuda.jit`, with names as the simulator has them.
        driver: the engine's module `cuda.driver`.
    Raises:
        Exception: what numba raised.
    """
    from numba import typeof
    from numba import types as kinds
    from numba.core.typing.typeof import Purpose

    signature = tuple(typeof(argument, Purpose.argument) for argument in arguments)
    simulator = sys.modules.get(NAME)
    with real_cuda() as cuda:
        if driver.is_simulated():
            _intrinsics.update(_intrinsics or driver.intrinsics())
            function = _Translation(driver, {id(simulator): cuda, **_intrinsics}, cuda.jit).of(function)
        compiler = importlib.import_module(f"{NAME}.compiler")
        compiler.compile_cuda(function, kinds.void, signature, cc=COMPUTE_CAPABILITY)


def warm_up(driver: types.ModuleType) -> None:
    """Import the real numba.cuda and compile a small kernel: the first time takes a quarter of a second longer."""
    import numpy as np

    cuda = driver.cuda

    def double(out, x, n):
        cells = cuda.shared.array(32, np.float32)
        i = cuda.grid(1)
        if i < n:
            cells[i] = max(x[i], np.float32(0))
            cuda.syncthreads()
            out[i] = 2 * cells[i]

    x = np.zeros(4, np.float32)
    compile_for_gpu(double, (x, x, 4), driver)


# ---- the real numba.cuda


@contextlib.contextmanager
def real_cuda() -> Iterator[Any]:
    """Yield the module `numba.cuda` for GPUs, which `import numba.cuda` also returns inside this block."""
    numba: Any = importlib.import_module("numba")
    if not numba.config.ENABLE_CUDASIM:
        yield importlib.import_module(NAME)
        return
    with _one_at_a_time:
        attribute, simulator = numba.cuda, _taken_out()
        try:
            if _real:
                sys.modules.update(_real)
                numba.cuda = _real[NAME]
            else:
                _import(numba)
            yield sys.modules[NAME]
        finally:
            _real.update(_taken_out())
            sys.modules.update(simulator)
            numba.cuda = attribute


def _taken_out() -> dict[str, types.ModuleType]:
    """Return the modules of numba.cuda that are imported now, by name; afterwards none is."""
    return {name: sys.modules.pop(name) for name in list(sys.modules) if f"{name}.".startswith(f"{NAME}.")}


def _import(numba: Any) -> None:
    """Import the real modules for the first time, and tell them that there is no simulator and which GPU there is."""
    from numba.core.target_extension import dispatcher_registry, jit_registry, target_registry

    del numba.cuda
    numba.config.ENABLE_CUDASIM = 0
    for registry in (jit_registry, dispatcher_registry):  # another program may have imported it before the engine
        registry.pop(target_registry["cuda"], None)
    try:
        for name in MODULES:
            importlib.import_module(name)
    finally:
        numba.config.ENABLE_CUDASIM = 1
    # From its environment numba sets the simulator on again whenever it compiles.
    settings = types.SimpleNamespace(**{**vars(numba.config), "ENABLE_CUDASIM": 0})
    vars(sys.modules[f"{NAME}.decorators"])["config"] = settings
    device = types.SimpleNamespace(compute_capability=COMPUTE_CAPABILITY)
    nvvm = sys.modules[f"{NAME}.cudadrv.nvvm"]
    layout, versions = vars(nvvm)["_datalayout_i128"], (2, 0, 3, 1)
    asked = types.SimpleNamespace(data_layout=layout, get_ir_version=lambda: versions)
    vars(nvvm)["NVVM"] = lambda: asked  # what is read of it before it compiles; few machines have the library
    dispatcher = sys.modules[f"{NAME}.dispatcher"]
    vars(dispatcher)["get_current_device"] = lambda: device
    _let_arguments_be_left_out(dispatcher.CUDADispatcher)  # type: ignore[attr-defined]


def _let_arguments_be_left_out(dispatcher: Any) -> None:
    """Let device functions have `*args` and defaults, as numba's own `min`, `max` and `sum` have.

    The package numba-cuda can do it; the numba.cuda that comes with numba, which is no longer developed, cannot.
    """
    get_call_template = dispatcher.get_call_template

    def folding(self: Any, args: Any, kws: Any) -> Any:
        code = self.py_func.__code__
        if code.co_flags & inspect.CO_VARARGS or len(args) != code.co_argcount:
            args, kws = self._compiler.fold_argument_types(args, kws)[1], {}
        return get_call_template(self, args, kws)

    dispatcher.get_call_template = folding


# ---- from what the simulator runs to what a GPU would


class _Translation:
    """Copies of functions in which every name of the simulator's means what a GPU has.

    Args:
        instead: by id of a global or captured value, its replacement.
        jit: makes a device function, `cuda.jit`.
    """

    def __init__(self, driver: types.ModuleType, instead: dict[int, Any], jit: Any):
        self._driver = driver
        self._made = instead
        self._jit = jit

    def of(self, function: types.FunctionType) -> types.FunctionType:
        """Return the same code with other globals and another closure."""
        return self._filled(_copy(function), function)

    def _filled(self, made: types.FunctionType, function: types.FunctionType) -> types.FunctionType:
        scope = made.__globals__
        for name in names_of(function.__code__) & scope.keys():
            scope[name] = self._value(scope[name])
        for cell, of in zip(made.__closure__ or (), function.__closure__ or (), strict=True):
            with contextlib.suppress(ValueError):  # a name that has no value yet
                cell.cell_contents = self._value(of.cell_contents)
        return made

    def _value(self, value: Any) -> Any:
        function = plain_of(value)
        is_device_function = function is not value or self._driver.is_device_function(value)
        if isinstance(function, types.FunctionType) and is_device_function and id(value) not in self._made:
            copy = _copy(function)
            self._made[id(value)] = self._jit(device=True)(copy)  # before what it calls: perhaps itself
            self._filled(copy, function)
        return self._made.get(id(value), value)


def plain_of(value: Any) -> Any:
    """Return the Python function under `@cuda.jit`; return any other value unchanged."""
    return getattr(value, "py_func", value) if "cuda" in type(value).__module__ else value


def reached(function: types.FunctionType) -> set[types.CodeType]:
    """Return the code objects of a kernel and of all functions that it names or captures, directly or indirectly."""
    found: set[types.CodeType] = set()
    waiting: list[Any] = [function]
    while waiting:
        value = waiting.pop()
        one = plain_of(value)
        if isinstance(one, types.FunctionType) and one.__code__ not in found:
            found.add(one.__code__)
            waiting += _values_of(one)
    return found


def _values_of(function: types.FunctionType) -> Iterator[Any]:
    """Yield the globals that a function names, and what it has captured."""
    scope = function.__globals__
    yield from (scope[name] for name in names_of(function.__code__) & scope.keys())
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):
            yield cell.cell_contents


def names_of(code: types.CodeType) -> set[str]:
    """Return the names of globals and attributes in a code object and in the functions within it."""
    inner = (names_of(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*inner)


def _copy(function: types.FunctionType) -> types.FunctionType:
    """Return the function with globals of its own and an empty closure."""
    cells = tuple(types.CellType() for _ in function.__closure__ or ()) or None
    made = types.FunctionType(
        function.__code__, dict(function.__globals__), function.__name__, function.__defaults__, cells
    )
    for name in ("__kwdefaults__", "__module__", "__qualname__"):
        setattr(made, name, getattr(function, name))
    return made
