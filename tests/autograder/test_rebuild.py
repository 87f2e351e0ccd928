"""The graded notebook is the released one; of the student it holds text, and text that harms nobody."""

import nbformat
import pytest
from handed_in import (
    ACCESSOR,
    CONTIGUOUS,
    EXERCISES,
    LAB,
    REPOSITORY,
    RIGHT,
    VIEW,
    cell_of,
    notebook_of,
    write_course,
)

from autograder.examine import handin
from autograder.examine.answer_text import name_of
from autograder.examine.handin import Cell
from autograder.grading.markup import LONGEST_SPACE, PLAIN, as_typed, highlighted, is_harmless, safe_markdown
from autograder.grading.rebuild import digest, rebuild, released

ANSWER = "strides-contiguous_strides-answer"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return write_course(tmp_path_factory.mktemp("course"))


@pytest.fixture
def release(root):
    return released(root / "course", LAB)


def cells_of(notebook):
    return list(handin.cells_of(notebook))


def rebuilt_with(root, release, *more, answers=RIGHT):
    return rebuild(release, [*cells_of(notebook_of(root, answers)), *more])


def test_an_untouched_notebook_comes_out_as_released(root, release):
    assert rebuilt_with(root, release, answers={}).notebook == release


def test_answers_stand_in_their_cells(root, release):
    sources = {name_of(cell): cell.source for cell in rebuilt_with(root, release).notebook.cells}
    assert [sources[f"{name.replace('.', '-')}-answer"] for name in EXERCISES] == list(RIGHT.values())


def test_of_a_cell_only_its_text_is_taken(root, release):
    notebook = notebook_of(root)
    for cell in notebook["cells"]:
        cell["metadata"] = {"nbgrader": cell["metadata"].get("nbgrader", {}) | {"points": 1000, "schema_version": 99}}
        cell["metadata"]["tags"] = ["skip-execution"]
        cell["outputs"], cell["cell_type"] = [{"output_type": "execute_result", "data": {"text/plain": "nan"}}], "code"
    rebuilt = rebuild(release, cells_of(notebook)).notebook
    assert rebuilt == rebuild(release, cells_of(notebook_of(root))).notebook


def test_of_copies_the_last_that_differs_from_the_stub_counts(root, release):
    stub = next(cell.source for cell in release.cells if name_of(cell) == ANSWER)
    first, second = (f"def contiguous_strides(sizes):\n    return {number}" for number in (1, 2))
    copies = [Cell("code", text, ANSWER) for text in (first, second, stub + "\n")]
    rebuilt = rebuilt_with(root, release, *copies)
    assert rebuilt.answers[ANSWER] == second and rebuilt.repeated == (ANSWER,)


def test_the_stub_of_another_release_is_a_stub(root, release):
    stub = next(cell.source for cell in release.cells if name_of(cell) == ANSWER)
    last_week = stub.replace("Strides of", "The strides of").replace("# YOUR CODE", "# your code")
    assert last_week != stub
    copies = [Cell("code", text, ANSWER) for text in ("an answer", last_week)]
    assert rebuild(release, copies).answers[ANSWER] == "an answer"


def test_a_deleted_answer_is_missing_and_its_stub_is_back(root, release):
    rebuilt = rebuild(release, [cell for cell in cells_of(notebook_of(root)) if cell.name != ANSWER])
    assert rebuilt.answers[ANSWER] is None
    assert [name_of(cell) for cell in rebuilt.notebook.cells] == [name_of(cell) for cell in release.cells]


def test_a_cell_counts_by_its_own_id_where_marks_were_lost(root, release):
    notebook = notebook_of(root)
    for cell in notebook["cells"]:
        cell["metadata"] = {}
    assert rebuild(release, cells_of(notebook)).answers[ANSWER] == RIGHT[CONTIGUOUS]


def test_a_replaced_check_cell_is_as_released(root, release):
    check = Cell("code", "print('80 of 80')", "strides-contiguous_strides")
    assert rebuilt_with(root, release, check, answers={}).notebook == release


def test_a_student_s_own_cell_follows_what_it_followed(root, release):
    cells = cells_of(notebook_of(root, {}))
    at = [cell.name for cell in cells].index(ANSWER) + 1
    notebook = rebuild(release, [*cells[:at], Cell("code", "contiguous_strides((2, 3))", "new"), *cells[at:]]).notebook
    ids = [cell.id for cell in notebook.cells]
    assert ids[ids.index(ANSWER) + 1] == "extra-1"


def test_given_text_of_an_older_release_is_no_cell_of_the_student_s(root, release):
    old = "What the lab said last week."
    assert rebuilt_with(root, release, Cell("markdown", old, "given-" + digest("markdown", old))).extra == 0


def test_the_weave_names_given_cells_as_they_are_recognised(release):
    given = [cell for cell in release.cells if name_of(cell).startswith("given-")]
    assert given and all(digest(cell.cell_type, cell.source) in cell.id for cell in given)


def test_a_raw_cell_becomes_code_that_nobody_runs(root, release):
    notebook = rebuilt_with(root, release, Cell("raw", "<script>alert(1)</script>", "")).notebook
    assert next(cell for cell in notebook.cells if cell.id == "extra-1").cell_type == "code"


def test_a_script_in_a_written_answer_is_shown_as_typed(root, release):
    text = "My answer <script>alert(1)</script>"
    notebook = rebuilt_with(root, release, Cell("markdown", text, "reflect-stride-zero")).notebook
    assert next(cell.source for cell in notebook.cells if name_of(cell) == "reflect-stride-zero") == as_typed(text)


def test_the_rebuilt_notebook_is_a_valid_one(root, release):
    extra = (Cell(kind, "x", name) for kind, name in (("code", ANSWER), ("heading", ""), ("markdown", "x" * 500)))
    nbformat.validate(rebuilt_with(root, release, *extra, answers={ACCESSOR: "x", VIEW: "y"}).notebook)


@pytest.mark.parametrize(("space", "metadata"), [("", {}), ("", {PLAIN: True}), (" " * (LONGEST_SPACE + 1), {})])
def test_code_is_text_with_colors_and_without(space, metadata):
    shown = highlighted(f"x = 1{space}<script>alert(1)</script>", metadata=metadata)
    assert "<script" not in shown and "&lt;" in shown


HARMLESS = {
    "plain": "Strides of 0 *repeat*: `a < b` and b > c & d.",
    "table": "| a | b |\n|:--|--:|\n| 1 | 2 |",
    "quote and list": "> quote\n\n1. one\n2. two\n\n- [x] done",
    "formula": "$i_0 < n$ and $$\\text{sizes}[d]$$",
    "code": "```python\nif a < b: print('&')\n```",
    "link": "[docs](https://pytorch.org) <https://example.org>",
    "formula as text": r"`\href{a}{b}` and ``$\style{a}{b}$``",
    "tags as text": "`<script>` and &lt;script&gt;",
}
HARMFUL = {
    "script": "<script>alert(1)</script>",
    "handler": "<b onclick=alert(1)>x</b>",
    "picture that fails": "<img src=x onerror=alert(1)>",
    "javascript link": "[a](javascript:alert(1))",
    "javascript link, spelled with entities": "[a](java&#115;cript&colon;alert(1))",
    "javascript link in HTML": '<a href="java\tscript:alert(1)">a</a>',
    "data link": "<a href='data:text/html,<script>1</script>'>a</a>",
    "link defined elsewhere": "[x]\n\n[x]: JaVaScRiPt:alert(1)",
    "picture from elsewhere": "![x](https://example.org/who-reads-this.png)",
    "picture that is missing": "![x](attachment:a.png)",
    "svg": "<svg><script>1</script></svg>",
    "style": "<div style='position:fixed'>x</div>",
    "form": "<form action=//example.org><input type=submit></form>",
    "frame": "<iframe srcdoc='<script>1</script>'></iframe>",
    "mermaid": "```mermaid\n</pre><script>1</script>\n```",
    "environment": "\\begin{<img src=x onerror=1>}a\\end{<img src=x onerror=1>}",
    "comment": "<!-- -->",
    "formula with a link": r"$\href{javascript:alert(1)}{x}$",
    "formula over the page": r"$$\style{position:fixed;top:0}{x}$$",
    "too long to render": "word " * 3000,
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_markdown_stays_as_it_is(text):
    assert safe_markdown(text) == text


@pytest.mark.parametrize("text", HARMFUL.values(), ids=HARMFUL)
def test_markdown_is_shown_as_typed(text):
    assert not is_harmless(text) and is_harmless(as_typed(text[:500]))


def test_a_text_can_not_end_the_block_that_shows_it():
    text = "~~~~\n<script>alert(1)</script>\n~~~~~\n<script>"
    assert is_harmless(as_typed(text))


def test_the_repository_s_own_release_is_rebuilt_as_it_is():
    release = released(REPOSITORY / "course", LAB)
    cells = [Cell(cell.cell_type, cell.source, name_of(cell)) for cell in release.cells]
    assert rebuild(release, cells).notebook == release


def half_of(answer):
    """A change: the answer's cell is split within its function, as JupyterLab does, with a remark between."""

    def change(notebook):
        cell = cell_of(notebook, answer)
        place, (first, second) = notebook["cells"].index(cell), split(cell["source"])
        parts = [cell | {"id": f"{number}", "source": text} for number, text in enumerate((first, second))]
        remark = {"cell_type": "markdown", "id": "remark", "metadata": {}, "source": "And now the rest."}
        notebook["cells"][place : place + 1] = [parts[0], remark, parts[1]]

    return change


def split(text, at="\n    strides ="):
    cut = text.index(at)
    return text[:cut], text[cut + 1 :]


def test_a_split_cell_is_one_answer(root, release):
    notebook = notebook_of(root)
    half_of(ANSWER)(notebook)
    rebuilt = rebuild(release, cells_of(notebook))
    assert rebuilt.answers[ANSWER] == RIGHT[CONTIGUOUS] and rebuilt.repeated == (ANSWER,)


WRITTEN = "reflect-stride-zero"


def test_the_parts_of_a_written_answer_are_one_text_and_a_copy_is_not_repeated(root, release):
    texts = ("class Tensor is a view.", "YOUR ANSWER HERE", "class Tensor has strides.", "class Tensor is a view.")
    rebuilt = rebuild(release, [Cell("markdown", text, WRITTEN) for text in texts])
    assert rebuilt.answers[WRITTEN] == "class Tensor is a view.\n\nclass Tensor has strides."


def bare(cells, lost=lambda place: True):
    """The cells without names, as a program leaves them that knows neither marks nor ids."""
    return [cell._replace(name="") if lost(place) else cell for place, cell in enumerate(cells)]


@pytest.mark.parametrize("lost", [lambda place: True, lambda place: place % 2, lambda place: not place % 2])
def test_answers_that_lost_their_names_are_found(root, release, lost):
    notebook = notebook_of(root)
    cell_of(notebook, WRITTEN)["source"] = "It repeats."
    whole = cells_of(notebook)
    rebuilt = rebuild(release, bare(whole, lost))
    assert rebuilt.answers == rebuild(release, whole).answers and rebuilt.extra == 0
    assert set(rebuilt.found) == {cell.name for place, cell in enumerate(whole) if lost(place)} & set(rebuilt.answers)


def test_a_check_cell_that_was_lost_loses_nothing(root, release):
    cells = [cell for cell in cells_of(notebook_of(root)) if cell.name != "strides-contiguous_strides"]
    assert rebuild(release, cells).answers == rebuild(release, cells_of(notebook_of(root))).answers


def test_two_answers_in_one_cell_are_two(root, release):
    cells = [cell for cell in cells_of(notebook_of(root)) if cell.name != "strides-view_strides-answer"]
    both = f"{RIGHT[CONTIGUOUS]}\n{RIGHT[VIEW]}"
    cells = [cell._replace(source=both) if cell.name == ANSWER else cell for cell in cells]
    answers = rebuild(release, cells).answers
    assert answers[ANSWER] == answers["strides-view_strides-answer"] == both


def test_what_is_written_elsewhere_does_not_replace_an_answer(root, release):
    scratch = Cell("code", RIGHT[CONTIGUOUS], "scratch")
    assert (
        rebuilt_with(root, release, scratch, answers={CONTIGUOUS: "def contiguous_strides(sizes): ..."})
        .answers[ANSWER]
        .endswith(": ...")
    )


PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def with_picture(text, attached, name=WRITTEN):
    given = {"cell_type": "markdown", "id": name, "metadata": {}, "source": text, "attachments": attached}
    return handin.cells_of({"nbformat": 4, "cells": [given]})


def written(release, cells):
    return next(cell for cell in rebuild(release, cells).notebook.cells if name_of(cell) == WRITTEN)


def test_a_picture_in_a_written_answer_is_shown(release):
    text = "As drawn:\n\n![image.png](attachment:image.png)"
    cell = written(release, with_picture(text, {"image.png": {"image/png": PNG}}))
    assert cell.source == text and cell.attachments == {"image.png": {"image/png": PNG}}


def test_two_pictures_of_one_name_in_a_split_answer_are_both_shown(release):
    other = PNG.replace("M9QDw", "M9QDv")
    cells = [*with_picture("1 ![](attachment:a.png)", {"a.png": {"image/png": PNG}}),
             *with_picture("2 ![](attachment:a.png)", {"a.png": {"image/png": other}})]  # fmt: skip
    cell = written(release, cells)
    assert cell.source == "1 ![](attachment:a.png)\n\n2 ![](attachment:other-a.png)"
    assert cell.attachments == {"a.png": {"image/png": PNG}, "other-a.png": {"image/png": other}}


BAD_PICTURES = {
    "svg": {"image/svg+xml": "PHN2Zz48c2NyaXB0Lz48L3N2Zz4="},
    "a script called png": {"image/png": "PHNjcmlwdD4="},
    "no base64": {"image/png": '"><script>'},
    "no text": {"image/png": 7},
    "nothing": 7,
}


@pytest.mark.parametrize("kinds", BAD_PICTURES.values(), ids=BAD_PICTURES)
def test_another_attachment_is_left_out_with_a_note(release, kinds):
    cell = written(release, with_picture("![a](attachment:a.png)", {"a.png": kinds}))
    assert "attachments" not in cell and "can't be shown" in cell.source and is_harmless(cell.source)


def test_a_picture_hides_no_link(release):
    text = "[![a](attachment:a.png)](javascript:alert(1))"
    assert written(release, with_picture(text, {"a.png": {"image/png": PNG}})).source.startswith("~~~~")
