"""The functions in each kernel that numba compiled, and the kernels that go when the code of one is replaced.

A kernel has the code of several functions in it: its own, those that it calls, and it was made by others ("makers").
`reached` names them all, "cpu.reduce_loops.rows". When the code of one is replaced (`changed`), everything that
holds a kernel with it (`Compiled`, memos of kernels, jitted functions, numba's own tables) lets it go, and the next
call makes it again; kernels without it stay. A kernel with replaced code is in a folder of the disk cache of its own,
named by the texts of that code, so it is found at the next start and never by the engine as it is.
"""

import contextlib
import functools
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Iterator, Set
from typing import Any, Protocol

from . import numba_cache

_PACKAGE = __name__.partition(".")[0]
_replaced: dict[str, str] = {}  # name of a function -> the text that replaces its code
_followers: dict[str, Callable[[bool], None]] = {}
_watchers: list[tuple[frozenset[str], set[str]]] = []


class KernelError(RuntimeError):
    """Raised for a kernel that numba can't compile because of replaced code; the message names the function."""


# ---- whose code is in a function


def reached(*values: Any) -> frozenset[str]:
    """Return the names of the engine's kernel functions whose code these functions contain, or may contain when called.

    Args:
        values: functions, plain or jitted; of a maker's product also the maker counts. Others reach nothing.
    """
    names: set[str] = set()
    seen: set[int] = set()
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        function = _plain(value)
        if function is None or id(function) in seen:
            continue
        seen.add(id(function))
        module = function.__globals__.get("__name__", "").partition(f"{_PACKAGE}.")[2]
        if numba_cache.has_kernels(module):
            names.add(_name_of(function, module))
            waiting += _neighbours(function)
    return frozenset(names)


def _plain(value: Any) -> types.FunctionType | None:
    """Return the function in what numba or a memo made of it."""
    while not isinstance(value, types.FunctionType):
        inside = getattr(value, "__dict__", None)
        if not isinstance(inside, dict):
            return None
        # A dispatcher of the CPU or of CUDA, a kernel of the simulator, an intrinsic, a memo.
        value = next((inside[name] for name in ("py_func", "fn", "_defn", "__wrapped__") if name in inside), None)
    return value


def _name_of(function: types.FunctionType, module: str) -> str:
    """Return "cpu.gemm.pack", the function at a module's top level that the text belongs to, also if it is replaced."""
    code = function.__code__
    if code.co_filename.startswith("<") and "." in code.co_filename:
        return code.co_filename[1:-1]
    return f"{module}.{code.co_qualname.partition('.')[0]}"


_known: "weakref.WeakKeyDictionary[types.FunctionType, tuple[types.CodeType, list[Any]]]" = weakref.WeakKeyDictionary()


def _neighbours(function: types.FunctionType) -> list[Any]:
    """Return values that a function may call, cached until its code changes."""
    known = _known.get(function)
    if known is None or known[0] is not function.__code__:
        known = _known[function] = function.__code__, list(_look_up(function))
    return known[1]


def _look_up(function: types.FunctionType) -> Iterator[Any]:
    names = set(_names_in(function.__code__))
    globals_ = function.__globals__
    values = [globals_[name] for name in names if name in globals_]
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # of a cell that is not filled yet
            values.append(cell.cell_contents)
    values += (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    for value in values:
        if isinstance(value, types.ModuleType) and value.__name__.startswith(f"{_PACKAGE}."):
            yield from (vars(value)[name] for name in names if name in vars(value))
        else:
            yield from _functions_in(value)


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _names_in(inner)


def _functions_in(value: Any, depth: int = 3) -> Iterator[Any]:
    """Yield the functions in a value: the value itself, or the functions of a tuple, list or dict."""
    if isinstance(value, tuple | list | dict) and depth:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _functions_in(item, depth - 1)
    elif isinstance(value, functools.partial):
        yield from _functions_in((value.func, *value.args), depth)
    elif _plain(value) is not None:
        yield value


# ---- holders of kernels


class Holder(Protocol):
    """An object that caches kernels, or what was made from them."""

    def forget(self, is_concerned: Callable[..., bool]) -> None:
        """Drop the cached items for whose functions `is_concerned(*functions)` returns True."""


_holders: "weakref.WeakValueDictionary[int, Holder]" = weakref.WeakValueDictionary()  # by id: a dict has no hash


def hold(holder: Holder) -> None:
    """Register a holder, to be notified when the code of a function is replaced or comes back."""
    _holders[id(holder)] = holder


class memo:
    """A cache of kernels, like `functools.cache`, that forgets only what was made from a function that is replaced.

    @memo
    def tiled_of(kind): return transpose_tiled_kernel(kind.numpy.type)
    """

    def __init__(self, make: Callable[..., Any]):
        functools.update_wrapper(self, make)
        self.make = make
        self.made: dict[tuple, Any] = {}
        hold(self)

    def __call__(self, *key: Any) -> Any:
        try:
            return self.made[key]
        except KeyError:
            made = self.made[key] = self.make(*key)
            _note(self.make, *_functions_in(made), *_functions_in(key))
            return made

    def forget(self, is_concerned: Callable[..., bool]) -> None:
        """Drop the concerned entries, as `Holder.forget` does; functions in an entry's key count, too."""
        for key, made in tuple(self.made.items()):
            if is_concerned(self.make, *_functions_in(made), *_functions_in(key)):
                del self.made[key]


# ---- compiling


def njit(function: Callable | None = None, **options: Any) -> Any:
    """Apply numba's `njit` to a kernel that may contain replaced code, with a disk cache for that code.

    As numba's it gives the dispatcher of `function`, or, without one, a decorator that does. The dispatcher's `compile`
    raises KernelError where numba can't compile the replaced code.
    """
    import numba

    def decorate(function: Callable) -> Any:
        texts = replaced_in(function)
        _note(function)
        if not texts:
            return numba.njit(**options)(function)
        dispatcher = numba.njit(**options | {"cache": False})(function)
        _bind(dispatcher, texts, is_cached=bool(options.get("cache")))
        return dispatcher

    return decorate if function is None else decorate(function)


def replaced_in(*functions: Any) -> dict[str, str]:
    """Return, by name, the texts of replaced functions whose code is in these functions."""
    return {name: _replaced[name] for name in sorted(reached(*functions) & _replaced.keys())}


def _bind(dispatcher: Any, texts: dict[str, str], is_cached: bool) -> None:
    """Let a dispatcher look in the cache of these texts, if there are any, and name them where it fails."""
    if texts and is_cached:
        dispatcher._cache = numba_cache.cache_of(dispatcher.py_func, texts)
    compile_it = type(dispatcher).compile

    def compile(sig: Any) -> Any:
        from numba.core.errors import NumbaError

        _note(dispatcher)
        try:
            return compile_it(dispatcher, sig)
        except NumbaError as error:
            if not texts:
                raise
            guilty = [name for name in texts if f"<{name}>" in str(error)] or list(texts)
            raise KernelError(f"numba can't compile a kernel with your {', '.join(guilty)}: {error}") from error

    dispatcher.compile = compile


# ---- the code of a function is replaced, or comes back


def replaced() -> tuple[str, ...]:
    """Return the names of the functions whose code is replaced, such as "strides.permute"."""
    return tuple(_replaced)


def follow(name: str, switch: Callable[[bool], None]) -> None:
    """Call `switch(is_replaced)` each time that the code of the function `name` is replaced or comes back.

    A sum by dot products runs `cpu.gemv.cascade_dot` only while that is replaced, because the engine's own is slower.
    """
    _followers[name] = switch
    if name in _replaced:
        switch(True)


def changed(name: str, source: str | None) -> None:
    """Drop the kernels compiled from the function `name`, whose text is `source` now; its own, if that is None."""
    if source is None:
        _replaced.pop(name, None)
    else:
        _replaced[name] = source
    if name in _followers:
        _followers[name](source is not None)
    if numba_cache.has_kernels(name.rpartition(".")[0]):
        _drop({name})


def _drop(names: Set[str]) -> None:
    """Drop what was compiled from the functions of these names."""
    known: dict[int, bool] = {}

    def is_concerned(*functions: Any) -> bool:
        for function in functions:
            if id(function) not in known:
                known[id(function)] = not names.isdisjoint(reached(function))
        return any(known[id(function)] for function in functions)

    for holder in tuple(_holders.values()):
        holder.forget(is_concerned)
    if "numba" in sys.modules:
        for dispatcher in _dispatchers():
            if is_concerned(dispatcher):
                _reset(dispatcher)
        _forget_typed(is_concerned)


def _dispatchers() -> Iterator[Any]:
    """Yield the jitted functions at the top level of the engine's modules, each once."""
    seen = set()
    for name, module in tuple(sys.modules.items()):
        if name.startswith(f"{_PACKAGE}.") and numba_cache.has_kernels(name.partition(".")[2]):
            for value in tuple(vars(module).values()):
                if numba_cache.is_dispatcher(value) and id(value) not in seen:
                    seen.add(id(value))
                    yield value


_own_caches: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()


def _reset(dispatcher: Any) -> None:
    """Make a jitted function forget what it compiled; it is compiled again when called."""
    if not hasattr(dispatcher, "_reset_overloads"):
        return
    dispatcher._make_finalizer()()
    dispatcher._reset_overloads()
    dispatcher.disable_compile(False)  # one with explicit signatures compiles them again when called
    own = dispatcher._cache = _own_caches.setdefault(dispatcher, dispatcher._cache)
    _bind(dispatcher, replaced_in(dispatcher), is_cached=own.cache_path is not None)


def _forget_typed(is_concerned: Callable[..., bool]) -> None:
    """Empty what numba keeps of functions under `register_jitable`: an implementation for each types of arguments."""
    from numba.core.registry import cpu_target

    typed = cpu_target.typing_context._globals
    for reference in list(typed):  # of keys: to make items or a tuple may start the collector, which takes entries out
        kind = typed.get(reference)
        kept = [memo for template in getattr(kind, "templates", ()) for memo in _kept_by(template)]
        function = reference() if isinstance(reference, weakref.ref) else reference
        if kept and isinstance(function, types.FunctionType) and is_concerned(function):
            for memo in kept:
                memo.clear()


def _kept_by(template: Any) -> Iterator[dict]:
    """Yield the caches of a template that are not empty. Most are empty, and checking that first is cheap."""
    for name in ("_impl_cache", "_compiled_overloads", "_inline_overloads"):
        if memo := getattr(template, name, None):
            yield memo


# ---- which functions are in the kernels that run


@contextlib.contextmanager
def watched(names: Iterable[str] | None = None) -> Iterator[set[str]]:
    """Collect the names whose functions' code is in the kernels that are requested inside the block.

    Compiled code makes no calls that Python sees. So kernels with these functions' code are dropped first; each is
    made, or found in the disk cache, again when it is requested, and that is noted.

    Args:
        names: names of functions; by default those that are replaced.
    """
    watcher = frozenset(_replaced if names is None else names), set[str]()
    _drop(watcher[0])
    _watchers.append(watcher)
    try:
        yield watcher[1]
    finally:
        _watchers.remove(watcher)


def _note(*functions: Any) -> None:
    """Notify the watchers that a kernel with these functions was requested."""
    for names, noted in _watchers:
        noted |= names & reached(*functions)
