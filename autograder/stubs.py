"""The step of nbgrader that turns a solution into a stub, with a stub that says what is missing.

### BEGIN SOLUTION view_strides, about 20 lines      ->      # YOUR CODE HERE (about 20 lines)
...                                                          raise NotImplementedError("view_strides")
### END SOLUTION
"""

import re

from nbgrader.preprocessors import ClearSolutions

BEGIN = re.compile(r"^ *### BEGIN SOLUTION (?P<name>[\w.]+), (?P<about>about \d+ lines?)$", re.M)


class NamedStubs(ClearSolutions):
    """As `ClearSolutions`; a code stub carries the name and the length that its BEGIN line states."""

    def _replace_solution_region(self, cell, language):
        begins = list(BEGIN.finditer(cell.source)) if cell.cell_type == "code" else []
        replaced = super()._replace_solution_region(cell, language)
        for begin in begins:
            cell.source = cell.source.replace("# YOUR CODE HERE\n", f"# YOUR CODE HERE ({begin['about']})\n", 1)
            cell.source = cell.source.replace("NotImplementedError()", f'NotImplementedError("{begin["name"]}")', 1)
        return replaced
