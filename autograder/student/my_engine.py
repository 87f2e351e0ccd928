"""A student's own engine as one tree: `python -m autograder.student.my_engine [FOLDER] [--parts work/my_engine]`.

FOLDER, by default `build/my_engine_tree`, gets a copy of the engine's package in which the text of each finished
exercise is the student's, as `check` saved it; a README.md that says whose each function is; and the license.
A part that can't be placed is named, and the reference's text stays. A folder that something else made, or that was
changed since, is left as it is.
"""

import argparse
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import engine
from autograder.author import lab_text
from autograder.overlay import PartError
from autograder.overlay.cell_compiler import bound_names
from autograder.overlay.overlay import part_files
from autograder.student.part_text import placed
from engine.autograd import variable_type_manual

PACKAGE = Path(engine.__file__).parent
PARTS, TREE = lab_text.ROOT / "work" / "my_engine", lab_text.ROOT / "build" / "my_engine_tree"
RECORD = ".my_engine.json"  # in the tree: path -> digest of each file, as this command wrote it
DISTRIBUTION = "inside-the-tensor"
# Of these exercises the engine runs a generated kernel, until the student's is there.
NONE_IN_USE = "IN_USE: tuple[str, ...] = ()"

# What a graft accepts goes into the tree. Modules that are imported at their first use are imported here.
_GRAFT = """
import contextlib, importlib, io, json, sys, warnings
warnings.simplefilter("ignore")
import engine
from autograder import overlay
for name in sys.argv[2:]:
    with contextlib.suppress(ImportError):
        importlib.import_module(f"engine.{name.rpartition('.')[0]}")
with contextlib.redirect_stderr(io.StringIO()):
    outcome = overlay.use_parts(sys.argv[1])
print("\\n" + json.dumps({
    name: [reason, getattr(sys.modules.get(f"engine.{name.rpartition('.')[0]}"), "__file__", "")]
    for name, reason in outcome
}))
"""
_IMPORT = """
import importlib, sys, warnings
warnings.simplefilter("ignore")
for name in sys.argv[1:]:
    importlib.import_module(f"engine.{name.rpartition('.')[0]}")
"""


class MyEngineError(Exception):
    """The error raised if the tree can't be written; the message is one sentence that says why."""


@dataclass(frozen=True)
class Tree:
    """A student's engine: the files that differ from the reference's, the parts in them, and why other parts are not.

    Attributes:
        files: path below the package -> text.
        mine: names of the parts, in the order of their paths.
        left: name of a part -> why the reference's text stays.
    """

    files: dict[str, str]
    mine: tuple[str, ...]
    left: dict[str, str]


def read_parts(folder: Path) -> dict[str, str]:
    """Return the saved parts below a folder, by name.

    Raises:
        MyEngineError: there is no folder, or no part in it.
    """
    try:
        parts = {name: path.read_text(encoding="utf-8") for name, path in part_files(folder)}
    except NotADirectoryError:
        raise MyEngineError(f"there is no folder {_shown(folder)}: a lab saves there what passes its checks") from None
    except (OSError, UnicodeDecodeError) as error:
        raise MyEngineError(f"a part in {_shown(folder)} can't be read: {error}") from None
    if not parts:
        raise MyEngineError(f"there is no part in {_shown(folder)}: a lab saves there what passes its checks")
    return parts


def assemble(parts: Mapping[str, str], file_of: Mapping[str, str]) -> Tree:
    """Insert the parts into the engine's source text, without running it.

    Args:
        parts: name -> text.
        file_of: name -> path of its module's file below the package.
    """
    files: dict[str, str] = {}
    left: dict[str, str] = {}
    for name, cell in parts.items():
        path = file_of[name]
        text = files.get(path) or (PACKAGE / path).read_text(encoding="utf-8")
        try:
            files[path] = placed(text, name, cell, functools.partial(_names_beside, path))
        except PartError as error:
            left[name] = str(error)
    mine = tuple(name for name in parts if name not in left)
    by_hand = {f"autograd.variable_type_manual.{name}": name for name in variable_type_manual.HANDWRITTEN}
    if chosen := tuple(name for name in mine if name in by_hand):
        path, names = file_of[chosen[0]], tuple(by_hand[name] for name in chosen)
        files[path] = files[path].replace(NONE_IN_USE, f"{NONE_IN_USE.removesuffix('()')}{names!r}")
    return Tree(files, mine, left)


@functools.cache
def _names_beside(path: str) -> frozenset[str]:
    """Return the names that the other files of a file's folder bind."""
    others = (other for other in (PACKAGE / path).parent.glob("*.py") if other != PACKAGE / path)
    return frozenset().union(*(bound_names(other.read_text(encoding="utf-8")) for other in others))


def make(parts: Mapping[str, str], folder: Path, draft: Path) -> Tree:
    """Write the student's package to `draft/engine`, without parts that keep a fresh process from importing it.

    Args:
        folder: of the saved parts.
    Raises:
        MyEngineError: not even the engine without the parts can be imported.
    """
    shutil.copytree(PACKAGE, draft / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    grafted = _python(_GRAFT, [str(folder.resolve()), *parts], PACKAGE.parent)
    if grafted.returncode:
        raise MyEngineError(f"the engine stops with these parts: {_last_line(grafted.stderr)}")
    outcome: dict[str, list[str]] = json.loads(grafted.stdout.splitlines()[-1])
    refused = {name: reason for name, (reason, _) in outcome.items() if reason}
    file_of = {name: Path(file).relative_to(PACKAGE).as_posix() for name, (_, file) in outcome.items() if file}
    good = {name: text for name, text in parts.items() if name not in refused and name in file_of}
    while True:
        tree = assemble(good, file_of)
        reason = _import_error(draft, tree)
        if not reason:
            return Tree(tree.files, tree.mine, {**refused, **tree.left})
        if not good:
            raise MyEngineError(f"the engine can't be imported: {reason}")
        name, reason = _culprit(draft, good, file_of)
        refused[name] = f"the engine can't be imported with it in its file: {reason}"
        del good[name]


def _culprit(draft: Path, parts: Mapping[str, str], file_of: Mapping[str, str]) -> tuple[str, str]:
    """Return the last of the fewest first parts with which the tree can't be imported, and why."""
    names = list(parts)
    fewest, most, why = 0, len(names), ""
    while fewest < most:
        middle = (fewest + most) // 2
        reason = _import_error(draft, assemble({name: parts[name] for name in names[:middle]}, file_of))
        fewest, most, why = (fewest, middle, reason) if reason else (middle + 1, most, why)
    reason = why or _import_error(draft, assemble({name: parts[name] for name in names[:most]}, file_of))
    if not most:
        raise MyEngineError(f"the engine can't be imported: {reason}")
    return names[most - 1], reason


def _import_error(draft: Path, tree: Tree) -> str:
    """Write the files of a tree; why a fresh process can't import it, or ""."""
    for path in (PACKAGE / path for path in _written(draft)):
        shutil.copyfile(path, draft / "engine" / path.relative_to(PACKAGE))
    for name, text in tree.files.items():
        (draft / "engine" / name).write_text(text, encoding="utf-8", newline="\n")
    done = _python(_IMPORT, tree.mine, draft)
    return _last_line(done.stderr) if done.returncode else ""


def _written(draft: Path) -> list[str]:
    """Return the paths below the package of the files whose text is not the reference's."""
    paths = (path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))
    return [path for path in paths if (draft / "engine" / path).read_bytes() != (PACKAGE / path).read_bytes()]


def _python(program: str, arguments: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a fresh Python that imports the engine of a folder."""
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no reason was given"])[-1]


# ---- the files beside the package


def exercises_by_lab(beside: Path) -> dict[str, tuple[str, ...]]:
    """Return the names of each lab's exercises, from the recorded cases beside the parts or in course/."""
    found: dict[str, tuple[str, ...]] = {}
    for path in (*(lab_text.ROOT / "course").glob("*/cases.json"), *beside.glob("*/cases.json")):
        recorded = json.loads(path.read_text(encoding="utf-8"))
        found[recorded["lab"]] = tuple(recorded["exercises"])
    return dict(sorted(found.items()))


def readme(tree: Tree, by_lab: Mapping[str, Sequence[str]]) -> str:
    """Return the text of the tree's README.md."""
    rows = [
        f"| {lab} | {_listed(name for name in names if name in tree.mine)} "
        f"| {_listed(name for name in names if name not in tree.mine)} |"
        for lab, names in by_lab.items()
    ]
    known = {name for names in by_lab.values() for name in names}
    if others := [name for name in tree.mine if name not in known]:
        rows.append(f"| in no lab here | {_listed(others)} | |")
    left = [f"- `{name}` is still the reference's: {reason}" for name, reason in tree.left.items()]
    return "\n".join(
        [
            "# My engine\n",
            f"The tensor engine of the course Inside the Tensor, version {engine.__version__}, in which "
            f"{len(tree.mine)} {'function or class is' if len(tree.mine) == 1 else 'functions and classes are'} mine. "
            "A comment `# yours:` stands above each; of a class, the methods of the exercise are mine.\n",
            "## Import it\n",
            "With Python 3.11 or newer and the packages numba, numpy and pyyaml, in this folder:\n",
            "```",
            'python -c "import engine as torch; print(torch.ones(2) + 1)"',
            "```\n",
            "From elsewhere, put this folder first on the path: `PYTHONPATH=/path/to/this/folder python program.py`. "
            "`python -m engine.layers` lists the files to read.\n",
            "## Whose is it?\n",
            "| lab | mine | the reference's |",
            "|---|---|---|",
            *rows,
            "",
            "Everything else is the reference's.",
            *(["", *left] if left else []),
            "",
            "## License\n",
            "The reference's text has the BSD-3-Clause license in the file LICENSE, which also covers what my "
            "functions keep of it, such as signatures: whoever passes this folder on keeps that file in it. Before I "
            "publish answers to a course's exercises, I ask whether the course allows it.",
            "",
        ]
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def license_text() -> str:
    """Return the license of the reference's source text, from the repository or the installed package.

    Raises:
        MyEngineError: neither has it.
    """
    if (lab_text.ROOT / "LICENSE").is_file():
        return (lab_text.ROOT / "LICENSE").read_text(encoding="utf-8")
    try:
        files = metadata.files(DISTRIBUTION) or []
        return next(file for file in files if file.name == "LICENSE").read_text(encoding="utf-8")
    except (metadata.PackageNotFoundError, StopIteration, OSError):
        raise MyEngineError(f"the license of {DISTRIBUTION} is missing: install the package again") from None


# ---- the folder


def digests(folder: Path) -> dict[str, str]:
    """Return the digest of each file below a folder by path, without bytecode caches and the record file itself."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in paths
        if path != folder / RECORD
    }


def require_free(target: Path, parts: Path) -> None:
    """Raise an error if the target holds anything that this command did not write.

    Raises:
        MyEngineError: it does.
    """
    inside = target.resolve()
    for own, about in ((parts.resolve(), "the folder of the parts"), (PACKAGE, "the engine itself")):
        if inside.is_relative_to(own) or own.is_relative_to(inside):
            raise MyEngineError(f"{target} and {about} lie in one another: name another folder")
    if not target.exists() and not target.is_symlink():
        return
    if not target.is_dir() or target.is_symlink():
        raise MyEngineError(f"{target} is there and is no folder: name another one")
    if not any(target.iterdir()):
        return
    try:
        record = json.loads((target / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise MyEngineError(f"{target} is there and this command did not write it: name another folder") from None
    there = digests(target)
    changed = sorted(path for path in {*there, *record} if there.get(path) != record.get(path))
    if changed:
        raise MyEngineError(f"{target} was changed after it was written ({changed[0]}): name another folder")


def write(target: Path, parts_folder: Path) -> Tree:
    """Write the whole tree, or nothing if that fails.

    Raises:
        MyEngineError: it can't be written; what was there stays.
    """
    require_free(target, parts_folder)
    parts = read_parts(parts_folder)
    print(f"copying the engine, and trying it with {len(parts)} of your parts", file=sys.stderr, flush=True)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as scratch:
            draft = Path(scratch) / "new"
            draft.mkdir()
            tree = make(parts, parts_folder, draft)
            (draft / "README.md").write_text(readme(tree, exercises_by_lab(parts_folder.parent)), encoding="utf-8")
            (draft / "LICENSE").write_text(license_text(), encoding="utf-8")
            (draft / RECORD).write_text(json.dumps(digests(draft), indent=1) + "\n", encoding="utf-8")
            require_free(target, parts_folder)
            if target.exists():
                target.rename(Path(scratch) / "old")
            draft.rename(target)
    except OSError as error:
        raise MyEngineError(f"{target} can't be written: {error.strerror or error}") from None
    return tree


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 1 if a part falls back to the reference or nothing can be written."""
    parser = argparse.ArgumentParser(prog="python -m autograder.student.my_engine", description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=TREE, help=f"to be written; default: {_shown(TREE)}")
    parser.add_argument("--parts", type=Path, default=PARTS, help=f"what checks saved; default: {_shown(PARTS)}")
    options = parser.parse_args(arguments)
    try:
        tree = write(options.folder, options.parts)
    except MyEngineError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; nothing was written", file=sys.stderr)
        return 130
    print(f"{_shown(options.folder)}: your engine, with {len(tree.mine)} of your parts; its README.md lists them")
    for name, reason in tree.left.items():
        print(f"{name} is left to the reference: {reason}", file=sys.stderr)
    return 1 if tree.left else 0


def _shown(path: Path) -> str:
    """Return a path as one would type it here."""
    return os.path.relpath(path) if path.is_absolute() and path.is_relative_to(Path.cwd()) else str(path)


if __name__ == "__main__":
    sys.exit(main())
