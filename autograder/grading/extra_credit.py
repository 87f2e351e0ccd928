"""The points of optional exercises are nbgrader's extra credit of a check cell whose maximum is 0.

Formgrader shows one number of extra credit for each cell, and an instructor can change it. So the gradebook's table
`extra_earned` keeps what the grader entered last: the difference between the number and this is the instructor's, and
a new verdict changes only the rest.
"""

from collections.abc import Iterable

from nbgrader.api import Grade, Gradebook

from autograder.grading.own_tables import EARNED


def after_penalty(score: float, extra: float, penalty: float) -> tuple[float, float]:
    """Return score and extra credit after a late penalty, which reduces both by the same percentage."""
    whole = score + extra
    share = max(0.0, 1 - penalty / whole) if penalty and whole > 0 else 1.0
    return round(score * share, 2), round(extra * share, 2)


def of(grades: Iterable[Grade]) -> float:
    """Return the total extra credit of these grades, earned or given by hand; 0 for a grade that is not judged yet."""
    return sum(grade.extra_credit or 0.0 for grade in grades if (grade.manual_score, grade.auto_score) != (None, None))


def earned(book: Gradebook, grade: Grade) -> float:
    """Return the points that the last verdict earned on an optional exercise; 0 for any other cell."""
    connection = book.db.connection()
    EARNED.create(connection, checkfirst=True)
    row = connection.execute(EARNED.select().where(EARNED.c.grade == grade.id)).one_or_none()
    return row.points if row else 0.0


def by_hand(book: Gradebook, grade: Grade) -> float | None:
    """Return the extra credit that a grader gave by hand, negative if points were taken away; None if there is none."""
    return (grade.extra_credit or 0.0) - earned(book, grade) or None


def enter(book: Gradebook, grade: Grade, points: float) -> None:
    """Enter the points of a verdict as extra credit; points given by hand are added to them."""
    given, before = by_hand(book, grade), earned(book, grade)
    if points != before:
        book.db.execute(EARNED.delete().where(EARNED.c.grade == grade.id))
        book.db.execute(EARNED.insert().values(grade=grade.id, points=points))
    grade.extra_credit = max(0.0, points + (given or 0.0))


def forget(book: Gradebook, grade: Grade) -> None:
    """Keep only the extra credit given by hand, because the cell is gone or its exercise is no longer optional."""
    grade.extra_credit = by_hand(book, grade)
    book.db.execute(EARNED.delete().where(EARNED.c.grade == grade.id))


def move(book: Gradebook, grade: Grade) -> None:
    """Convert the score of a now optional exercise to extra credit; an override becomes points given by hand."""
    judged, score = grade.auto_score or 0.0, grade.manual_score
    given = by_hand(book, grade) or 0.0
    if score is not None:
        given += score - judged
    grade.manual_score, grade.auto_score = None, grade.auto_score and 0.0
    book.db.flush()  # a new grade has its id now
    grade.extra_credit = given
    enter(book, grade, judged)
