"""A student who is to be forgotten: nothing of them is left in the course's folder, and nothing of others is lost."""

import csv
import io
import os
import shutil
import sqlite3
import zipfile
from contextlib import closing

import pytest
from handed_in import LAB, RIGHT, STUB, copied, hand_in, write_answer, write_course
from nbgrader.api import Gradebook
from nbgrader.utils import notebook_hash

from autograder.author import backups
from autograder.department.exports.__main__ import main as export
from autograder.department.forget import __main__ as command
from autograder.department.forget import books, tables
from autograder.department.forget.__main__ import BEGUN, main
from autograder.grading import database, gradebook, lock, migration, run, up_to_date
from autograder.grading.class_page import predictions
from autograder.grading.collect.__main__ import main as collect
from autograder.grading.collect.roster import Person, Roster
from autograder.grading.extra_credit import EARNED

GONE, STAYS = "zyx815", "grace"  # an id that no other text contains
NAME, EMAIL, SECRET = "Wilhelmina Quux", "mina@example.org", "8hW-secret-of-hers"
ROSTER = (
    f"id,name,email,login,canvas\n{GONE},{NAME},{EMAIL},wq77,987654\n{STAYS},Grace Hopper,gh@example.org,gh1,987655\n"
)
FEEDBACK = f"autograder/exchange/inside-the-tensor/feedback/{notebook_hash(secret=SECRET, notebook_id='lab')}.html"
OTHERS = {  # what is somebody else's, or the class's
    "autograder/collected/unmatched/week1 1a2b/002 grace - notes.txt": "mine",
    f"autograder/exchange/inside-the-tensor/inbound/{STAYS}+{LAB}+2026/lab.ipynb": "{}",
    "autograder/exchange/inside-the-tensor/feedback/0123.html": "another's",
    "autograder/exports/seminar.csv": "id,name,grade\r\ngrace,Grace Hopper,7\r\n",
}
THEIRS = {
    f"autograder/collected/attempts/{GONE}/{LAB}/1/lab.ipynb": "{}",
    f"autograder/collected/unmatched/week1 1a2b/001 {GONE} - notes.txt": NAME,
    f"autograder/collected/unmatched/{GONE} 77aa/001 notes.txt": NAME,
    "autograder/collected/unmatched/week2 3c4d/003 wilhelminaquux_LATE_987654_55_notes.txt": "hm",
    f"autograder/exchange/inside-the-tensor/inbound/{GONE}+{LAB}+2026-10-12 10_00_00 UTC/lab.ipynb": "{}",
    FEEDBACK: f"<p>{NAME}</p>",
    f"autograder/feedback/{GONE}/{LAB}/submission_secret.txt": SECRET,
    "autograder/.report.html.4711.tmp": GONE,
    "autograder/similarity.html": f"<h3>{GONE} and grace</h3>",
}
SHARED = {  # a line of it is the student's
    "autograder/exports/01-strides-canvas.csv": (
        "Student,ID,SIS User ID,SIS Login ID,Section,Lab 1\r\n\"Quux, Wilhelmina\",987654,,wq77,,5\r\n",
        "\"Hopper, Grace\",987655,,gh1,,\"987654\"\r\n",
    ),
    "autograder/collected/unmatched/week3 5e6f/roster.csv": (f"id,name\n,{NAME}\n", ",Somebody Else\n"),
    ".nbgrader.log": (f"[INFO] Autograding autograder/submitted/{GONE}/{LAB}\n", "[INFO] Autograding grace\n"),
}  # fmt: skip


def write(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())


def furnish(root):
    """Everything that a term leaves behind besides a graded class."""
    write(root, THEIRS | OTHERS | {name: first + rest for name, (first, rest) in SHARED.items()})
    with Gradebook(gradebook.prepare(root).CourseDirectory.db_url, "inside-the-tensor") as book:
        book.update_or_create_student(GONE, first_name="Wilhelmina", last_name="Quux", email=EMAIL)
        book.update_or_create_student(STAYS, first_name="Grace", last_name="Hopper")
        connection = book.db.connection()
        EARNED.create(connection, checkfirst=True)
        migration.SET_ASIDE.create(connection, checkfirst=True)
        for student in (GONE, STAYS):
            aside = {"assignment": LAB, "student": student, "cell": "old", "kind": "Comment"}
            book.db.execute(migration.SET_ASIDE.insert().values(**aside, manual_comment=f"well done, {student}"))
            for submission in book.find_student(student).submissions:
                grade = submission.notebooks[0].grades[0]
                book.db.execute(EARNED.insert().values(grade=grade.id, points=3.0))
        book.db.commit()
    backups.keep_database(root, root / database.FILE)
    shutil.copy(root / database.FILE, root / f"{database.FILE}.2026-10-12-100000.000000")


def naming(root, *words):
    """The files whose path or bytes have one of the words."""
    words = [word.encode() for word in words]
    return sorted(
        str(path.relative_to(root))
        for path in root.rglob("*")
        if any(word in os.fsencode(path.relative_to(root)) for word in words)
        or (path.is_file() and any(word in path.read_bytes() for word in words))
    )


def content(root):
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def furnished(tmp_path_factory):
    """A course in which nobody is graded; two students have entries in the gradebook and everywhere else."""
    course = write_course(tmp_path_factory.mktemp("course"))
    for student in (GONE, STAYS):
        hand_in(course, student, change=write_answer(f"I am {student}."))
        with Gradebook(gradebook.prepare(course).CourseDirectory.db_url, "inside-the-tensor") as book:
            book.update_or_create_student(student)
            book.update_or_create_submission(LAB, student)
    furnish(course)
    return course


@pytest.fixture
def root(furnished, tmp_path):
    return copied(furnished, tmp_path / "course")


def forget(root, *options):
    return main([GONE, "--root", str(root), "--yes", *options])


def test_nothing_of_the_student_is_left_and_the_rest_is(root, capsys):
    assert naming(root, GONE, NAME, EMAIL)
    assert forget(root) == 0
    assert naming(root, GONE, "Wilhelmina", "Quux", EMAIL, SECRET) == []
    now = content(root)
    assert {name: now[name].decode() for name in OTHERS} == OTHERS
    for name, (first, rest) in SHARED.items():
        kept = now[name].decode()
        assert kept.endswith(rest)
        assert kept == rest or kept == first.splitlines(True)[0] + rest
    said = capsys.readouterr().out
    assert f"removed: autograder/submitted/{GONE}/: submission\n" in said
    assert "unmatched/week2" not in " ".join(now)


def test_the_guesses_that_are_kept_go_too_and_are_no_trace_of_somebody_unknown(root, capsys):
    write(root, {predictions.FILE: '{"0123": {"given-1": "two"}}'})
    assert forget(root) == 0
    assert not (root / predictions.FILE).exists() and f"removed: {predictions.FILE}" in capsys.readouterr().out
    write(root, {predictions.FILE: "{}"})
    forget(root)
    assert (root / predictions.FILE).exists()


def test_the_others_keep_their_rows_in_every_gradebook(root):
    before = {book: rows(book, STAYS) for book in books.everywhere(root)}
    assert len(before) == 3 and all(len(found) >= 3 for found in before.values())
    assert forget(root) == 0
    assert {book: rows(book, STAYS) for book in books.everywhere(root)} == before
    assert {book: rows(book, GONE) for book in before} == {book: [] for book in before}


def rows(book, student):
    with closing(sqlite3.connect(database.file_of(book))) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = [(name, row) for name in names for row in connection.execute(f"SELECT * FROM {name}")]
    return [(name, row) for name, row in found if student in row or f"well done, {student}" in row]


def test_several_labs_of_one_student_go(root):
    with Gradebook(gradebook.prepare(root).CourseDirectory.db_url, "inside-the-tensor") as book:
        for lab in ("02", "03", "04"):
            book.add_assignment(lab)
            book.add_submission(lab, GONE)
            book.add_submission(lab, STAYS)
    assert forget(root) == 0
    with Gradebook(gradebook.prepare(root).CourseDirectory.db_url, "inside-the-tensor") as book:
        assert [student.id for student in book.students] == [STAYS]
        assert sorted(each.name for each in book.find_student(STAYS).submissions) == sorted((LAB, "02", "03", "04"))


def test_a_dry_run_and_no_answer_change_nothing(root, capsys, monkeypatch):
    before = content(root)
    assert main([GONE, "--root", str(root), "--dry-run"]) == 0
    assert f"   autograder/submitted/{GONE}/: submission" in capsys.readouterr().out
    for answer in ("", "y\n", "grace\n"):
        monkeypatch.setattr("sys.stdin", io.StringIO(answer))
        assert main([GONE, "--root", str(root)]) == 1
        assert "Nothing was removed." in capsys.readouterr().out
    assert {name: data for name, data in content(root).items() if not name.endswith(".lock")} == {
        name: data for name, data in before.items() if not name.endswith(".lock")
    }
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{GONE}\n"))
    assert main([GONE, "--root", str(root)]) == 0
    assert naming(root, GONE) == []


def test_the_roster_s_line_and_archives_of_others_are_named_and_stay(root, capsys):
    write(root, {"roster.csv": ROSTER, "extensions.csv": f"id,lab,due\ngrace,01,+1 day\n{GONE},01,+1 day\n"})
    archive = root / "autograder/collected/week1.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("Wilhelmina Quux_71_assignsubmission_file_/lab.ipynb", "{}")
        file.writestr("Grace Hopper_72_assignsubmission_file_/lab.ipynb", "{}")
    assert forget(root) == 0
    said = capsys.readouterr().out
    assert f"{root / 'roster.csv'}, line 2: remove it yourself, or the next `make collect`" in said
    assert f"{root / 'extensions.csv'}, line 3: remove it yourself.\n" in said
    assert "   autograder/collected/week1.zip\n" in said
    assert "Grace" not in said
    assert (root / "roster.csv").read_text() == ROSTER
    assert naming(root, GONE, NAME, EMAIL) == ["autograder/collected/week1.zip", "extensions.csv", "roster.csv"]
    assert forget(root) == 0
    assert "There is nothing to remove." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("zyx851", f"closest: {GONE}."),
        (NAME, f"closest: {GONE}."),
        ("nobody-like-this", "no name is close to it."),
        (f"../submitted/{GONE}", "no name is close to it."),
        ("..", "no name is close to it."),
        ("", "Say who: make forget STUDENT=ada"),
    ],
)
def test_an_unknown_student_is_one_sentence(root, capsys, asked, said):
    write(root, {"roster.csv": ROSTER})
    before = content(root)
    assert main([asked, "--root", str(root), "--yes"]) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert said in error
    assert content(root).keys() - before.keys() <= {lock.RUN}
    assert naming(root, GONE)


@pytest.mark.slow
def test_a_run_that_is_killed_at_any_point_is_finished_by_the_next(root, tmp_path_factory, monkeypatch, capsys):
    class Killed(BaseException):
        pass

    def die_at(moment):
        count = iter(range(moment))
        usual = print

        def printing(*words, **options):
            if str(words[0] if words else "").startswith(("removed", "written")) and next(count, None) is None:
                raise Killed
            usual(*words, **options)

        return printing

    write(root, {"roster.csv": "id,name\ngrace,Grace Hopper\n"})
    steps = 0
    while True:
        copy = copied(root, tmp_path_factory.mktemp("killed") / "course")
        with monkeypatch.context() as patched:
            patched.setattr(command, "print", die_at(steps), raising=False)
            try:
                assert forget(copy) == 0
                break
            except Killed:
                assert (copy / BEGUN).is_file()
        assert forget(copy) == 0
        assert naming(copy, GONE, "Wilhelmina", "Quux", EMAIL) == []
        steps += 1
    assert steps >= 12


def test_a_book_that_a_killed_run_emptied_but_not_vacuumed_is_vacuumed(root, monkeypatch):
    class Killed(BaseException):
        pass

    def removed_alone(root, book, name):
        with closing(sqlite3.connect(database.file_of(book))) as connection:
            connection.execute("PRAGMA secure_delete = OFF")
            connection.execute("DELETE FROM student WHERE id = ?", [name])
            connection.execute("DELETE FROM set_aside WHERE student = ?", [name])
            connection.execute("DELETE FROM submitted_assignment WHERE student_id = ?", [name])
            connection.commit()
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(books, "remove", removed_alone)
        with pytest.raises(Killed):
            forget(root)
    assert forget(root) == 0
    assert naming(root, GONE, "Quux") == []


def test_a_damaged_copy_of_the_gradebook_is_named_before_anything_is_removed(root, capsys):
    write(root, {"autograder/backups/2026-10-12T10-00-00/gradebook.db": "no database" * 100})
    before = content(root)
    assert forget(root) == 1
    assert "10-00-00/gradebook.db can't be used: file is not a database." in capsys.readouterr().err
    assert content(root).keys() - before.keys() <= {lock.RUN}


@pytest.mark.slow
def test_a_gradebook_in_use_is_one_sentence_and_the_next_run_goes_on(root, capsys):
    with closing(sqlite3.connect(root / database.FILE, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert forget(root) == 1
        assert "gradebook.db can't be used: database is locked. Close what has it open" in capsys.readouterr().err
    assert forget(root) == 0
    assert naming(root, GONE) == []


def test_another_command_that_runs_is_named(root, capsys):
    with lock.only_run(root, "make grade"):
        assert forget(root) == 1
    assert "in use by make grade" in capsys.readouterr().err
    assert naming(root, GONE)


def test_a_link_in_place_of_a_submission_is_removed_and_not_followed(root, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "precious.txt").write_text("stays")
    place = root / "autograder/submitted" / GONE
    shutil.rmtree(place)
    place.symlink_to(outside)
    assert forget(root) == 0
    assert not place.is_symlink()
    assert (outside / "precious.txt").read_text() == "stays"


# ---- rows of tables

KIM = Person("kim1", "Kim", "Lee", "kim1@example.org", "kl1", (("canvas", "12347"),))
OTHER = Person("kim2", "Kim", "Lee", "kim2@example.org", "kl2", (("canvas", "12348"),))
PEOPLE = Roster({person.id: person for person in (KIM, OTHER, Person("12347", "Ann", "Cho"))}, "roster.csv")
CANVAS = "Student,ID,SIS User ID,SIS Login ID,Section,Lab 1\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (CANVAS + '"Lee, Kim",12347,,,,1\n"Lee, Kim",12348,,,,1\n', [2]),
        (CANVAS + '"Lee, Kim",12348,,,,12347\n', []),
        (CANVAS + '"Cho, Ann",,12347,,,1\n', []),
        (CANVAS + '"Lee, Kim",,,,,1\n', []),  # one of two: a person has to look
        ("id,name,grade\n12347,Ann Cho,1\nkim1,,2\n", [3]),
        ("id;name\n'kim1;x\n", [2]),
        ("\ufeffEmail address,Full name,Lab 1\nKIM1@example.org,'Kim Lee,3\n", [2]),
        ('id,name,note\nx,"two\nlines",\nkim1,"two\nlines",\ny,,\n', [4, 5]),
        ("", []),
        ("a\x00b\n", []),
    ],
)
def test_a_row_is_the_student_s_by_its_ids_and_by_the_name_only_where_nobody_else_has_it(text, lines):
    assert [number for found in tables.lines_of(text, KIM, PEOPLE) for number in found] == lines


def test_a_name_is_found_as_a_word_of_its_own():
    naming = tables.names(Person("max", "Max", "Lee", "max@example.org", "", (("canvas", "12"),)))
    for text in ("submitted/max/lab.ipynb", "01-strides-max.zip", "leemax_12_55_x.zip", "Lee Max_7_assign", "MAX"):
        assert naming.search(text)
    assert not naming.search("maximum, amax(3), maxlee2, Lee, 12")


# ---- a class that was graded


@pytest.mark.slow
def test_a_graded_class_is_rid_of_the_student_and_the_others_stay_graded(tmp_path, capsys):
    root = write_course(tmp_path)
    write(root, {"roster.csv": ROSTER})
    hand_in(root, GONE, RIGHT, write_answer(f"It repeats, says {NAME}."))
    hand_in(root, STAYS, STUB)
    zipped = tmp_path.parent / f"{tmp_path.name}.zip"
    with zipfile.ZipFile(zipped, "w") as file:
        file.write(hand_in(root, GONE, RIGHT, write_answer(f"Again, {NAME}.")), f"{GONE}/lab.ipynb")
    hand_in(root, GONE, RIGHT, write_answer("An earlier one."))
    assert collect([str(zipped), "--lab", "01", "--root", str(root)]) == 0
    assert run.main(["--root", str(root), "--jobs", "1"]) == 0
    assert export(["--to", "csv", "--root", str(root)]) == 1  # answers wait to be graded by hand
    write(root, THEIRS | OTHERS)
    backups.keep_database(root, root / database.FILE)
    write(root, {"roster.csv": ROSTER.replace(ROSTER.splitlines(True)[1], "")})
    record = (root / f"autograder/records/{LAB}/{STAYS}.json").read_bytes()
    grades = list(csv.DictReader((root / "autograder/grades.csv").open()))
    assert len(naming(root, GONE, NAME)) > 20

    assert forget(root) == 0

    assert naming(root, GONE, "Wilhelmina", "Quux", EMAIL) == []
    assert not any(GONE in key for key in up_to_date.read(root))
    assert (root / f"autograder/records/{LAB}/{STAYS}.json").read_bytes() == record
    with (root / "autograder/grades.csv").open() as file:
        assert list(csv.DictReader(file)) == [row for row in grades if row["student"] == STAYS]
    assert STAYS in (root / "autograder/report.html").read_text()
    capsys.readouterr()
    assert run.main(["--root", str(root), "--jobs", "1"]) == 0
    assert "1 of 1 submissions are as the last run left them" in capsys.readouterr().out


@pytest.mark.slow
def test_the_last_student_leaves_an_empty_report(tmp_path):
    root = write_course(tmp_path)
    hand_in(root, GONE, STUB)
    assert run.main(["--root", str(root), "--jobs", "1"]) == 0
    assert forget(root) == 0
    assert naming(root, GONE) == []
    assert (root / "autograder/grades.csv").read_text().count("\n") == 1
