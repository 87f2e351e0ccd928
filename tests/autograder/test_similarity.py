"""Similar answers: copies are found however they are disguised, independent answers raise no question."""

import functools
import os
import re
import shutil
from collections import Counter

import pytest
from copied_answers import (
    INDEPENDENT,
    LONG,
    OTHER_PROSE,
    PROSE,
    PROSE_COPY,
    RENAMED_AND_REORDERED,
    SHORT,
    disguised,
    natural_choices,
)
from handed_in import CONTIGUOUS, LAB, RIGHT, VIEW, copied, hand_in, write_answer, write_course

from autograder.department.similarity import FILE, given, html_page
from autograder.department.similarity import __main__ as command
from autograder.department.similarity.fragments import MEASURES, code_tokens, fragments_of
from autograder.department.similarity.hand_ins import Answer, Hand
from autograder.department.similarity.questions import compare, few
from autograder.examine.lab_file import Exercise
from autograder.made_up.answers import RIGHT_ANSWERS
from autograder.overlay import source_of

SUBMITTED = "autograder/submitted"
SCRIPT = "</pre><script>document.title='run'</script><img src=x onerror=document.title='run'>"


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    return write_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module", autouse=True)
def reference_read_once():
    """The reference's fragments take most of the time of a comparison of a few answers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(given, "fragments_of", functools.cache(fragments_of))
        yield


@pytest.fixture
def root(released, tmp_path):
    return copied(released, tmp_path / "course")


def view(text):
    return {**RIGHT, VIEW: text}


def similarity(root, *options):
    return command.main(["--lab", "01", "--root", str(root), *options])


def text_of(root):
    return (root / FILE).read_text(encoding="utf-8")


def questions(root):
    """The headings of all questions on the page: "1. Exercise: ada and bob"."""
    return re.findall(r"<h3>\d+\. (.+?)</h3>", text_of(root))


def test_a_copy_in_disguise_raises_a_question_and_independent_answers_none(root, capsys):
    for student, text in zip(("cleo", "dan", "eve"), INDEPENDENT, strict=True):
        hand_in(root, student, view(text))
    hand_in(root, "ada", view(LONG))
    hand_in(root, "bob", view(RENAMED_AND_REORDERED))
    assert similarity(root) == 0
    (question,) = questions(root)
    assert question.endswith("ada and bob") and "1 question" in capsys.readouterr().out
    assert "no grade was changed or will be" in text_of(root) and "Do these two have a common source?" in text_of(root)


@pytest.mark.parametrize("layout", ["2025", f"2025/{SUBMITTED}"])
def test_an_earlier_year_s_cell_is_found_and_that_year_is_not_compared_with_itself(root, tmp_path, layout):
    hand_in(root, "bob", view(disguised(LONG)))
    for student, text in (("zoe", LONG), ("yan", INDEPENDENT[0]), ("xia", disguised(INDEPENDENT[0]))):
        path = hand_in(root, student, view(text))
        moved = tmp_path / layout / student / LAB
        moved.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(path.parent, moved)
        path.parent.parent.rmdir()
    assert similarity(root, "--earlier", str(tmp_path / "2025")) == 0
    (question,) = questions(root)
    assert question.endswith("bob and zoe (2025)")


def test_a_student_who_repeats_the_course_is_not_asked_about_the_own_answer(root, tmp_path):
    earlier = tmp_path / "2025" / "ada" / LAB
    path = hand_in(root, "ada", view(LONG))
    shutil.copytree(path.parent, earlier)
    assert similarity(root, "--earlier", str(tmp_path / "2025")) == 0
    assert questions(root) == []


def test_a_short_exercise_with_one_natural_answer_raises_no_question(root):
    for number, text in enumerate((*SHORT, RIGHT[CONTIGUOUS], disguised(RIGHT[CONTIGUOUS]))):
        hand_in(root, f"s{number}", {**RIGHT, CONTIGUOUS: text, VIEW: ""})
    assert similarity(root) == 0
    assert questions(root) == []


def test_a_written_answer_that_was_copied_is_found_and_others_to_the_same_question_are_not(root):
    texts = {"ada": PROSE, "bob": PROSE_COPY, "cleo": OTHER_PROSE[0], "dan": OTHER_PROSE[1]}
    for student, text in texts.items():
        hand_in(root, student, change=write_answer(text))
    assert similarity(root) == 0
    assert questions(root) == ["Written answer: stride-zero: ada and bob"]


def test_the_model_answer_is_named_where_two_have_it(root):
    model = (root / "solutions" / LAB / "lab.md").read_text()
    said = " ".join(
        ["Each index along it reaches one and the same cell of the storage, so nothing at all is added"] * 2
    )
    (root / "solutions" / LAB / "lab.md").write_text(
        model.replace("The index counts for nothing: every index reads the same element.", said)
    )
    for student in ("ada", "bob"):
        hand_in(root, student, change=write_answer(said))
    given.lab_text.load.cache_clear()
    assert similarity(root) == 0
    given.lab_text.load.cache_clear()
    assert "is also in the model answer" in text_of(root)


def test_two_people_alike_in_several_answers_are_listed_first(root):
    hand_in(root, "ada", view(LONG), write_answer(PROSE))
    hand_in(root, "bob", view(disguised(LONG)), write_answer(PROSE_COPY))
    hand_in(root, "cleo", view(INDEPENDENT[0]), write_answer(PROSE_COPY))
    assert similarity(root) == 0
    several = text_of(root).partition("<h2>The same two people")[2].partition("</table>")[0]
    assert re.findall(r"<td>(\w+ and \w+)</td>", several) == ["ada and bob"] and several.count('href="#q') == 2


# ---- how much


def answers(texts):
    return [Answer(Hand(f"s{number:04}", ""), text) for number, text in enumerate(texts)]


def part(exercise=CONTIGUOUS, natural=True):
    found = given._exercise(Exercise(exercise, 1), frozenset())
    return found if natural else found._replace(natural=frozenset())


def test_a_text_that_a_thousand_share_is_one_entry_and_no_pair():
    found = compare(part(), answers(f"{SHORT[4]}# {number}\n" for number in range(1000)))
    assert found.questions == [] and [(each.people, each.versions) for each in found.shared] == [(1000, 1)]


def test_four_who_share_a_text_are_one_question_about_four():
    """The counts of who else has it are made one by one."""
    texts = [LONG, disguised(LONG), f"{LONG}\n# mine", LONG, *INDEPENDENT, *natural_choices(13)]
    (question,) = compare(part(VIEW), answers(texts)).questions
    assert question.people == 4 and len(question.others) == 2 and len(question.pairs) == 6
    others = [fragments_of(text, "code") for text in texts[4:]]
    counts = [sum(fragment in each for each in others) for fragment in question.unusual]
    assert (question.alone, question.elsewhere) == (counts.count(0), max(counts)) and 0 < question.alone < len(counts)


def test_a_text_that_more_share_than_few_is_listed_and_named_where_the_authors_know_it():
    texts = [f"{LONG}# {number}\n" for number in range(few(20) + 1)]
    known = RIGHT_ANSWERS[VIEW]
    found = compare(part(VIEW), answers([*texts, *known * 6]))
    assert found.questions == [] and found.people == len(texts) + 6 * len(known)
    assert sorted((each.people, each.versions, each.known) for each in found.shared) == [
        (len(texts), 1, ""),
        *[(6, 1, "a right answer that the authors know")] * len(known),
    ]


@pytest.mark.parametrize("disguise", [str, disguised])
def test_a_group_is_found_among_people_who_had_its_idea(disguise):
    """All of the group with one text, or every second one with another version."""
    texts = [disguise(LONG) if number % 2 else LONG for number in range(4)]
    (question,) = compare(part(VIEW), answers([*texts, *natural_choices(16)])).questions
    assert question.people == len(texts)


@pytest.mark.parametrize(("count", "seeds"), [(12, 3), (60, 1)])
def test_people_who_had_the_same_idea_and_wrote_by_themselves_are_not_asked(count, seeds):
    for seed in range(seeds):
        assert compare(part(VIEW), answers(natural_choices(count, seed))).questions == []


@pytest.mark.slow
def test_right_answers_of_all_labs_are_told_apart_and_their_copies_found():
    """No answer of the authors is taken for known but the reference; each is copied, and compared with the others."""
    found, alike = Counter(), []
    for exercise, texts in RIGHT_ANSWERS.items():
        reference = fragments_of(source_of(exercise), "code")
        alone = given.Part(exercise, exercise, "code", reference, frozenset(), {})
        for text in texts:
            found["copies"] += 1
            found["found"] += bool(compare(alone, answers([text, disguised(text)])).questions)
        alike += compare(alone, answers(texts)).questions
    assert found["found"] >= 0.95 * found["copies"] and found["copies"] > 150
    assert len(alike) <= 1, [(question.part.name, question.share) for question in alike]


# ---- code and its tokens


@pytest.mark.parametrize(
    "text",
    [
        'def f(a):\n    """Doc."""\n    total = g(a)  # why\n    return total.item\n',
        "def h(x):\n    n = g(\n        x,\n    )\n    return n.item\n",
    ],
)
def test_names_comments_docstrings_and_line_breaks_do_not_count(text):
    words = [token.word for token in code_tokens(text.replace(",\n", "\n"))]
    assert words == ["def", "V", "(", "V", ")", ":", "V", "=", "g", "(", "V", ")", "return", "V", ".", "item"]


def test_code_with_a_syntax_error_is_compared_too():
    broken = LONG.replace("return tuple(out)", "return tuple(out")
    assert compare(part(VIEW), answers([broken, disguised(LONG)])).questions


def test_only_what_is_alike_is_marked_and_comments_between_are_not():
    text = "a = b + c * d  # <mine>\ne = f - 1\n"
    tokens = code_tokens(text)
    length = MEASURES["code"].length
    html = html_page.marked(text, tokens, fragments_of("a = b + c * d", "code"), fragments_of(text, "code"), length)
    assert html == "<mark>a = b + c * d</mark>  # &lt;mine&gt;\n<u>e = f - 1</u>\n"


# ---- untrusted submissions


def test_what_cannot_be_read_is_listed_and_nothing_of_it_runs(root, capsys):
    hand_in(root, "ada", view(LONG + f"# {SCRIPT}\n"), write_answer(SCRIPT + PROSE))
    hand_in(root, "bob", view(f"# {SCRIPT}\n" + LONG), write_answer(SCRIPT + PROSE))
    hand_in(root, "syntax", view("def view_strides(((((\n" + '"""' * 100))
    hand_in(root, "huge", view("x = 1\n" * 30_000))
    hand_in(root, "long", view("x = 1\n" * 5_000))
    hand_in(root, "broken").write_text("{")
    hand_in(root, "binary").write_bytes(os.urandom(5000))
    hand_in(root, "link").unlink()
    (root / SUBMITTED / "link" / LAB / "lab.ipynb").symlink_to(root / SUBMITTED / "ada" / LAB / "lab.ipynb")
    hand_in(root, "<b>nobody")
    (root / SUBMITTED / "empty" / LAB).mkdir(parents=True)
    assert similarity(root) == 0
    text = text_of(root)
    listed = text.partition("<h2>Not compared</h2>")[2]
    for student in ("&lt;b&gt;nobody", "binary", "broken", "empty", "huge", "link", "long"):
        assert student in listed, student
    assert "syntax" not in listed and len(questions(root)) == 2
    assert "<script" not in text and "<img" not in text and "<b>" not in text
    assert "not compared: 7" in capsys.readouterr().out


def test_the_page_loads_nothing(root):
    for student in ("ada", "bob"):
        hand_in(root, student, view(LONG + "# http://example.org/x.png\n"))
    assert similarity(root) == 0
    text = text_of(root)
    assert "default-src 'none'" in text
    assert not re.search(r"<(?:script|img|link|iframe|object|base|form)\b|(?:src|href)=\"(?!#q)|url\(|@import", text)


def test_nothing_but_the_page_is_written(root):
    for student in ("ada", "bob"):
        hand_in(root, student, view(LONG))
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert similarity(root) == 0
    after = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    new = {str(path.relative_to(root)) for path in after.keys() - before.keys()}
    assert new <= {FILE, "autograder/grading.lock"} and FILE in new
    assert all(after[path] == data for path, data in before.items())


# ---- errors


def test_nobody_handed_in(root, capsys):
    assert similarity(root) == 1
    assert f"Nobody has handed in {LAB}" in capsys.readouterr().err and not (root / FILE).exists()


def test_a_lab_that_is_not_released(root, capsys):
    assert command.main(["--lab", "07", "--root", str(root)]) == 1
    assert "`make course` first" in capsys.readouterr().err


def test_without_lab_the_only_one_that_was_handed_in_is_compared(root, capsys):
    assert command.main(["--root", str(root)]) == 1
    assert "Say which lab: LAB=01" in capsys.readouterr().err
    hand_in(root, "ada")
    assert command.main(["--root", str(root)]) == 0


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("missing", "expected the folder of an earlier year, found nothing"),
        ("file", "found a file"),
        ("empty", f"Nobody has handed in {LAB}"),
        (f"course/{SUBMITTED}", "this one is compared already"),
        ("course", "this one is compared already"),
    ],
)
def test_an_earlier_folder_that_is_none_is_refused_before_anything_is_written(root, tmp_path, capsys, folder, said):
    hand_in(root, "ada")
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    assert similarity(root, "--earlier", str(tmp_path / folder)) == 1
    assert said in capsys.readouterr().err and not (root / FILE).exists()


def test_two_earlier_years_of_one_name_are_told_apart(root, tmp_path):
    hand_in(root, "bob", view(disguised(LONG)))
    path = hand_in(root, "zoe", view(LONG))
    for place in ("a/2025", "b/2025"):
        shutil.copytree(path.parent, tmp_path / place / "zoe" / LAB)
    shutil.rmtree(path.parent.parent)
    assert similarity(root, *(f"--earlier={tmp_path / place}" for place in ("a/2025", "b/2025"))) == 0
    assert "zoe (2025)" in text_of(root) and "zoe (2025 #2)" in text_of(root)


def test_the_reference_is_given(root):
    alone = part(VIEW)
    assert fragments_of(source_of(VIEW), "code") <= alone.given
