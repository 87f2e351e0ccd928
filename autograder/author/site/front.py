"""The first page: `index.md`, a notebook as text, executed like a lab; tables come from the labs and the README."""

import re
from pathlib import Path

import nbformat

from autograder.author import lab_text, weave
from autograder.author.site import downloads, executed, lab_pages, repository_pages
from autograder.examine.answer_text import answer_id

SOURCE = Path(__file__).with_name("index.md")
CHECKED = re.compile(r'check\("([\w.]+)"\)')
TIME = re.compile(r"\*\*Time\*\*: (?:about )?([\d.]+ (?:hours?|minutes))")
PLANNED = re.compile(r"^\| (\d+) \| ([^|]+) \| ([^|]+) \| [^|]+ \| planned \|$", re.M)


def page(student: bool, root: Path = lab_text.ROOT) -> nbformat.NotebookNode:
    """Return the front page as an executed notebook."""
    _, cells = lab_text.read_cells(SOURCE)
    made = nbformat.v4.new_notebook(metadata=weave.METADATA)
    made.cells = [weave.given_cell(cell, {}) for cell in cells]
    lab = lab_text.LABS[0]
    for at, cell in enumerate(made.cells):
        cell.id = f"front-{at}"
        if found := CHECKED.match(cell.source):  # the answer is in the cell before it
            made.cells[at - 1].id = answer_id(found[1])
            lab = _lab_with(found[1])
    done = executed.notebook("front", made, lab, root)
    for cell in done.cells:
        if cell.cell_type == "markdown":
            cell.source = _filled(cell.source, student, root)
        for output in cell.get("outputs", []):
            if output.output_type == "stream":
                output.text = lab_pages.ANSI.sub("", output.text)
    return done


def _lab_with(exercise: str) -> str:
    return next(lab for lab in lab_text.LABS if exercise in {each.name for each in lab_text.load(lab).exercises})


def _filled(text: str, student: bool, root: Path) -> str:
    return (
        text.replace("%LABS%", labs_table(root))
        .replace("%FIRST%", lab_text.LABS[0])
        .replace("%WHEEL%", downloads.WHEEL)
        .replace("%NUMBER%", lab_text.LABS[0].partition("-")[0])
        .replace("%INSTRUCTOR%", _INSTRUCTOR[student])
        .replace("%TOCTREES%", toctrees(student, root))
    )


_INSTRUCTOR = {
    False: "Hand out, collect, grade: [the instructor's guide](autograder/README.md)",
    True: "Your instructor has an edition of this site with solutions and model answers.",
}


def labs_table(root: Path = lab_text.ROOT) -> str:
    """Return a table of the labs with the hours, exercises and points that their notebooks state, planned labs last."""
    rows = ["| | lab | time | exercises | points + extra |", "|--:|---|--:|--:|--:|"]
    hours = 0.0
    for name in lab_text.LABS:
        lab = lab_text.load(name)
        title = re.sub(r"^Lab \d+\. ", "", lab.title)
        text = "\n".join(cell.source for cell in weave.instructor_notebook(lab).cells if cell.cell_type == "markdown")
        time = found[1].replace(" ", "&nbsp;") if (found := TIME.search(text)) else ""
        hours += float(found[1].split()[0]) if found else 0
        points = f"{lab.points}" + (f" + {lab.extra}" if lab.extra else "")
        link = f"[{title}]({lab_pages.page_of(name)})"
        rows.append(f"| {lab.number} | {link} | {time} | {len(lab.exercises)} | {points} |")
    rows.append(f"| | *together* | {hours:.0f}&nbsp;hours | | |")
    readme = (root / "README.md").read_text(encoding="utf-8")
    rows += [f"| {number} | {name}: {about} | | | planned |" for number, name, about in PLANNED.findall(readme)]
    return "\n".join(rows)


def toctrees(student: bool, root: Path = lab_text.ROOT) -> str:
    """Return Sphinx's toctree directives with the site's pages, in the order of its sidebar."""
    others = [name for name in repository_pages.names(student, root) if not name.startswith("docs/")]
    docs = [name for name in repository_pages.names(student, root) if name.startswith("docs/")]
    groups = {
        "Labs": [lab_pages.page_of(lab) for lab in lab_text.LABS],
        "Read the engine": ["core/index.md", "api/index.md", "glossary.md"],
        "Pages": docs,
        "The repository": others,
    }
    return "\n\n".join(
        "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *(_stem(page) for page in pages), "```"])
        for caption, pages in groups.items()
    )


def _stem(page: str) -> str:
    return page.rpartition(".")[0]
