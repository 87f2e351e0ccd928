"""`python -m engine.journey.show_generated FOLDER`: all the source that the engine generates in memory, as files.

FOLDER/kernels/add.py     from engine/aten/codegen.py: the kernels at the dispatch keys, for all forms of `add`
FOLDER/autograd/add.py    from engine/autograd/gen_*.py: the nodes of `add`, and what records them
FOLDER/calls/add.py       from engine/dispatch/calling.py: call and redispatch of each operator
FOLDER/plumbing/add.py    from engine/transforms/plumbing.py: the batching rules of `add` as kernels of vmap
FOLDER/python.py          from engine/aten/python_codegen.py: functions, methods and operators of Python
"""

import importlib
import sys
from collections.abc import Iterable
from pathlib import Path

from .. import layers
from ..aten import python_bindings, registration
from ..dispatch import registry
from ..dispatch.calling import source_of_calls
from ..dispatch.source_location import ROOT

WRITTEN = {
    "operators declared": ("engine/aten/native_functions.yaml",),
    "their functions": ("engine/aten/native/*.py",),
    "their derivatives": ("engine/autograd/derivatives.yaml", "engine/autograd/functions_manual/*.py"),
    "generators": (
        "engine/aten/codegen.py",
        "engine/aten/wrapper_memos.py",
        "engine/dispatch/calling.py",
        "engine/aten/python_codegen.py",
        "engine/autograd/formulas.py",
        "engine/autograd/gen_*.py",
        "engine/transforms/plumbing.py",
    ),
}
"""The handwritten counterpart of the generated source -> its files."""


def generated() -> dict[str, str]:
    """Return all generated source: file name -> text."""
    for module in layers.at_first_use("transforms"):
        importlib.import_module(f"..{module}", __package__)
    texts = {f"kernels/{name}.py": family.source for name, family in registration.FAMILIES.items()}
    for layer, sources in registration.SOURCES.items():
        texts |= {f"{layer}/{name}.py": text for name, text in sources().items()}
    for name, members in registration.families(registration.NATIVE_FUNCTIONS).items():
        entries = [registry.find(f"aten::{f.func.name}") for f in members]
        texts[f"calls/{name}.py"] = "\n".join(f"# {entry.name}\n{source_of_calls(entry)[0]}" for entry in entries)
    return {**texts, "python.py": python_bindings.generated_source()}


def write(folder: Path, texts: dict[str, str]) -> None:
    """Write the texts as files below a folder; files of an earlier engine there are replaced or removed."""
    for old in (path for part in ("kernels", "calls", "autograd", "plumbing") for path in (folder / part).glob("*.py")):
        old.unlink()
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def lines(texts: Iterable[str]) -> int:
    """Return the number of nonblank lines."""
    return sum(bool(line.strip()) for text in texts for line in text.splitlines())


def count(texts: dict[str, str]) -> dict[str, dict[str, int]]:
    """Count handwritten lines and generated lines, by category."""
    by_hand = {
        about: lines(path.read_text(encoding="utf-8") for pattern in patterns for path in ROOT.glob(pattern))
        for about, patterns in WRITTEN.items()
    }
    made = {
        about: lines(text for name, text in texts.items() if name.startswith(start))
        for about, start in (
            ("kernels", "kernels/"),
            ("nodes, and what records", "autograd/"),
            ("calls", "calls/"),
            ("kernels of vmap", "plumbing/"),
            ("names in Python", "python.py"),
        )
    }
    return {"written by hand": by_hand, "generated": made}


def report(counts: dict[str, dict[str, int]]) -> str:
    rows = []
    for heading, parts in counts.items():
        rows.append(f"{heading:25} {sum(parts.values()):>7,} lines")
        rows += [f"  {about:23} {number:>7,}" for about, number in parts.items()]
    return "\n".join(rows)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    texts = generated()
    write(Path(arguments[0]), texts)
    print(f"{len(texts)} files in {arguments[0]}/, of {len(registration.NATIVE_FUNCTIONS)} operators")
    print(report(count(texts)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
