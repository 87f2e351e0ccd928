"""Hostile answers in formgrader, in a real browser: what the grader types is saved, and no click gives a point."""

import itertools
import json
from collections import Counter

import pytest
from formgrader_server import CHROMIUM, TOKEN, new_tab, served
from handed_in import LAB, cell_of, hand_in, write_course
from hostile_markdown import GRADE, HOSTILE
from nbgrader.api import Gradebook

from autograder.author.course_config import gradebook_url
from autograder.grading import gradebook
from autograder.grading.markup import TAGS
from autograder.grading.submission_record import Settings, run_submission

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="not run: needs chromium"),
    pytest.mark.usefixtures("isolation"),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # nbgrader's own
]
SCORE, COMMENT = f"input.score[id='{GRADE}']", f"textarea[id='{GRADE}-comment']"
CONTROLS = ".nbgrader_cell .score, .nbgrader_cell .extra-credit, .nbgrader_cell .comment, .full-credit, .no-credit"
CONFINED = "div[style*=contain]"  # in which formgrader shows a Markdown cell
ATTRIBUTES = """confined => [...document.querySelectorAll(confined)].flatMap(cell => [...cell.querySelectorAll("*")])
  .filter(each => !each.closest(".highlight")).map(each => [each.tagName.toLowerCase(), each.getAttributeNames()])"""
COVERED = """controls => [...document.querySelectorAll(controls)].filter(each => each.offsetParent).filter(each => {
  each.scrollIntoView({block: "center", behavior: "instant"});
  const box = each.getBoundingClientRect();
  return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) !== each;
}).map(each => each.outerHTML)"""
OUTSIDE = """([confined, styles]) => {
  for (const cell of document.querySelectorAll(confined))
    cell.insertAdjacentHTML("beforeend", styles.map(style => `<i style="${style}">x</i>`).join(""));
}"""
STYLES = ("position: fixed; inset: 0; z-index: 9999", "position: absolute; left: -999px; top: -999px; padding: 2000px")
IS_EMPTY = """([x, y, confined]) => {
  const found = document.elementFromPoint(x, y);
  return Boolean(found.closest(confined)) || !found.closest("a, button, input, textarea, .help");
}"""
HANDLER = "document.body.insertAdjacentHTML('afterbegin', '<b id=x onclick=\"document.title = 1\">x</b>')"


def with_cells(notebook):
    """A change: the texts are in Markdown cells of the student's own above all, and the first one in the answer."""
    cell_of(notebook, GRADE)["source"] = next(iter(HOSTILE.values()))
    own = {"cell_type": "markdown", "metadata": {}}
    notebook["cells"][:0] = [own | {"id": f"own-{at}", "source": text} for at, text in enumerate(HOSTILE.values())]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A course with two hostile students, graded."""
    root = write_course(tmp_path_factory.mktemp("course"))
    for student in ("eve", "mallory"):
        hand_in(root, student, change=with_cells)
        gradebook.enter(root, run_submission(student, LAB, Settings(root=root)))
    return root


def leave_as_typed(root, text):
    """Let mallory's graded notebook hold one text as she typed it, as if nothing had looked at it before."""
    path = root / "autograder" / "autograded" / "mallory" / LAB / "lab.ipynb"
    notebook = json.loads(path.read_text())
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"].removeprefix("extra-") in ("1", cell["id"])]
    cell_of(notebook, "extra-1")["source"] = text
    cell_of(notebook, GRADE)["source"] = "It repeats."
    path.unlink()
    path.write_text(json.dumps(notebook))


@pytest.fixture(scope="module")
def tab(root):
    with served(root) as address, new_tab() as tab:
        tab.goto(f"{address}/gradebook/{LAB}/lab?token={TOKEN}", wait_until="domcontentloaded")
        yield tab


def open_page(tab, root, student):
    """Open a student's page, until nbgrader's script has found the boxes that it writes to."""
    with Gradebook(gradebook_url(root)) as book:
        of_student = book.find_submission_notebook("lab", LAB, student).id
    tab.goto(
        f"{tab.url.partition('/formgrader')[0]}/formgrader/submissions/{of_student}/", wait_until="domcontentloaded"
    )
    tab.wait_for_function("window.formgrader && formgrader.grades?.loaded && formgrader.comments?.loaded")


def saved(root, student):
    """The points and the comment that were given by hand for the written answer."""
    with Gradebook(gradebook_url(root)) as book:
        notebook = book.find_submission_notebook("lab", LAB, student)
        [score] = [grade.manual_score for grade in notebook.grades if grade.name == GRADE]
        [comment] = [comment.manual_comment for comment in notebook.comments if comment.name == GRADE]
        return score, comment


def assert_harmless(tab, root, student, points):
    """Nothing of the student's has a name or covers a control; no click gives a point; what is typed is saved."""
    found = tab.evaluate(ATTRIBUTES, CONFINED)
    assert {tag for tag, _ in found} <= TAGS
    assert {name for _, names in found for name in names} <= {"href", "tabindex"}  # nbgrader's script gives the latter
    ids = Counter(tab.eval_on_selector_all("[id]", "found => found.map(each => each.id)"))
    assert {name for name, times in ids.items() if times > 1} == {"notebook", "notebook-container"}  # nbgrader's own
    assert tab.evaluate(COVERED, CONTROLS) == []
    before, sent = saved(root, student), []
    tab.on("request", lambda request: sent.append(request.method) if "/api/" in request.url else None)
    tab.evaluate("scrollTo(0, 0)")
    for x, y in itertools.product((3, 400, 1270), range(60, 700, 160)):
        if tab.evaluate(IS_EMPTY, [x, y, CONFINED]):
            tab.mouse.click(x, y)
    tab.wait_for_timeout(100)
    assert not set(sent) - {"GET"} and saved(root, student) == before
    with tab.expect_response(lambda response: "/api/grade/" in response.url, timeout=5000):
        tab.fill(SCORE, str(points))
        tab.locator(SCORE).blur()
    with tab.expect_response(lambda response: "/api/comment/" in response.url, timeout=5000):
        tab.fill(COMMENT, f"Worth {points}.")
        tab.locator(COMMENT).blur()
    assert saved(root, student) == (points, f"Worth {points}.")


@pytest.mark.parametrize(("text", "points"), list(zip(HOSTILE.values(), itertools.count(1))), ids=HOSTILE)
def test_one_text_as_typed_reaches_nothing_of_the_grader_s(tab, root, text, points):
    leave_as_typed(root, text)
    open_page(tab, root, "mallory")
    assert_harmless(tab, root, "mallory", points)


def test_all_texts_as_they_are_graded_reach_nothing_of_the_grader_s(tab, root):
    open_page(tab, root, "eve")
    assert len(tab.evaluate(ATTRIBUTES, CONFINED)) > len(HOSTILE)
    assert_harmless(tab, root, "eve", 7)


def test_what_is_painted_in_a_cell_covers_nothing_outside(tab, root):
    """As a formula's macros might, which move and stretch what they set."""
    open_page(tab, root, "eve")
    tab.evaluate(OUTSIDE, [CONFINED, STYLES])
    assert tab.evaluate(COVERED, CONTROLS) == []


def test_formgrader_s_policy_stops_a_handler_and_leaves_nbgrader_its_own(tab, root):
    open_page(tab, root, "eve")
    assert tab.locator(".name-shown").first.is_hidden()
    tab.locator("span.name-hidden").click()
    assert tab.locator(".name-shown").first.is_visible()
    tab.evaluate(HANDLER)
    title = tab.title()
    tab.locator("#x").dispatch_event("click")
    assert tab.title() == title
