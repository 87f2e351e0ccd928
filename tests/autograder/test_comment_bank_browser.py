"""Formgrader, started as an instructor starts it, in a real browser: a comment of the bank is given by a click."""

import pytest
from formgrader_server import CHROMIUM, TOKEN, new_tab, served
from handed_in import LAB, hand_in, write_answer, write_course
from nbgrader.api import Gradebook
from playwright.sync_api import expect

from autograder.author.course_config import gradebook_url
from autograder.grading import gradebook
from autograder.grading.submission_record import Settings, run_submission

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="not run: needs chromium"),
    pytest.mark.usefixtures("isolation"),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # nbgrader's own
]
GIVEN = 'Say "how" you <i>measured</i>.\nOr show it.'
BOX = "#reflect-stride-zero-comment"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A course in which bob's answer has a comment, and ada's has none yet."""
    root = write_course(tmp_path_factory.mktemp("course"))
    for student in ("ada", "bob"):
        hand_in(root, student, change=write_answer(f"It repeats, says {student}."))
        gradebook.enter(root, run_submission(student, LAB, Settings(root=root)))
    with Gradebook(gradebook_url(root)) as book:
        notebook = book.find_submission_notebook("lab", LAB, "bob")
        [comment] = [comment for comment in notebook.comments if comment.name == "reflect-stride-zero"]
        comment.manual_comment = GIVEN
        book.db.commit()
    return root


@pytest.fixture(scope="module")
def address(root):
    with served(root) as address:
        yield address


@pytest.fixture
def tab():
    with new_tab() as tab:
        yield tab


def test_a_comment_that_another_student_got_is_given_by_a_click(root, address, tab):
    with Gradebook(gradebook_url(root)) as book:
        ada = book.find_submission_notebook("lab", LAB, "ada").id
    tab.goto(f"{address}/gradebook/{LAB}/lab?token={TOKEN}", wait_until="domcontentloaded")  # as the command opens it
    expect(tab.locator("#main-table tr")).to_have_count(2)
    tab.goto(f"{address}/submissions/{ada}/", wait_until="domcontentloaded")
    tab.wait_for_function(f"document.querySelector('{BOX}').placeholder")  # formgrader's script has loaded its comments
    tab.get_by_text("Comments: click one").click()
    tab.fill(BOX, "Well seen.")
    with tab.expect_response(lambda response: "/api/comment/" in response.url):
        tab.get_by_role("button", name="Add").first.click()
    tab.get_by_role("button", name="Add").first.click()
    assert tab.input_value(BOX) == f"Well seen.\n\n{GIVEN}"
    with Gradebook(gradebook_url(root)) as book:
        saved = {
            comment.name: comment.manual_comment
            for comment in book.find_submission_notebook("lab", LAB, "ada").comments
        }
    assert saved["reflect-stride-zero"] == f"Well seen.\n\n{GIVEN}"
