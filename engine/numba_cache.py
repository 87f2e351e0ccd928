"""Where numba keeps compiled kernels, so that no two sets of parts ever share an entry.

numba keys an entry on a function's own file and bytecode, not on the functions it calls: after one run with a
student's jitted helper, its callers would be found in the cache, compiled with it, by the reference. So the
directory is named after a digest of all jitted sources, the student's included; `choose` runs before any kernel
is decorated, because numba asks for the directory at that moment. Parts that come later are not cached at all.
"""

import ast
import atexit
import hashlib
import os
import re
import shutil
import sys
import tempfile
import types
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PACKAGE_FOLDER = Path(__file__).parent
_JIT = re.compile(r"\b(n?jit|vectorize|guvectorize|stencil|cfunc|register_jitable)\b")
_IMPORTS_NUMBA = re.compile(rb"\b(from|import) numba\b")  # and not `from . import numba_cache`
_counted: dict[str, str] = {}
_disk_caches: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()


def choose(parts_folder: str | os.PathLike[str] | None = None) -> Path:
    """Set numba's cache directory for this process and return it.

    It lies below NUMBA_CACHE_DIR if the user set that, else below the user's cache directory; where that can't
    be written, in a temporary directory that goes when the process ends.

    Args:
        parts_folder: the student's parts that will be grafted at boot; None means those of ENGINE_PARTS.
    """
    import numba

    folder = parts_folder or os.environ.get("ENGINE_PARTS")
    _counted.clear()
    _counted.update(jitted_parts(Path(folder)) if folder else {})
    version = f"{numba.__version__} {sys.version}"
    chosen = _writable(base(), digest(jitted_sources() | _counted, version))
    vars(numba.config)["CACHE_DIR"] = str(chosen)
    return chosen


def jitted_sources() -> dict[str, str]:
    """Path below the package -> text, of each file with code for numba: it imports numba, or has kernels."""
    texts = sorted(_sources(str(PACKAGE_FOLDER), ""))
    return {path: text.decode() for path, text in texts if path.startswith("cpu") or _IMPORTS_NUMBA.search(text)}


def _sources(folder: str, below: str) -> Iterator[tuple[str, bytes]]:
    """(path, text) of all files but this one; not by pathlib, which would be a tenth of importing the engine."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                if below or entry.name != "numba_cache.py":
                    with open(entry.path, "rb", buffering=0) as file:
                        yield below + entry.name, file.read()
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _sources(entry.path, f"{below}{entry.name}/")


def jitted_parts(folder: Path) -> dict[str, str]:
    """Name -> text, of the parts in `folder` whose function is jitted in the engine."""
    parts = {}
    for path in sorted(folder.rglob("*.py")):
        inside = path.relative_to(folder).with_suffix("")
        engine_file = PACKAGE_FOLDER / inside.parent.with_suffix(".py") if len(inside.parts) > 1 else None
        if engine_file and engine_file.is_file() and inside.name in _jitted_names(engine_file):
            parts[".".join(inside.parts)] = path.read_text(encoding="utf-8", errors="replace")
    return parts


def digest(sources: Mapping[str, str], version: str) -> str:
    """16 hex digits that differ whenever a name, a text or the version differs."""
    made = hashlib.sha256()
    for text in (version, *(part for item in sorted(sources.items()) for part in item)):
        data = text.encode("utf-8", "surrogatepass")
        made.update(len(data).to_bytes(8, "little"))  # so that no two lists of texts are the same bytes
        made.update(data)
    return made.hexdigest()[:16]


def is_dispatcher(function: Any) -> bool:
    """Whether numba compiles this function; asked without importing numba."""
    return hasattr(function, "py_func") and hasattr(function, "overloads")


def forget_compiled(module: types.ModuleType, parts: Mapping[str, str]) -> None:
    """Drop what the jitted functions of `module` have compiled, because one of them has other code now.

    Args:
        module: whose functions; kernels call jitted functions of their own file only.
        parts: name -> text, of the parts now active in it. The disk cache stays in use only if these are
            the jitted parts that `choose` counted.
    """
    from numba.core.caching import NullCache

    prefix = module.__name__.partition(".")[2] + "."
    jitted = {name: text for name, text in parts.items() if is_dispatcher(getattr(module, name[len(prefix) :], None))}
    counted = {name: text for name, text in _counted.items() if name.rpartition(".")[0] + "." == prefix}
    for dispatcher in _dispatchers(module):
        own_cache = _disk_caches.setdefault(dispatcher, dispatcher._cache)
        dispatcher._cache = own_cache if jitted == counted else NullCache()
        dispatcher._make_finalizer()()
        dispatcher._reset_overloads()
        dispatcher.disable_compile(False)  # one with explicit signatures compiles them again when called


def _dispatchers(module: types.ModuleType) -> Iterator[Any]:
    return (value for value in tuple(vars(module).values()) if is_dispatcher(value))


def _jitted_names(engine_file: Path) -> set[str]:
    text = engine_file.read_text(encoding="utf-8")
    definitions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {node.name for node in definitions if any(_JIT.search(ast.unparse(d)) for d in node.decorator_list)}


def base() -> Path:
    """The folder below which all compiled kernels of this user lie."""
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
