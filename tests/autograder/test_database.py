"""The gradebook in a database of the instructor's choice: the same grades, one writer at a time, clear errors."""

import datetime as dt
import multiprocessing
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import postgres_server
import pytest
import sqlalchemy
from handed_in import LAB, REPOSITORY, RIGHT, STUB, VIEW, copied, hand_in, write_course
from nbgrader.api import InvalidEntry
from written_lab import write_lab

from autograder.author.course_config import OWN_CONFIG, gradebook_url
from autograder.department.exports.__main__ import main as export
from autograder.department.forget import books
from autograder.department.forget.__main__ import main as forget
from autograder.grading import database, database_copy, disk, gradebook, lock, migration, run
from autograder.grading.collect.__main__ import main as collect
from autograder.grading.database import GradebookError
from autograder.grading.own_tables import EARNED, SET_ASIDE, TABLES
from autograder.grading.rebuild import released
from autograder.made_up import cohort
from autograder.proof import made_up_class
from autograder.proof.kill_at_random import Course

OTHER = "02-dispatch"
CLASS = {"ada": RIGHT, "bob": STUB, "zyx815": RIGHT | {VIEW: "def view_strides(*_): return None"}}
pytestmark = pytest.mark.department
needs_sandbox = pytest.mark.usefixtures("isolation")


@pytest.fixture(scope="module")
def server():
    if said := postgres_server.missing():
        pytest.skip(said)
    with postgres_server.running() as running:
        yield running


@pytest.fixture(scope="module")
def made(server):
    """The name of a database with nbgrader's tables, which take a second to make."""
    gradebook.install()
    database.engine(server.new("made")).pool.dispose()
    server.leave("made")
    return "made"


@pytest.fixture
def url(server, made, request):
    """The address of an empty gradebook."""
    found = database.checked(server.new(request.node.name[:60], made), REPOSITORY)
    engine = database.engine(found)
    yield found
    engine.pool.dispose()


@pytest.fixture(scope="module")
def entered(tmp_path_factory):
    """A course in whose gradebook, a file, students have submissions, and points given by hand."""
    root = write_course(tmp_path_factory.mktemp("entered") / "course")
    with gradebook.opened(root) as book:
        for points, student in enumerate(CLASS):
            book.add_student(student)
            grades = book.add_submission(LAB, student).notebooks[0].grades
            grades[0].auto_score, grades[1].manual_score, grades[1].needs_manual_grade = 1.5, float(points), True
            book.find_submission(LAB, student).timestamp = dt.datetime(2026, 10, 12, 23, 59, 30)
        book.db.commit()
    return root


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class of one lab, graded through the file."""
    root = write_course(tmp_path_factory.mktemp("graded") / "course")
    for student, answers in CLASS.items():
        hand_in(root, student, answers)
    assert run.main(["--root", str(root), "--jobs", "1", "--seed", "7"]) == 0
    return root


def moved(course, target, url=""):
    """A copy of the course that has no gradebook yet; `url` is in its nbgrader_config.py."""
    root = copied(course, target)
    (root / database.FILE).unlink(missing_ok=True)
    if url:
        with (root / OWN_CONFIG).open("a") as file:
            file.write(f"\nc.CourseDirectory.db_url = {url!r}\n")
    return root


def content(url):
    """All rows of all tables that anything was ever entered into."""
    with database.engine(url).connect() as connection:
        known = sqlalchemy.inspect(connection).get_table_names()
        found = {table.name: sorted(map(repr, connection.execute(table.select()))) for table in TABLES
                 if table.name in known}  # fmt: skip
    return {name: rows for name, rows in found.items() if rows and name != "course"}


# ---- the address


@pytest.mark.parametrize(
    "address",
    [
        "gradebook.db",
        "postgres://ada:secret@host/gradebook",
        "mysql://ada:secret@host/gradebook",
        "postgresql+psycopg2://ada:secret@host/gradebook",
        "postgresql+psycopg://ada:sec@ret@host",
        "sqlite://",
        "sqlite:///:memory:",
    ],
)
def test_an_address_that_can_not_be_used_is_one_sentence_without_its_password(tmp_path, capsys, monkeypatch, address):
    monkeypatch.setenv(database.VARIABLE, address)
    assert export(["--to", "csv", "--lab", "01", "--root", str(write_empty(tmp_path))]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("The gradebook's address: expected postgresql+psycopg://user@host/database or sqlite:")
    assert "secret" not in said and "ret" not in said.partition("got")[2]
    assert not list(tmp_path.rglob("*.db"))


def write_empty(root):
    """A course with a lab that nobody was graded in."""
    for folder in ("course", "solutions"):
        (root / folder).mkdir()
        shutil.copytree(REPOSITORY / folder / LAB, root / folder / LAB)
    return root


def test_the_option_comes_before_the_variable_and_the_variable_before_the_file(tmp_path, monkeypatch):
    assert gradebook_url(tmp_path) == f"sqlite:///{tmp_path / database.FILE}"
    monkeypatch.setenv(database.VARIABLE, "postgresql://ada:secret@host/gradebook")
    assert gradebook_url(tmp_path) == "postgresql+psycopg://ada:secret@host/gradebook"
    (tmp_path / OWN_CONFIG).write_text("get_config().CourseDirectory.db_url = 'sqlite:///elsewhere/g.db'\n")
    assert gradebook_url(tmp_path) == f"sqlite:///{tmp_path}/elsewhere/g.db"


def test_a_server_needs_psycopg_and_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(GradebookError, match=r"postgresql\+psycopg://ada:\*\*\*@h/g, and psycopg is missing: install"):
        database.engine("postgresql+psycopg://ada:secret@h/g")


def test_made_up_students_never_enter_the_gradebook_of_the_class(tmp_path, monkeypatch):
    theirs = tmp_path / "class"
    theirs.mkdir()
    (theirs / OWN_CONFIG).write_text("c = get_config()\nc.CourseDirectory.db_url = 'sqlite:////theirs.db'\n")
    monkeypatch.setenv(database.VARIABLE, "postgresql+psycopg://grader@host/gradebook")
    cohort.lay_out(tmp_path / "made up", [], theirs)
    assert gradebook_url(tmp_path / "made up") == f"sqlite:///{tmp_path / 'made up' / database.FILE}"
    assert gradebook_url(theirs) == "sqlite:////theirs.db"


def test_a_file_elsewhere_is_locked_and_kept_beside_it(tmp_path, monkeypatch):
    (tmp_path / "shared").mkdir()
    book = tmp_path / "shared" / "term.db"
    monkeypatch.setenv(database.VARIABLE, f"sqlite:///{book}")
    root = tmp_path / "course"
    with lock.only_writer(root), gradebook.opened(root) as opened:
        opened.add_student("ada")
    assert sorted(path.name for path in book.parent.iterdir()) == ["term.db", "term.lock"]
    assert books.everywhere(root) == [f"sqlite:///{book}"] and "ada" in books.people(f"sqlite:///{book}")
    with closing(sqlite3.connect(database_copy.keep(root, f"sqlite:///{book}"))) as copy:
        assert copy.execute("SELECT id FROM student").fetchall() == [("ada",)]
    assert len(books.everywhere(root)) == 2


# ---- a server


@pytest.mark.slow
@needs_sandbox
def test_a_class_has_the_same_gradebook_through_a_server(graded, tmp_path, url, capsys):
    root = moved(graded, tmp_path / "course", url)
    assert run.main(["--root", str(root), "--jobs", "1", "--seed", "7"]) == 0
    assert Course(root, LAB).outcome() == Course(graded, LAB).outcome()
    capsys.readouterr()
    assert run.main(["--root", str(root), "--jobs", "1", "--seed", "7"]) == 0
    assert "3 of 3 submissions are as the last run left them" in capsys.readouterr().out
    assert not list((root / "autograder").glob("gradebook*.db*"))


@pytest.mark.slow
@needs_sandbox
def test_six_made_up_students_have_the_same_scores_through_a_server(tmp_path, url):
    made_up_class.write(tmp_path / "file", LAB, 6)
    assert run.main(["--root", str(tmp_path / "file"), "--lab", "01", "--seed", "7"]) == 0
    root = moved(tmp_path / "file", tmp_path / "server", url)
    shutil.rmtree(root / "autograder" / "records")
    assert run.main(["--root", str(root), "--lab", "01", "--seed", "7"]) == 0
    found, wanted = Course(root, LAB).outcome(), Course(tmp_path / "file", LAB).outcome()
    assert found == wanted and len(wanted["gradebook"]) == 6 * 17
    assert not (root / database.FILE).exists()


@pytest.mark.slow
@needs_sandbox
def test_graders_of_the_same_lab_and_of_another_one_enter_at_once(graded, tmp_path, server):
    """Three folders, three processes, and a database in which not one table exists."""
    url = server.new("at once")
    other = tmp_path / "other"
    write_course(other)
    for folder in ("solutions", "course"):
        shutil.rmtree(other / folder / LAB)
    (other / database.FILE).unlink()
    migration.release(write_lab(other, name=OTHER), other)
    for student in CLASS:
        notebook = other / "autograder/submitted" / student / OTHER / "lab.ipynb"
        notebook.parent.mkdir(parents=True)
        theirs = graded / "autograder/submitted" / student / LAB / "lab.ipynb"
        notebook.write_text(theirs.read_text().replace(LAB, OTHER))
    assert run.main(["--root", str(other), "--jobs", "1", "--seed", "7"]) == 0
    wanted = {LAB: Course(graded, LAB).outcome(), OTHER: Course(other, OTHER).outcome()}
    roots = [moved(graded, tmp_path / name, url) for name in ("first", "second")]
    roots += [moved(other, tmp_path / "third", url)]
    commands = [
        subprocess.Popen(
            [sys.executable, "-m", "autograder.grading", "--root", str(root), "--seed", "7"],
            cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        for root in roots
    ]  # fmt: skip
    said = [command.communicate(timeout=300)[0] for command in commands]
    assert [command.returncode for command in commands] == [0, 0, 0], said
    for root, lab in zip(roots, (LAB, LAB, OTHER), strict=True):
        assert Course(root, lab).outcome() == wanted[lab]
    found = content(url)
    assert len(found["student"]) == len(CLASS) and len(found["assignment"]) == 2
    assert len(found["submitted_assignment"]) == 2 * len(CLASS)
    assert len(found["grade"]) == sum(len(each["gradebook"]) for each in wanted.values())


def shared(tmp_path, url):
    """Two folders that share a database."""
    roots = [tmp_path / name for name in ("here", "there")]
    for root in roots:
        root.mkdir()
        (root / OWN_CONFIG).write_text(f"get_config().CourseDirectory.db_url = {url!r}\n")
    return roots


def wait_for_waiting(url):
    """Return when a session waits for the lock."""
    query = sqlalchemy.text("SELECT count(*), pg_sleep(0.05) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    with database.engine(url).connect() as connection:
        while not connection.execute(query).scalar():
            connection.rollback()


def test_writers_in_two_folders_take_turns(tmp_path, url):
    here, there = shared(tmp_path, url)
    order = []

    def second():
        with lock.only_writer(there):
            order.append("there")

    with lock.only_writer(here):
        waiting = threading.Thread(target=second)
        waiting.start()
        wait_for_waiting(url)
        order.append("here")
    waiting.join(20)
    assert order == ["here", "there"]


def hold(root, held):
    database._engine.cache_clear()  # its connections are the other process's
    with lock.only_writer(root):
        held.set()
        signal.pause()


def test_a_writer_that_is_killed_lets_go(tmp_path, url):
    here, there = shared(tmp_path, url)
    fork = multiprocessing.get_context("fork")
    held = fork.Event()
    holder = fork.Process(target=hold, args=(here, held), daemon=True)
    holder.start()
    assert held.wait(20)
    waiting = threading.Thread(target=lambda: lock.only_writer(there).__enter__(), daemon=True)
    waiting.start()
    wait_for_waiting(url)
    holder.kill()
    waiting.join(20)
    assert not waiting.is_alive()


def test_a_roster_enters_and_a_student_is_forgotten_in_tables_and_files(server, tmp_path, url, monkeypatch, capsys):
    monkeypatch.setenv(database.VARIABLE, url)
    root = write_course(tmp_path / "course")
    database_copy.copy(f"sqlite:///{root / database.FILE}", url, root)
    (root / database.FILE).unlink()
    (root / "roster.csv").write_text("id,name,email\nzyx815,Wilhelmina Quux,mina@example.org\ngrace,Grace Hopper,\n")
    (tmp_path / "empty").mkdir()
    collect([str(tmp_path / "empty"), "--root", str(root)])
    with gradebook.opened(root) as book:
        for student in ("zyx815", "grace"):
            book.add_submission(LAB, student)
            grade = book.find_submission(LAB, student).notebooks[0].grades[0]
            EARNED.create(book.db.connection(), checkfirst=True)
            book.db.execute(EARNED.insert().values(grade=grade.id, points=3.0))
            aside = {"assignment": LAB, "student": student, "cell": "old", "kind": "Comment"}
            book.db.execute(SET_ASIDE.insert().values(**aside, manual_comment=f"well done, {student}"))
        book.db.commit()
    kept = database_copy.keep(root, url)
    (root / "roster.csv").write_text("id,name\ngrace,Grace Hopper\n")
    capsys.readouterr()

    assert forget(["zyx815", "--root", str(root), "--yes"]) == 0

    said = capsys.readouterr().out
    assert f"removed: {url}: rows\n" in said and f"removed: {kept.relative_to(root)}: rows\n" in said
    for book in books.everywhere(root):
        assert set(books.people(book)) == {"grace"}
    now = content(url)
    assert [len(now[name]) for name in ("student", "submitted_assignment", "extra_earned", "set_aside")] == [1] * 4
    for word in (b"zyx815", b"Wilhelmina", b"mina@example.org"):
        assert [path for path in server.files(url) if word in path.read_bytes()] == []


def test_an_open_transaction_of_formgrader_s_ends_forgetting_in_a_sentence(tmp_path, url, monkeypatch, capsys):
    monkeypatch.setattr(books, "WAIT_SECONDS", 0.2)
    (root,) = shared(tmp_path, url)[:1]
    with gradebook.opened(root) as book:
        book.add_student("zyx815")
    with database.engine(url).connect() as other:
        other.execute(sqlalchemy.text("SELECT * FROM student"))
        assert forget(["zyx815", "--root", str(root), "--yes"]) == 1
        assert "Close what has it open, for example formgrader" in capsys.readouterr().err
    assert forget(["zyx815", "--root", str(root), "--yes"]) == 0
    assert "student" not in content(url)


def test_before_a_change_of_a_lab_the_server_s_gradebook_is_kept_as_a_file(entered, tmp_path, url):
    root = moved(entered, tmp_path / "course", url)
    database_copy.copy(f"sqlite:///{entered / database.FILE}", url, root)
    before, notebook = content(url), released(root / "course", LAB)
    notebook.cells = [cell for cell in notebook.cells if cell.id != "reflect-stride-zero"]
    said = migration.enter_lab(root, LAB, notebook)
    assert "reflect-stride-zero is gone" in said[0]
    (kept,) = (root / "autograder" / "backups").glob("*/gradebook.db")
    assert said[1] == f"The gradebook as it was: {kept.relative_to(root)}."
    assert content(f"sqlite:///{kept}") == before != content(url)


# ---- copies


def test_a_gradebook_goes_to_a_server_and_back(entered, tmp_path, url, capsys):
    root, back = moved(entered, tmp_path / "course"), tmp_path / "back.db"
    source = f"sqlite:///{entered / database.FILE}"
    to = ["--root", str(root), "--to"]
    assert database_copy.main([*to, url, "--from", str(entered / database.FILE)]) == 0
    assert f"{url}: " in capsys.readouterr().out
    assert database_copy.main([*to, f"sqlite:///{back}", "--from", url]) == 0
    assert content(source) == content(url) == content(f"sqlite:///{back}")
    with closing(sqlite3.connect(back)) as copy, closing(sqlite3.connect(entered / database.FILE)) as first:
        version = "SELECT * FROM alembic_version"
        assert copy.execute(version).fetchall() == first.execute(version).fetchall()


def test_only_an_empty_database_is_copied_to(entered, tmp_path, url, capsys):
    root = moved(entered, tmp_path / "course")
    with gradebook.Gradebook(url) as book:
        book.add_student("somebody else")
    before = content(url)
    assert database_copy.main(["--root", str(root), "--to", url, "--from", str(entered / database.FILE)]) == 1
    assert "is not empty: expected a new database, got rows in student" in capsys.readouterr().err
    assert content(url) == before
    assert database_copy.main(["--root", str(root), "--to", url, "--from", str(tmp_path / "none.db")]) == 1
    assert "none.db is not there: expected a gradebook to copy" in capsys.readouterr().err


# ---- a server that is gone


def test_a_server_that_stops_ends_a_run_in_a_sentence_and_the_next_goes_on(server, tmp_path, url, capsys):
    (root,) = shared(tmp_path, url)[:1]
    with gradebook.opened(root) as book:
        server.stop()
        with pytest.raises(InvalidEntry) as stopped:
            book.add_student("ada")
    said = disk.sentence(stopped.value, root)
    assert said.startswith("The gradebook's server: ") and "the same command again" in said
    database._ready.discard(url)  # as in a process of its own
    write_empty(root)
    assert export(["--to", "csv", "--lab", "01", "--root", str(root)]) == 1
    assert f"The gradebook {url} can't be used: connection " in capsys.readouterr().err
    server.start()
    with gradebook.opened(root) as book:
        book.add_student("ada")
    assert len(content(url)["student"]) == 1
