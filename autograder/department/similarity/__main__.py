"""`python -m autograder.department.similarity --lab 01 [--earlier DIR ...] [--out FILE]`."""

import argparse
import sys
from collections import Counter
from pathlib import Path

from autograder.author import lab_text
from autograder.author.course_config import STEPS
from autograder.author.lab_text import LabError
from autograder.department.similarity import FILE, SimilarityError, given, hand_ins, html_page
from autograder.department.similarity.hand_ins import Collected, Folder
from autograder.department.similarity.questions import Compared, compare
from autograder.examine import lab_file
from autograder.examine.lab_file import Lab
from autograder.files import write_whole
from autograder.grading import intake
from autograder.grading.command_line import on_course, printable
from autograder.progress_bar import ProgressBar, begin

KNOWN = (SimilarityError, LabError)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0 once the page is written, whatever it shows."""
    options = _options(arguments)
    root = options.root.resolve()
    begin("reading the submissions ...", "no page was written")
    return on_course(root, "make similarity", KNOWN, lambda: similarity(options, root))


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="make similarity", description="Show which answers may have a common source. It changes no grade."
    )
    parser.add_argument("--lab", default="", help="01-strides, or 01; default: the only one that was handed in")
    parser.add_argument(
        "--earlier", type=Path, action="append", default=[], metavar="DIR",
        help="an earlier year: a course's folder, or one laid out as autograder/submitted/; may be repeated",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, help=f"the page (default: {FILE})")
    parser.add_argument("--root", type=Path, default=lab_text.ROOT, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def similarity(options: argparse.Namespace, root: Path) -> int:
    """Write the page and print a summary of it.

    Raises:
        SimilarityError, LabError: before anything was written.
    """
    lab = _lab(options.lab, root)
    folders = [hand_ins.this_class(root, lab.id), *hand_ins.earlier(options.earlier, root, lab.id)]
    out = (options.out or root / FILE).resolve()
    if not out.parent.is_dir():
        raise SimilarityError(f"{out}: expected a file in a folder that exists: make the folder, or name another file")
    collected = _collected(folders, lab, root)
    compared = _compared(collected, lab, root, folders)
    counts = {each.year: len(intake.students(each.path, lab.id)) for each in folders}
    write_whole(out, html_page.page(html_page.Class(lab, counts, compared, collected.unread)))
    _say(out, lab, compared, collected)
    return 0


def _lab(asked: str, root: Path) -> Lab:
    if not asked:
        submitted = root / STEPS["submitted_directory"]
        labs = [
            lab for lab in lab_text.LABS if any((submitted / each / lab).is_dir() for each in intake.folders(submitted))
        ]
        if len(labs) != 1:
            raise SimilarityError(f"Say which lab: LAB=01. Handed in: {', '.join(labs) or 'none'}")
        asked = labs[0]
    lab = lab_text.find(asked)
    try:
        return lab_file.load(root / STEPS["release_directory"] / lab)
    except FileNotFoundError as error:
        raise SimilarityError(
            f"{error.filename}: expected the released lab, found nothing: `make course` first"
        ) from None


def _collected(folders: list[Folder], lab: Lab, root: Path) -> Collected:
    total = sum(len(intake.students(folder.path, lab.id)) for folder in folders)
    with ProgressBar("reading", total) as bar:
        return hand_ins.collect(folders, lab.id, root, bar.step)


def _compared(collected: Collected, lab: Lab, root: Path, folders: list[Folder]) -> list[Compared]:
    parts = given.parts_of(lab, root, [folder.course for folder in folders if folder.course and folder.year])
    found = []
    with ProgressBar("comparing", len(parts)) as bar:
        for part in parts:
            bar.step(part.title)
            found.append(compare(part, collected.answers.get(part.name, ())))
    return found


def _say(out: Path, lab: Lab, compared: list[Compared], collected: Collected) -> None:
    """Print how much is on the page, and what is not."""
    questions = html_page.questions_of(compared)
    by_part = Counter(question.part.title for question in questions)
    print(f"{out}: {lab.id}, {len(questions)} questions; no grade was changed")
    for title, count in by_part.items():
        print(f"   {title}: {count}")
    if collected.unread:
        print(f"not compared: {len(collected.unread)}")
    for hand, reason in collected.unread:
        print(f"   {hand.name}: {printable(reason)}")


if __name__ == "__main__":
    sys.exit(main())
