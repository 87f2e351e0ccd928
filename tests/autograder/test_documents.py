"""Documents beside a notebook: what is read out of them, what it earns, and what is said of one that is malformed."""

import time

import pytest

from autograder import documents
from autograder.author.lab_text import LABS, ROOT
from autograder.documents.checked_document import Aspect, Document
from autograder.documents.reader import read, section
from autograder.examine.rendering import render
from autograder.examine.verdict import RIGHT, WRONG, from_json, to_json

ORDER = Aspect("order", 2, ("name",), "compare", in_order=True)
SIZES = Aspect("sizes", 1, ("size",), "measure")
RIGHT_ROWS = {"one": [("a", "big"), ("b", "small"), ("a", "small")], "two": [("c", "big")]}
DOCUMENT = Document(
    "LIST.md", ("name", "size"), ("name",), (ORDER, SIZES), lambda: RIGHT_ROWS, {"size": ("big", "small")}
)
GOOD = """\
# A list

## one

| name | size |
|------|------|
| a | big |
| b | small |
| a | small |

## two

| name | size |
|---|---|
| c | big |

## In words

Because.

### And more

So.
"""


def judge(text):
    return documents.judge(DOCUMENT, text)


def points(result):
    return {aspect.name: aspect.points for aspect in result.aspects}


def changed(old, new):
    assert old in GOOD
    return GOOD.replace(old, new)


def test_right_rows_earn_everything():
    assert judge(GOOD).verdict == RIGHT and points(judge(GOOD)) == {"order": 2, "sizes": 1}


OTHER_WORDS = {
    "without the bars at the end": changed("| a | big |", "a | big").replace("a | big", "| a | big", 1),
    "in bold and in code": changed("| b | small |", "| **b** | `small` |"),
    "in capitals": changed("| c | big |", "| C | BIG |"),
    "with an empty row": changed("| b | small |", "|  |  |\n| b | small |"),
    "with the tables in another order": "## two\n\n| name | size |\n|--|--|\n|c|big|\n" + changed("## two", "## three"),
    "with Windows' ends of lines": GOOD.replace("\n", "\r\n"),
    "with a mark of the byte order": "\ufeff" + GOOD,
    "with prose around the table": changed("## two\n", "## two\n\nOne row only, a | b in prose:\n"),
    "with another table in a comment": changed("## two\n", "## two\n<!--\n| x |\n## one\n-->\n"),
    "with another table in a block of code": changed("## two\n", "## two\n```\n| x |\n## one\n```\n"),
    "with headings in code": changed("## one", "### `one` ###"),
}


@pytest.mark.parametrize("text", OTHER_WORDS.values(), ids=OTHER_WORDS)
def test_the_same_in_other_words_is_right(text):
    assert judge(text).verdict == RIGHT, render(judge(text))


MALFORMED = {
    "no text": ("", "line 1: the text ends without the heading `## one`; its headings are: none"),
    "no heading": (
        GOOD.replace("## two", "## too"),
        "line 23: the text ends without the heading `## two`; its headings are: `a list`, `one`, `too`, `in words`",
    ),
    "a heading twice": (GOOD + "## one\n", "line 24: the heading `## one` stands in line 3 already"),
    "no table": (GOOD.partition("| c |")[0].replace("| name | size |\n|---|---|\n", ""), "line 11: expected a table"),
    "other columns": (changed("| name | size |\n|---|", "| name | mass |\n|---|"), "line 13: expected the columns"),
    "a column more": (changed("| name | size |\n|---|", "| name | size | x |\n|---|"), "line 13: expected the columns"),
    "no rule": (changed("|---|---|\n", ""), "line 14: expected `|---|---|`"),
    "a short rule": (changed("|---|---|\n", "|---|\n"), "line 14: expected `|---|---|`"),
    "a cell more": (changed("| c | big |", "| c | big | x |"), "line 15: expected a row of 2 cells"),
    "a cell less": (changed("| b | small |", "| b |"), "line 8: expected a row of 2 cells, `| name | size |`, got 1"),
    "a sentence in the table": (changed("| b | small |", "then b"), "line 8: expected a row of 2 cells"),
    "an empty line in the table": (changed("| b | small |", "\n| b | small |"), "line 9: a row after the end"),
    "far too many rows": (changed("| c | big |", "| c | big |\n" * 300), "line 215: more than 200 rows"),
}


@pytest.mark.parametrize(("text", "said"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_document_is_told_the_line_and_what_was_expected(text, said):
    result = judge(text)
    assert result.verdict == WRONG and result.points == 0
    assert result.message.startswith(f"LIST.md, {said}")


def test_a_document_that_is_missing_is_worth_nothing():
    assert judge(None).points == 0 and "was not handed in" in judge(None).message


def test_a_template_is_not_written_yet():
    empty = "## one\n|name|size|\n|-|-|\n| | |\n## two\n|name|size|\n|-|-|\n"
    assert judge(empty).message == documents.EMPTY


WRONG_ROWS = {
    "two rows exchanged": ("| a | big |\n| b | small |", "| b | small |\n| a | big |", {"order": 0, "sizes": 1}),
    "a wrong size": ("| c | big |", "| c | small |", {"order": 2, "sizes": 0}),
    "no size": ("| c | big |", "| c | |", {"order": 2, "sizes": 0}),
    "a word that is not of the list": ("| c | big |", "| c | huge |", {"order": 2, "sizes": 0}),
    "a wrong name": ("| c | big |", "| d | big |", {"order": 0, "sizes": 1}),
    "a row less": ("| b | small |\n", "", {"order": 0, "sizes": 0}),
    "a row more": ("| c | big |", "| c | big |\n| d | big |", {"order": 0, "sizes": 1}),
}


@pytest.mark.parametrize(("old", "new", "earned"), WRONG_ROWS.values(), ids=WRONG_ROWS)
def test_a_mistake_costs_its_aspect(old, new, earned):
    assert points(judge(changed(old, new))) == earned


def test_a_wrong_row_is_shown_by_its_line_and_without_the_answer():
    text = render(judge(changed("| c | big |", "| c | small |")))
    assert "line 15: `two`, row 1: c" in text and "expected another size   got small" in text and "-> measure" in text


def test_a_row_that_is_missing_is_told_where_it_belongs():
    said = " ".join(render(judge(changed("| b | small |\n", ""))).split())
    assert "line 8: `one`, row 2: a expected another row before this one, 3 rows in all got 2 rows -> compare" in said
    assert "expected 3 rows got 2 rows -> a row is missing, and with it its size: measure" in said


def test_a_word_outside_of_the_list_is_told_the_list():
    assert "size: one of big, small   got huge" in render(judge(changed("| c | big |", "| c | huge |")))


def test_the_frames_from_the_inside_out_are_told_the_order():
    stack = documents.of_lab("03-operators")["STACK.md"]
    frames = [("add", "<generated: add>", "codegen.py"), ("add_out", "engine/aten/native/binary_ops.py", "by hand"),
              ("kernel", "engine/cpu/elementwise.py", "by hand")]  # fmt: skip
    template = (ROOT / "solutions" / "03-operators" / "STACK.md").read_text("utf-8")
    rows = ["| " + " | ".join(f"`{cell}`" for cell in frame) + " |" for frame in frames]
    solved = template.replace("|  |  |  |", "\n".join(rows[::-1]))
    result = documents.judge(stack, solved, {"x + y": frames, "x.add_(y)": frames})
    assert points(result)["frames"] == 0
    assert "-> these are the right rows in the reverse order: the outermost frame comes first" in " ".join(
        render(result).split()
    )


@pytest.mark.parametrize("file", ["elementwise.py(81)", "cpu/elementwise.py", "generated: add"])
def test_a_file_without_its_path_is_told_how_a_file_is_written(file):
    stack = documents.of_lab("03-operators")["STACK.md"]
    frames = [("kernel", "engine/cpu/elementwise.py", "by hand")]
    template = (ROOT / "solutions" / "03-operators" / "STACK.md").read_text("utf-8")
    solved = template.replace("|  |  |  |", f"| `kernel` | `{file}` | `by hand` |")
    result = documents.judge(stack, solved, {"x + y": frames, "x.add_(y)": frames})
    assert points(result) == {"frames": 3, "files": 0, "texts": 3}
    said = " ".join(render(result).split())
    assert "write its path from engine/ on, or the name in <> of a generated text" in said


@pytest.mark.parametrize("file", ["<string>", "<string>(1)", "<string>(1)<module>()"])
def test_a_frame_of_the_students_own_line_is_told_to_be_left_out(file):
    stack = documents.of_lab("03-operators")["STACK.md"]
    frames = [("kernel", "engine/cpu/elementwise.py", "by hand")]
    right = {"x + y": frames, "x.add_(y)": frames}
    template = (ROOT / "solutions" / "03-operators" / "STACK.md").read_text("utf-8")
    row = "| `kernel` | `engine/cpu/elementwise.py` | `by hand` |"
    solved = template.replace("|  |  |  |", row)
    assert documents.judge(stack, solved, right).verdict == RIGHT
    result = documents.judge(stack, solved.replace(row, f"| `<module>` | `{file}` | `by hand` |\n{row}", 1), right)
    assert points(result) == {"frames": 0, "files": 2, "texts": 3}
    said = " ".join(render(result).split())
    assert "expected no such row" in said and "leave this row out: `<string>` is the text that you gave" in said


def test_a_verdict_is_kept_as_it_is():
    result = judge(changed("| c | big |", "| c | small |"))
    assert from_json(to_json(result)) == result


def test_the_prose_is_what_stands_below_its_heading():
    assert section(GOOD, "in words") == "Because.\n\n### And more\n\nSo."
    assert section(GOOD, "elsewhere") == ""


def test_a_bar_inside_of_a_cell_is_escaped():
    assert read("## a\n|x|\n|-|\n|b\\|c|\n", ["a"], ["x"])["a"].rows[0].cells == ("b|c",)


EACH = [pytest.param(lab, document, id=document.name) for lab in LABS for document in documents.of_lab(lab).values()]


LONG = 200_000
SLOW = {
    "bars": "| \\|" * (LONG // 4),
    "comments that don't end": "<!--" * (LONG // 4),
    "a heading of spaces": "# " + " " * LONG + "x",
    "a heading of marks": "# " + "#" * LONG + "x",
    "many headings": "# a\n" * (LONG // 4),
    "many fences": "```\n" * (LONG // 4),
    "digits in a cell": "| :" + "1" * LONG + "x | y |",
    "backslashes in a cell": "| " + "\\" * LONG + "x | y |",
    "stars in a cell": "| " + "*" * LONG + "x | y |",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
@pytest.mark.parametrize(("lab", "document"), EACH)
def test_a_long_text_is_read_in_time(lab, document, text):
    template = (ROOT / "solutions" / lab / document.name).read_text("utf-8")
    begun = time.process_time()
    right = {"x + y": [("a",) * len(document.columns)]}
    inside = (template.replace("|  |", new, 1) for new in (text, f"{text}\n|  |"))
    for whole in (text, template + text, *inside):
        documents.judge(document, whole, right)
        documents.section(whole, "In words")
        documents.without_comments(whole)
    assert time.process_time() - begun < 10  # in the square of its length it would take minutes


@pytest.mark.parametrize(("lab", "document"), EACH)
def test_the_solved_template_earns_everything(lab, document):
    template = (ROOT / "solutions" / lab / document.name).read_text("utf-8")
    assert documents.judge(document, template).message == documents.EMPTY
    assert documents.judge(document, documents.solved(document, template)).verdict == RIGHT


@pytest.mark.parametrize(("lab", "document"), EACH)
def test_what_is_expected_does_not_depend_on_what_ran_before(lab, document):
    first = document.expected()
    assert document.expected() == first
    assert all(cell in words for column, words in document.words.items() for cell in column_of(document, column, first))


def column_of(document, column, tables):
    at = document.columns.index(column)
    return [row[at] for rows in tables.values() for row in rows]


@pytest.mark.parametrize(("lab", "document"), EACH)
def test_the_template_explains_each_column_and_each_word(lab, document):
    comment = (ROOT / "solutions" / lab / document.name).read_text("utf-8").partition("<!--")[2].partition("-->")[0]
    words = [word for allowed in document.words.values() for word in allowed]
    assert [word for word in (*document.columns, *words) if word not in comment] == []
