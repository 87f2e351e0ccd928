"""Find the cells of a notebook whose names and marks a program has dropped when it saved it.

Given text is known by its words, an answer in code by what it defines, a written answer by where it is: between the
same two given cells as in the release.
"""

from collections.abc import Sequence

from nbformat import NotebookNode

from autograder.examine.answer_text import cells_of_answers, name_of
from autograder.examine.guess import without_guess
from autograder.examine.handin import Cell


def restored(release: NotebookNode, cells: Sequence[Cell]) -> tuple[list[Cell], tuple[str, ...]]:
    """Return the cells with their released names restored, and the names of the answers that had lost theirs.

    A cell that answers two exercises, as two that were merged, comes once for each.
    """
    names = {name_of(cell): cell for cell in release.cells}
    lost = names.keys() - {cell.name for cell in cells}
    if not lost:
        return list(cells), ()
    named = _by_text({name: names[name] for name in lost}, cells)
    by_place = _by_place(release, lost, named)
    named = [cell._replace(name=by_place.get(place, cell.name)) for place, cell in enumerate(named)]
    code = [name for name in names if is_solution(names[name]) and names[name].cell_type == "code"]
    found = cells_of_answers([(cell.name, cell.source) for cell in named], code)
    out = []
    for place, cell in enumerate(named):
        own = [name for name in code if name in lost and place in found[name]]
        out += ([] if own and cell.name not in names else [cell]) + [cell._replace(name=name) for name in own]
    found_names = {cell.name for cell in out} & lost
    return out, tuple(name for name in names if name in found_names and is_solution(names[name]))


def _by_text(lost: dict[str, NotebookNode], cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells; a cell with the words of a given one gets its name."""
    given = {_words(cell.source): name for name, cell in lost.items() if not is_solution(cell)}
    return [cell._replace(name=given.get(_words(cell.source), cell.name)) for cell in cells]


def _by_place(release: NotebookNode, lost: set[str], cells: Sequence[Cell]) -> dict[int, str]:
    """Return the names of the written answers that cells are, by position among `cells`."""
    order = [name_of(cell) for cell in release.cells]
    at = {cell.name: place for place, cell in enumerate(cells)}
    found: dict[int, str] = {}
    for number, cell in enumerate(release.cells):
        before, after = order[max(0, number - 1)], order[min(number + 1, len(order) - 1)]
        if order[number] in lost and is_solution(cell) and cell.cell_type == "markdown" and before in at:
            for place in range(at[before] + 1, at.get(after, len(cells))):
                if cells[place].name not in order:
                    found[place] = order[number]
    return found


def is_solution(cell: NotebookNode) -> bool:
    """Return whether students write the cell: the code of an exercise or the text of a reflection."""
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def _words(text: str) -> str:
    return without_guess(text).strip()
