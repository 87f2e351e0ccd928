"""A small package `toyengine` with what the engine and the overlay need of each other, for tests of grafting."""

import shutil
from pathlib import Path

import engine
from autograder import overlay

ENGINE, OVERLAY = Path(engine.__path__[0]), Path(overlay.__path__[0])


def write(folder: Path, **modules: str) -> None:
    """Write the package to `folder/toyengine`, with these modules: name -> text."""
    toy = folder / "toyengine"
    shutil.copytree(ENGINE / "compiled", toy / "compiled")
    shutil.copytree(OVERLAY, toy / "overlay", ignore=shutil.ignore_patterns("__pycache__"))
    for path in (toy / "overlay").glob("*.py"):
        text = path.read_text().replace("from engine", "from toyengine")
        path.write_text(text.replace('PACKAGE = "engine"', 'PACKAGE = "toyengine"'))
    (toy / "utils").mkdir()
    shutil.copy(ENGINE / "utils" / "memos.py", toy / "utils" / "memos.py")
    for name, text in ({"__init__": "", "layers": "def later(): return ()\n"} | modules).items():
        (toy / f"{name}.py").write_text(text)
