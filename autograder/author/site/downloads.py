"""Downloads of the site: each lab's bundle, so that a lab can be worked with the site alone."""

import tempfile
from pathlib import Path

import nbformat

from autograder.author import bundle, lab_text

FOLDER = "downloads"
WHEEL = bundle.wheel_name()
TEXT = """\
:::{{admonition}} Work on it
Download <a href="../{folder}/{lab}.zip">{lab}.zip</a>: this lab as a notebook, with its checks and the engine. You need
Python 3.11 or newer and 1 GB of disk. Unpack it, and type in the folder `{top}`:

```
python3 -m venv .venv
.venv/bin/pip install -c {lab}/constraints.txt "./{wheel}[lab]"
.venv/bin/jupyter lab {lab}/lab.ipynb
```

On Windows, in VS Code or in Colab, `{lab}/SUBMIT.md` says what to type. This page is for reading: answers, and the
outcomes that you should predict first, are folded.
:::
"""


def note(lab: str) -> nbformat.NotebookNode:
    """Return the cell that explains how to work on a lab."""
    return nbformat.v4.new_markdown_cell(TEXT.format(folder=FOLDER, lab=lab, top=bundle.TOP, wheel=WHEEL))


def write(site: Path) -> None:
    """Write the bundles of all labs into a built site."""
    with tempfile.TemporaryDirectory() as scratch:
        wheel = bundle.build_wheel(Path(scratch))
        for lab in lab_text.LABS:
            bundle.bundle(lab, wheel, site / FOLDER)
