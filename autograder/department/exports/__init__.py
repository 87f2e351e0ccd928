"""`make export TO=canvas LAB=01 FROM=gradebook.csv`: grades as a file that a learning management system imports.

formats.py   the table of formats: the columns that Canvas and Moodle document, and what each does with a cell
grades.py    one grade for each student, or the reason that there is none
sheet.py     a vendor's own file: read, its lines matched with students, filled in
made.py      a file made from the roster, where there is no vendor's file
__main__.py  the command

nbgrader's own `export` writes one table of all assignments, which no LMS imports, with a zero for what is not graded.
"""


class ExportError(ValueError):
    """The grades can't be exported as requested; the message says what was found, what was expected, and what to do."""
