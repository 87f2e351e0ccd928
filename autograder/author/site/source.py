"""The sources of the site as one folder, which Sphinx builds: pages in Markdown, labs as executed notebooks."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat

from autograder.author import lab_text
from autograder.author.site import api_pages, core_path, executed, front, glossary, lab_pages, repository_pages


class CheckFailed(ValueError):
    """A solution did not pass its check."""


def write(folder: Path, student: bool, root: Path = lab_text.ROOT) -> Iterator[str]:
    """Write all sources into an empty folder; yield the name of each step as it begins, for a progress bar.

    Raises:
        CheckFailed: a check in a notebook did not pass.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    labs = [lab_text.load(name, root) for name in lab_text.lab_ids(root)]
    for lab in labs:
        yield lab.id
        done = executed.lab(lab.id, root)
        if failed := executed.failed_checks(done):
            raise CheckFailed(f"{lab.path}: the solution does not pass {', '.join(failed)}")
        _put(folder / lab_pages.page_of(lab.id), nbformat.writes(lab_pages.page(lab, done, student)))
    yield "front page"
    _put(folder / "index.ipynb", nbformat.writes(front.page(student, root)))
    yield "listings and reference"
    pages = [*core_path.pages(student), *api_pages.pages(), (glossary.PAGE, glossary.page(labs))]
    for name, text in [*pages, *repository_pages.pages(student, root)]:
        _put(folder / name, text)
    repository_pages.copy_pictures(folder, root)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
