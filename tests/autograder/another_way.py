"""Right answers in other words than the engine's, by exercise: those beside the checks, and some of the cohorts."""

from autograder.made_up.answers import RIGHT_ANSWERS
from autograder.made_up.student import load

STUDENTS = {
    "02-dispatch": ("edda-recursive", "wanda-other-words"),
    "03-operators": ("hilda-recursive", "rosa-tables"),
    "04-autograd": ("xaver-other-words",),
    "07-profiler": ("nora-other-words",),
}
ANOTHER_WAY: dict[str, str] = {exercise: texts[0] for exercise, texts in RIGHT_ANSWERS.items()} | {
    exercise: source
    for lab, names in STUDENTS.items()
    for name in names
    for exercise, source in load(lab)[name].cells.items()
}
"""One for each exercise that has any."""
