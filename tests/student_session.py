"""Work on a released notebook as a student does: run it cell by cell, see a check fail, type the answer, check again.

    python student_session.py lab.ipynb answers.json LAST

`answers.json` has the text of each answer cell by its id; the run ends with the cell whose id is LAST. Runs in the
student's environment, so it imports only what the extra [lab] brings. Prints one JSON line per check: its cell's id,
the first line that it printed before the answer was typed, and the first line after.
"""

import json
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

SECONDS = 120
COLORS = re.compile(r"\x1b\[[\d;]*m")


def printed(cell):
    """The text that a cell printed; an error in a cell that may not fail ends the session."""
    outputs = cell.get("outputs", ())
    errors = [output for output in outputs if output.output_type == "error"]
    if errors and "raises-exception" not in cell.metadata.get("tags", ()):
        sys.exit(f"the cell {cell.id} failed: {errors[0].ename}: {errors[0].evalue}\n{cell.source}")
    return "".join(output.text for output in outputs if output.output_type == "stream")


def first_line(cell):
    return COLORS.sub("", printed(cell)).strip().partition("\n")[0]


def work(path, answers, last):
    notebook = nbformat.read(path, as_version=4)
    place = {cell.id: number for number, cell in enumerate(notebook.cells)}
    client = NotebookClient(
        notebook, timeout=SECONDS, allow_errors=True, resources={"metadata": {"path": str(path.parent)}}
    )

    def run(cell_id):
        cell = notebook.cells[place[cell_id]]
        if cell.cell_type == "code":
            client._display_id_map.clear()  # of outputs that a second run of a cell has cleared
            client.execute_cell(cell, place[cell_id])
        return cell

    with client.setup_kernel():
        for cell_id in list(place)[: place[last] + 1]:
            cell = run(cell_id)
            before, answer = first_line(cell), f"{cell_id}-answer"
            if answer not in answers:
                continue
            notebook.cells[place[answer]].source = answers[answer]
            nbformat.write(notebook, path)
            run(answer)
            print(json.dumps([cell_id, before, first_line(run(cell_id))]), flush=True)


if __name__ == "__main__":
    work(Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")), sys.argv[3])
