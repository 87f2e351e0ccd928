"""The files that learning management systems import, as their makers document them.

Canvas's gradebook: https://community.instructure.com/en/kb/articles/660862-how-do-i-import-grades-in-the-gradebook;
what each cell does is in `lib/gradebook_importer.rb` of https://github.com/instructure/canvas-lms. The first columns
are Student (or LastName, FirstName), ID, SIS User ID, SIS Login ID, Section, in this order. A student is found by ID,
else by SIS User ID, SIS Login ID, or name; a column of grades by the number in "Lab 1 (4321)", else by its title, else
it becomes a new assignment. Of the line "Points Possible" only a new assignment takes its points.

Moodle's gradebook: https://docs.moodle.org/en/Grade_import and `grade/import/csv/classes/load_data.php` of
https://github.com/moodle/moodle. One column names the user by email address, ID number or username; which one, and
which grade item a column means, is chosen at the import. One user whom Moodle does not know ends it, and a line
without a user gives its grade to the user of the line before.

Moodle's offline grading worksheet: https://docs.moodle.org/en/Assignment_settings#Feedback_types and
`mod/assign/feedback/offline/importgradeslib.php`. Only Identifier, Grade, Last modified (grade) and feedback are read.
A grade above the maximum, or one that changed after "Last modified (grade)", is passed over without a word.

An empty cell erases a grade in both gradebooks, and changes nothing in the worksheet. All of them read UTF-8 without a
byte order mark; only Excel needs one.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple


class Format(NamedTuple):
    """A vendor's file format; headings have the vendor's capitalization, and are compared case-insensitively.

    `has`: headings that a file of this format has, all of one of these groups. `who`: by heading, the field
    of the roster that its cell is. `names`: groups of headings that make a name. `text`: headings of what the
    import does not read and people type: guarded against formulas. `title`: what a heading of grades is made of.
    `grade`: the one heading of grades, "" where there are several. `maximum`: the heading, or the name of the line, of
    maxima. `changeable`: the heading of what says "No" for a grade that is locked. `keeps`: grades that mean something
    else. `erases`: an empty cell erases a grade, and the vendor's own file does not say whether there is one. `by`: by
    a field of the roster, the heading that identifies a student in a file that we make; `default_by`: these.
    """

    to: str
    called: str
    upload: str
    has: tuple[tuple[str, ...], ...]
    who: Mapping[str, str]
    names: tuple[tuple[str, ...], ...]
    text: tuple[str, ...]
    title: re.Pattern[str] = re.compile("(?P<title>.*)")
    grade: str = ""
    maximum: str = ""
    not_grades: re.Pattern[str] = re.compile("(?!)")
    changeable: str = ""
    keeps: tuple[str, ...] = ()
    erases: bool = False
    by: Mapping[str, str] = {}
    default_by: tuple[str, ...] = ()


CANVAS = Format(
    to="canvas",
    called="Canvas's gradebook",
    upload="Canvas: Grades, Import. It shows what would change before it saves anything",
    has=(("Student", "ID", "Section"), ("LastName", "FirstName", "ID", "Section")),
    who={"ID": "canvas", "SIS User ID": "id", "SIS Login ID": "login"},
    names=(("Student",), ("FirstName", "LastName")),
    text=("Student", "LastName", "FirstName", "Section"),
    title=re.compile(r"(?P<title>.*?)(?:\s\((?P<number>\d+)\))?", re.S),
    maximum="Points Possible",
    not_grades=re.compile("(current|final|override) (score|points|grade|status)|root account|integration id"),
    keeps=("EX", "EXCUSED", "N/A"),
    by={"canvas": "ID", "id": "SIS User ID", "login": "SIS Login ID"},
    default_by=("canvas", "login"),
)
WORKSHEET = Format(
    to="moodle",
    called="Moodle's grading worksheet",
    upload='Moodle: the assignment, Submissions, Actions, "Upload grading worksheet"',
    has=(("Identifier", "Grade", "Last modified (grade)"),),
    who={"Identifier": "moodle", "ID number": "id", "Username": "login", "Email address": "email"},
    names=(("Full name",),),
    text=("Full name", "Group", "Institution", "Department", "Online text"),
    grade="Grade",
    maximum="Maximum Grade",
    changeable="Grade can be changed",
)
MOODLE = Format(
    to="moodle",
    called="Moodle's gradebook",
    upload="Moodle: Grades, Import, CSV file. Choose which column identifies the user, and which grade item is meant",
    has=(("Email address",), ("ID number",), ("Username",)),
    who={"ID number": "id", "Username": "login", "Email address": "email"},
    names=(("First name", "Last name"), ("First name", "Surname"), ("Full name",)),
    text=("First name", "Last name", "Surname", "Full name", "Institution", "Department"),
    title=re.compile(r"(?:[^:]+: )?(?P<title>.*?)(?: \((?:Real|Points)\))?", re.S),
    not_grades=re.compile(r".*\((feedback|percentage|letter)\)|last downloaded .*|.* total \(.*"),
    erases=True,
    by={"email": "Email address", "id": "ID number", "login": "Username"},
    default_by=("email",),
)
VENDORS = (CANVAS, WORKSHEET, MOODLE)  # a file is of the first one whose headings it has
MADE = {"canvas": CANVAS, "moodle": MOODLE}
PLAIN = "csv"
