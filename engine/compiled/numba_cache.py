"""The directories where numba keeps compiled kernels, so that no two texts of a function ever share an entry.

numba keys an entry on a function's own file and bytecode, not on the functions it calls: after one run with a jitted
helper that is replaced, its callers would be found in the cache, compiled with it, by the engine as it is. So the
directory is named after a digest of all jitted sources; `choose` runs before any kernel is decorated, because numba
reads the directory at that moment. A kernel with replaced code in it has another directory, named after the texts of
that code besides (`cache_of`). The newest of those are kept.
"""

import atexit
import contextlib
import functools
import hashlib
import os
import re
import shutil
import sys
import tempfile
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PACKAGE_FOLDER = Path(__file__).parents[1]
_IMPORTS_NUMBA = re.compile(rb"\b(from|import) numba\b")  # and not `from . import numba_cache`
REPLACED = "replaced-"  # begins the name of a directory of kernels with replaced code
MOST = 128  # of such directories
_chosen: Path | None = None  # the directory that `choose` chose
keeps_replaced = True  # where thousands of texts are tried once each, nothing of them is kept
_has_kernels: dict[str, bool] = {}


def choose() -> Path:
    """Set numba's cache directory for this process, and return it.

    It is below NUMBA_CACHE_DIR if the user set that, else below the user's cache directory; where that can't
    be written, in a temporary directory that goes when the process ends. Its name is the digest, or what
    ENGINE_KERNELS says, for a copy of the engine whose files are not those that it runs.
    """
    global _chosen
    import numba
    from numba.core import caching

    class Locator(caching.UserProvidedCacheLocator):
        """Locator of the kernels of an engine's file; numba's own would read each file to see whether it has changed.

        The path is relative to the package: equal sources share their kernels, wherever the engine is installed.
        """

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            # numba forgets it whenever a variable NUMBA_... of the environment changes, such as the simulator's.
            vars(numba.config)["CACHE_DIR"] = str(chosen)
            is_ours = py_file.startswith(f"{PACKAGE_FOLDER}{os.sep}")
            return super().from_function(py_func, py_file) if is_ours else None

        @classmethod
        def get_suitable_cache_subpath(cls, py_file: str) -> str:
            return os.path.relpath(os.path.dirname(py_file), PACKAGE_FOLDER)

        def get_source_stamp(self) -> str:
            return ""  # the texts are in the directory's name

    caching.CacheImpl._locator_classes.insert(0, Locator)
    name = os.environ.get("ENGINE_KERNELS") or digest(jitted_sources(), f"{numba.__version__} {sys.version}")
    chosen = _chosen = _writable(base(), name)
    vars(numba.config)["CACHE_DIR"] = str(chosen)
    return chosen


def directory() -> Path:
    """Return the directory that `choose` chose."""
    assert _chosen is not None, "numba_cache.choose() comes first"
    return _chosen


def index_of(dispatcher: Any) -> Path | None:
    """Return the index file of a jitted function's disk cache, shared by functions of its name; None if missing."""
    file = getattr(dispatcher._cache, "_cache_file", None)
    return Path(file._index_path) if file and os.path.isfile(file._index_path) else None


def kernels_of(dispatcher: Any) -> list[Path]:
    """Return the disk cache's files for the kernels of a jitted function; an empty list if it is not cached."""
    if index_of(dispatcher) is None:
        return []
    cache, codegen = dispatcher._cache, dispatcher.targetctx.codegen()
    index = cache._cache_file._load_index()
    asked = [sig for args, made in dispatcher.overloads.items() for sig in (args, made.signature)]
    names = {index.get(cache._index_key(sig, codegen)) for sig in asked} - {None}
    paths = [Path(cache._cache_file._data_path(name)) for name in sorted(names)]
    return [path for path in paths if path.is_file()]


def jitted_sources() -> dict[str, str]:
    """Return the source of files with code for numba, by path below the package: they import numba, or have kernels."""
    texts = sorted(_sources(str(PACKAGE_FOLDER), ""))
    return {path: text.decode() for path, text in texts if path.startswith("cpu") or _IMPORTS_NUMBA.search(text)}


def _sources(folder: str, below: str) -> Iterator[tuple[str, bytes]]:
    """Yield (path, text) of all files but this one, without pathlib, which would be a tenth of importing the engine."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                if f"{below}{entry.name}" != "compiled/numba_cache.py":
                    with open(entry.path, "rb", buffering=0) as file:
                        yield below + entry.name, file.read()
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _sources(entry.path, f"{below}{entry.name}/")


def digest(sources: Mapping[str, str], version: str) -> str:
    """Return a digest of the names, the texts and the version, as 16 hex digits."""
    made = hashlib.sha256()
    for text in (version, *(part for item in sorted(sources.items()) for part in item)):
        data = text.encode("utf-8", "surrogatepass")
        made.update(len(data).to_bytes(8, "little"))  # so that no two lists of texts are the same bytes
        made.update(data)
    return made.hexdigest()[:16]


def is_dispatcher(function: Any) -> bool:
    """Return True if a function is compiled by numba, without importing numba."""
    return hasattr(function, "py_func") and hasattr(function, "overloads")


def has_kernels(module: str) -> bool:
    """Return True if a module below the package, such as "cpu.gemm", may have code for numba."""
    if module.startswith(("cpu.", "cuda.")):
        return True
    if module not in _has_kernels:
        file = PACKAGE_FOLDER / f"{module.replace('.', '/')}.py"
        _has_kernels[module] = file.is_file() and bool(_IMPORTS_NUMBA.search(file.read_bytes()))
    return _has_kernels[module]


def cache_of(function: types.FunctionType, texts: Mapping[str, str]) -> Any:
    """Return numba's cache for a kernel with replaced code, or one that stores nothing if it can't be written.

    Args:
        texts: name of a replaced function -> its text.
    """
    from numba.core import caching

    if not keeps_replaced or _chosen is None:
        return caching.NullCache()
    folder = _chosen.parent / f"{REPLACED}{digest(texts, _chosen.name)}"
    try:
        if not folder.is_dir():
            _keep_newest(_chosen.parent)
        folder.mkdir(parents=True, exist_ok=True)
        folder.touch()
        return _cache_class()(function, str(folder))
    except OSError:
        return caching.NullCache()


def _keep_newest(folder: Path) -> None:
    """Make room for one more directory of kernels with replaced code."""
    found = sorted(folder.glob(f"{REPLACED}*"), key=_last_used)
    for path in found[: max(0, len(found) + 1 - MOST)]:
        shutil.rmtree(path, ignore_errors=True)


def _last_used(path: Path) -> float:
    """Return when a directory was last used, in seconds; 0 if another process has removed it meanwhile."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


@functools.cache
def _cache_class() -> type:
    """Build numba's file cache for a given directory. Its own finds one by a file, which replaced code lacks."""
    from numba.core import caching

    class Locator(caching._CacheLocator):
        def __init__(self, folder: str, line: int):
            self.folder, self.line = folder, line

        def get_cache_path(self) -> str:
            return self.folder

        def get_source_stamp(self) -> str:
            return ""  # the texts are in the directory's name

        def get_disambiguator(self) -> str:
            return str(self.line)

    class Implementation(caching.CompileResultCacheImpl):
        def __init__(self, function: types.FunctionType, folder: str):
            line = function.__code__.co_firstlineno
            self._lineno, self._locator = line, Locator(folder, line)
            version = "".join(map(str, sys.version_info[:2]))
            name = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")
            self._filename_base = f"{name}-{line}.py{version}"

        def check_cachable(self, compiled: Any) -> bool:
            return not (compiled.lifted or compiled.library.has_dynamic_globals)

    class ReplacedCache(caching.Cache):
        def __init__(self, function: types.FunctionType, folder: str):
            self._name, self._py_func = repr(function), function
            self._impl, self._cache_path = Implementation(function, folder), folder
            self._cache_file = caching.IndexDataCacheFile(folder, self._impl.filename_base, "")
            self.enable()

        def _index_key(self, signature: Any, codegen: Any) -> Any:
            try:
                return super()._index_key(signature, codegen)
            except Exception:  # what a kernel encloses may be anything, and need not be what pickle can write
                self.disable()
                return None

        def save_overload(self, signature: Any, compiled: Any) -> None:
            # A full disk, a directory that another process made room with: the kernel is there all the same.
            with contextlib.suppress(OSError):
                super().save_overload(signature, compiled)

    return ReplacedCache


def base() -> Path:
    """Return the directory of all compiled kernels of this user."""
    explicit = os.environ.get("NUMBA_CACHE_DIR")
    if explicit:
        return Path(explicit)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home) / "inside-the-tensor" / "numba"


def _writable(base: Path, name: str) -> Path:
    try:
        folder = base / name
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        return folder
    except OSError:
        temporary = tempfile.mkdtemp(prefix="inside-the-tensor-numba-")
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        return Path(temporary) / name
