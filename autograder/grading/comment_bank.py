"""The comments that graders of a lab's written answers have given so far, to be given again."""

from nbgrader.api import Assignment, BaseCell, Comment, Notebook
from sqlalchemy import func, select

from autograder.grading import database

MOST = 20  # of a question that are offered; whoever grades a thousand answers writes more than anyone reads through


def given(url: str, lab: str) -> dict[str, list[tuple[str, int]]]:
    """Return the comments that graders wrote, by cell name, with how often each was used, most frequent first."""
    times = func.count().label("times")
    rows = (
        select(BaseCell.name, Comment.manual_comment, times)
        .select_from(Comment)
        .join(BaseCell, Comment.cell_id == BaseCell.id)
        .join(Notebook, BaseCell.notebook_id == Notebook.id)
        .join(Assignment, Notebook.assignment_id == Assignment.id)
        .where(Assignment.name == lab, Comment.manual_comment.is_not(None), Comment.manual_comment != "")
        .group_by(BaseCell.name, Comment.manual_comment)
        .order_by(times.desc(), Comment.manual_comment)
    )
    bank: dict[str, list[tuple[str, int]]] = {}
    with database.engine(url).connect() as connection:
        for name, comment, count in connection.execute(rows):
            bank.setdefault(name, []).append((comment, count))
    return {name: comments[:MOST] for name, comments in bank.items()}
