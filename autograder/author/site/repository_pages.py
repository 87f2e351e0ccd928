"""Pages that are Markdown in the repository: README, docs/, the guides. Paths stay, so that most links work.

A link to a file without a page leads to its listing on the core path, a lab's to its page; others become text.
"""

import posixpath
import re
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from autograder.author import lab_text
from autograder.author.site import core_path, lab_pages
from engine.layers import CORE_PATH

OF_ALL = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
OF_INSTRUCTORS = ("autograder/README.md", "docs/scale.md", "docs/security.md", "docs/upgrading.md")
PICTURES = "docs/*.svg"
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^(```+|~~~+).*?^\2[ \t]*$)", re.S | re.M)
PAGES = {
    f"engine/{module.replace('.', '/')}.py": core_path.page_of(module)
    for modules in CORE_PATH.values()
    for module in modules
} | {f"course/{lab}/lab.ipynb": lab_pages.page_of(lab) for lab in lab_text.LABS}


def names(student: bool, root: Path = lab_text.ROOT) -> list[str]:
    """Return the paths of the repository's pages; the students' edition omits the instructor's."""
    found = [*OF_ALL, "autograder/README.md", *(f"docs/{path.name}" for path in sorted((root / "docs").glob("*.md")))]
    return [name for name in found if not (student and name in OF_INSTRUCTORS)]


def pages(student: bool, root: Path = lab_text.ROOT) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each page."""
    there = names(student, root)
    for name in there:
        yield name, with_links(name, (root / name).read_text(encoding="utf-8"), there)


def copy_pictures(folder: Path, root: Path = lab_text.ROOT) -> None:
    """Copy the pictures of the pages into the folder with the sources."""
    for path in root.glob(PICTURES):
        target = folder / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def with_links(page: str, text: str, there: Collection[str]) -> str:
    """Return a page's text with its links rewritten to lead to pages of the site."""

    def rewritten(found: re.Match[str]) -> str:
        label, target = found[1], found[2]
        if "://" in target or target.startswith(("#", "mailto:")):
            return found[0]
        path, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        if path in there:
            return found[0]
        if path in PAGES:
            return f"[{label}]({posixpath.relpath(PAGES[path], posixpath.dirname(page) or '.')})"
        return label

    pieces = FENCE.split(text)  # text, fence, its backticks, text, ...
    pieces[::3] = [LINK.sub(rewritten, piece) for piece in pieces[::3]]
    return "".join(piece for at, piece in enumerate(pieces) if at % 3 != 2)
