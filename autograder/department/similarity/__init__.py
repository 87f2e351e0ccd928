"""`make similarity LAB=01`: which answers may have a common source, as questions on a page, never as verdicts.

hand_ins.py    the answers of this class and of earlier years' folders, read as the grader reads them
given.py       text that everybody may have: starter code, the reference, the answers that the authors know
fragments.py   a text as tokens, and short runs of tokens as fragments
questions.py   answers that share fragments which few others have, grouped
html_page.py        `autograder/similarity.html`
__main__.py    the command

The tokens are Pygments': copydetect 0.5.0, which uses the same tokens, recognizes renamed and reordered copies as well,
but it compares each pair of a class by itself (about 27 CPU minutes for the 13 exercises of lab 1 and 1,000 students,
computed from the time of a pair), can't say how many others have a fragment, and gives other fingerprints in every
process; compare50 1.2.15 needs an older `attrs` than JupyterLab's packages.
"""

FILE = "autograder/similarity.html"


class SimilarityError(ValueError):
    """The answers can't be compared as requested; the message says what was expected, what was found, what to do."""
