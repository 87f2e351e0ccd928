"""The engine as it enters the sandbox: without the lab's answers and without the labs to come.

    <image>/engine/...                     bodies of the lab's exercises blanked, later modules left out
    <image>/autograder/probes/, plain.py   next to a worker's code, and nothing else of the autograder

Made once per process in a folder of ours that the sandbox mounts read-only.
"""

import ast
import compileall
import functools
import hashlib
import importlib
import py_compile
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from multiprocessing.util import Finalize
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
GUEST_FILES = ("plain.py", "sandbox/wire.py", "sandbox/worker.py", "sandbox/zygote.py")


def build(lab: str, exercises: Mapping[str, tuple[str, ...]]) -> Path:
    """Folder of the image for a lab.

    Args:
        lab: "01-strides"; modules of labs with a higher number stay out.
        exercises: the lab's exercises by name, and of a class the methods that the student writes.
    """
    return _build(_digest(), lab, tuple(exercises.items()))


@functools.cache
def _build(digest: str, lab: str, exercises: tuple[tuple[str, tuple[str, ...]], ...]) -> Path:
    image = Path(tempfile.mkdtemp(prefix="inside-the-tensor-image-"))
    # Not atexit, which a process that multiprocessing has forked does not run.
    Finalize(None, shutil.rmtree, (image,), {"ignore_errors": True}, exitpriority=0)
    blanks = _by_file(exercises)
    for path in engine_files(int(lab.split("-")[0])):
        target = image / path
        target.parent.mkdir(parents=True, exist_ok=True)
        source = (REPOSITORY / path).read_text(encoding="utf-8")
        target.write_text(blank(source, blanks.pop(path, {})), encoding="utf-8")
    if blanks:
        raise ValueError(f"exercises in modules that are not part of the engine of lab {lab}: {sorted(blanks)}")
    _copy_autograder(image / "autograder")
    # The sandbox can't write bytecode, and the folder's owner is not its user: make it now, readable to all.
    compileall.compile_dir(image, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    for entry in (image, *image.rglob("*")):
        entry.chmod(0o755 if entry.is_dir() else 0o644)
    return image


def blank(source: str, exercises: Mapping[str, tuple[str, ...]]) -> str:
    """A module's text with the bodies of the exercises replaced by NotImplementedError, docstrings kept.

    Args:
        source: text of the module.
        exercises: qualified names; of a class the methods to blank.
    Raises:
        ValueError: the module has no such function or method.

    >>> print(blank("def f(x):\\n    'Doc.'\\n    return x", {"f": ()}))
    def f(x):
        \"\"\"Doc.\"\"\"
        raise NotImplementedError('f')
    """
    if not exercises:
        return source
    tree = ast.parse(source)
    for name, methods in exercises.items():
        definition = _definition(tree, name)
        if isinstance(definition, ast.FunctionDef):
            _blank(definition, name)
            continue
        if not methods:
            raise ValueError(f"{name} is a class: which of its methods does the student write?")
        for method in methods:
            _blank(_definition(definition, method), f"{name}.{method}")
    return ast.unparse(ast.fix_missing_locations(tree))


def _definition(parent: ast.Module | ast.ClassDef | ast.FunctionDef, name: str) -> ast.ClassDef | ast.FunctionDef:
    for node in parent.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name:
            return node
    raise ValueError(f"there is no {name} to blank")


def _blank(definition: ast.ClassDef | ast.FunctionDef, name: str) -> None:
    docstring = definition.body[:1] if ast.get_docstring(definition) is not None else []
    definition.body = [*docstring, *ast.parse(f"raise NotImplementedError({name!r})").body]


def _by_file(exercises: Iterable[tuple[str, tuple[str, ...]]]) -> dict[Path, dict[str, tuple[str, ...]]]:
    found: dict[Path, dict[str, tuple[str, ...]]] = {}
    for exercise, methods in exercises:
        *modules, name = exercise.split(".")
        found.setdefault(Path("engine", *modules).with_suffix(".py"), {})[name] = methods
    return found


def engine_files(lab: int) -> list[Path]:
    """Files of the engine that belong to the labs up to `lab`, relative to the repository; no empty packages."""
    layers = importlib.import_module("engine.layers").LAYERS
    later = {module for layer in layers for module in layer.modules if layer.lab > lab}
    files = sorted(path.relative_to(REPOSITORY) for path in (REPOSITORY / "engine").rglob("*.py"))
    kept = [path for path in files if not _belongs(path, later)]
    inhabited = {path.parent for path in kept if path.name != "__init__.py"}
    return [path for path in kept if any(folder.is_relative_to(path.parent) for folder in inhabited)]


def _belongs(path: Path, modules: set[str]) -> bool:
    parts = path.with_suffix("").parts[1:]
    return any(".".join(parts[:length]) in modules for length in range(1, len(parts) + 1))


def _copy_autograder(target: Path) -> None:
    shutil.copytree(REPOSITORY / "autograder" / "probes", target / "probes", ignore=shutil.ignore_patterns("*.pyc"))
    (target / "sandbox").mkdir()
    for package in (target, target / "sandbox"):
        (package / "__init__.py").write_text("", encoding="utf-8")
    for name in GUEST_FILES:
        shutil.copyfile(REPOSITORY / "autograder" / name, target / name)


def _digest() -> str:
    """Of everything that enters the image."""
    folders = [REPOSITORY / "engine", REPOSITORY / "autograder" / "probes"]
    files = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    digest = hashlib.sha256()
    for path in [*files, *(REPOSITORY / "autograder" / name for name in GUEST_FILES)]:
        digest.update(str(path.relative_to(REPOSITORY)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
