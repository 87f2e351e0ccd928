"""The steps of nbgrader that turn a solution into a stub, with a stub that says what is missing.

### BEGIN SOLUTION view_strides, about 20 lines      ->      # YOUR CODE HERE (about 20 lines)
...                                                          raise NotImplementedError("view_strides")
### END SOLUTION

With ", in an empty cell" after the name, nothing is left but a comment:

                                                             # YOUR CODE HERE: view_strides, about 20 lines

A written answer becomes "YOUR ANSWER HERE (stride-zero)", so that Validate names the question that is open.
"""

import re

from nbgrader.preprocessors import ClearSolutions
from nbgrader.preprocessors.base import NbGraderPreprocessor

from autograder.examine.answer_text import IN_DOCUMENT

BEGIN = re.compile(
    r"^ *### BEGIN SOLUTION (?P<name>[\w.]+)(?P<empty>, in an empty cell)?, (?P<about>about \d+ lines?)$", re.M
)


class NamedStubs(ClearSolutions):
    """`ClearSolutions` with stubs that carry the name and length stated in the BEGIN line."""

    def preprocess_cell(self, cell, resources, cell_index):
        cell, resources = super().preprocess_cell(cell, resources, cell_index)
        if cell.cell_type == "markdown" and cell.source == self.text_stub:
            name = cell.metadata.nbgrader.grade_id.removeprefix("reflect-")
            document = cell.metadata.get("document")
            cell.source = IN_DOCUMENT.format(document=document) if document else f"{self.text_stub} ({name})"
        return cell, resources

    def _replace_solution_region(self, cell, language):
        begins = list(BEGIN.finditer(cell.source)) if cell.cell_type == "code" else []
        replaced = super()._replace_solution_region(cell, language)
        for begin in begins:
            if begin["empty"]:
                cell.source = f"# YOUR CODE HERE: {begin['name']}, {begin['about']}\n"
                continue
            cell.source = cell.source.replace("# YOUR CODE HERE\n", f"# YOUR CODE HERE ({begin['about']})\n", 1)
            cell.source = cell.source.replace("NotImplementedError()", f'NotImplementedError("{begin["name"]}")', 1)
        return replaced


class OptionalCells(NbGraderPreprocessor):
    """Removes the checksum from cells that may stay unchanged: Validate fails a cell that matches its checksum."""

    def preprocess_cell(self, cell, resources, cell_index):
        if cell.cell_type == "markdown" and "document" in cell.metadata:
            cell.metadata.nbgrader.pop("checksum", None)
        return cell, resources
