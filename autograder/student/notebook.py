"""The functions that a lab's notebook calls: `check` an exercise, `resume` the parts saved earlier, show `progress`.

`check` runs the grader's program on the recorded public cases beside the notebook: the text of the cell that is
handed in as the answer, in the engine's module, with the reference for every other exercise. What passes goes live
in this notebook's engine and is saved to `my_engine/` beside the lab's folder. Nothing that was saved is active
until the notebook says `resume()`.
"""

import contextlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from IPython import get_ipython

from autograder import documents, overlay
from autograder.examine import lab_file
from autograder.examine.cell_rules import CellRefused, inspect_cell
from autograder.examine.hints import is_unwritten, missing_methods
from autograder.examine.lab_file import FILE
from autograder.examine.own_imports import without_own_imports
from autograder.examine.questions import Observation
from autograder.examine.rendering import render, stated
from autograder.examine.verdict import RIGHT
from autograder.files import write_whole
from autograder.student import hours
from autograder.student.cell_text import NotDefined, NotReady, Saved, answer_of, notebook_file, read_saved, watch
from autograder.student.coloring import say
from autograder.student.exercise_lookup import NoExercise, exercise_named
from autograder.student.explain import explain, explain_missing
from autograder.student.payoff import PAYOFF, check_payoff
from autograder.student.progress import Checked, engine_map, lab_points, part_file
from autograder.student.recorded_check import Asked, CheckFailed, judge_cell, recorded_methods, released_lab
from autograder.student.replay import again
from engine import draw

__all__ = ["CheckFailed", "check", "progress", "replay", "resume"]

HERE = Path.cwd()
DISPATCHER = "dispatch.dispatcher"  # the module in which a lab writes one
VALIDATING = "NBGRADER_VALIDATING"  # set by nbgrader while it validates
_checked: dict[str, Checked] = {}  # the last verdict of this notebook on each exercise and document


def check(exercise: object = None) -> None:
    """Check an exercise: `check("strides.view_strides")` or `check(view_strides)`. Without an argument, list them all.

    A document goes by its file's name, `check("TRACE.md")`; `check("payoff")` runs the payoff on all your parts. What
    passes goes live in this notebook's engine and is saved to `my_engine/`.

    Raises:
        CheckFailed: it did not pass.
    """
    namespace = sys._getframe(1).f_globals
    if exercise is None:
        print(_lab_points(namespace).text)
    elif exercise == PAYOFF or exercise is namespace.get(PAYOFF):
        check_payoff(namespace, HERE)
    elif isinstance(exercise, str) and documents.is_document(exercise):
        _check_document(exercise)
    else:
        _check_exercise(exercise, namespace)


def _check_exercise(exercise: object, namespace: Mapping[str, object]) -> None:
    asked: list[Asked] = []
    name = exercise if isinstance(exercise, str) else getattr(exercise, "__name__", "this")
    try:
        name = exercise_named(exercise, HERE)
        source, note = answer_of(name, namespace, _saved(namespace), recorded_methods(name, HERE))
        result = judge_cell(name, source, HERE, asked)
        optional = name in released_lab(HERE).optional
    except (NoExercise, NotReady, CellRefused, overlay.PartError) as error:
        _say_why_not(f"{name}   not checked", error)
        explain_missing(name, str(error.args[0]), namespace)
        if not isinstance(error, (NoExercise, NotDefined)):
            hours.touched(name)
        raise CheckFailed(f"{name}: not checked") from None
    wrong = [question for question in asked if not question.is_right]
    is_open = bool(wrong) and not result.points and all(is_unwritten(question.got, name) for question in wrong)
    is_open &= not wrong or _misses_all(wrong[0].got, name)
    if is_open:
        say(f"x  {name}   {stated(result, optional)}\n   not written yet")
    else:
        say(render(result, optional))
        _checked[name] = Checked(source, result.points, result.verdict == RIGHT)
        hours.touched(name, result.verdict == RIGHT)
    if result.verdict == RIGHT:
        _go_live(name, source)
        printed = next((question.printed for question in asked if question.printed), "")
        if printed:
            print("   -> it prints: take the print out before you go on, or the engine prints whenever it runs this")
            print(printed)
    if note:
        print(f"   -> {note}")
    if result.verdict != RIGHT:
        if not is_open:
            explain(name, asked, namespace, source)
        if not (optional and VALIDATING in os.environ):  # Validate asks for the lab's 100 points
            raise CheckFailed(f"{name}: {'not written yet, ' * is_open}{stated(result, optional)}")


def _misses_all(got: Observation, name: str) -> bool:
    """Return False if the cell has some of the class's methods, and the error names the missing ones."""
    if f"{name}: " not in got.message:
        return True
    return len(missing_methods(got, name)) >= len(recorded_methods(name, HERE))


def _say_why_not(what: str, error: Exception) -> None:
    reason, advice = (error.reason, error.advice) if isinstance(error, NotReady) else (str(error), "")
    say(f"x  {what}: {reason}" + (f"\n   -> {advice}" if advice else ""))


def replay(exercise: object) -> None:
    """Run the failing case of an exercise's last check again; `%debug` then opens it in your code.

    Raises:
        WrongAnswer, or what your code raises: the case fails again.
    """
    __tracebackhide__ = True
    namespace = sys._getframe(1).f_globals
    name = exercise if isinstance(exercise, str) else getattr(exercise, "__name__", "this")
    try:
        name = exercise_named(exercise, HERE)
        source, _ = answer_of(name, namespace, _saved(namespace), recorded_methods(name, HERE))
        inspect_cell(without_own_imports(source, name), name)
        again(name, source, HERE)
    except (NoExercise, NotReady, CellRefused, overlay.PartError) as error:
        _say_why_not(f"{name}   not run", error)
        raise CheckFailed(f"{name}: not run") from None


def progress(of: str = "lab") -> draw.Picture:
    """Show the points of this lab, the map of the engine for "engine", or the time that you have worked for "hours".

    Raises:
        ValueError: `of` is another word.
    """
    if of not in ("lab", "engine", "hours"):
        expected = 'progress() or progress("lab") for your points, progress("engine") for the map, progress("hours")'
        raise ValueError(f"expected {expected} for the time that you have worked, got {of!r}")
    if of == "engine":
        return engine_map(_checked)
    return _lab_points(sys._getframe(1).f_globals, of)


def _lab_points(namespace: Mapping[str, object], of: str = "lab") -> draw.Picture:
    try:
        saved = _saved(namespace)
        if of == "hours":
            return hours.picture(HERE, saved)
        return lab_points(HERE, my_engine(), namespace, saved, _checked)
    except (OSError, ValueError, TypeError, KeyError):
        say(f"x  expected the file that came with this notebook: {HERE / FILE}")
        raise CheckFailed("the lab's lab.json can't be read") from None


def _saved(namespace: Mapping[str, object]) -> Saved | None:
    return read_saved(notebook_file(HERE, namespace))


def resume(
    folder: str | os.PathLike | None = None, *, keep_hours: bool = False, share_predictions: bool = False
) -> None:
    """Activate the parts that `check` saved earlier, from `my_engine/` beside the lab's folder or from `folder`.

    Args:
        keep_hours: keep the time that you work, in `my_hours.json` beside `my_engine/`, for you alone.
        share_predictions: the guesses in the notebook that you hand in may be counted, without your name.
    """
    saved = Path(folder) if folder is not None else my_engine()
    taken = overlay.use_parts(saved) if saved.is_dir() else []
    overlay.carry(DISPATCHER, is_carried=_is_asked_here(DISPATCHER))
    live = [name for name, reason in taken if not reason]
    print(f"{len(live)} of your parts are live, from {_shown(saved)}" if live else f"no parts yet in {_shown(saved)}")
    if said := hours.keep(HERE, keep_hours):
        print(said)
    if share_predictions:
        print("the guesses in the notebook that you hand in may be counted, without your name")


def _is_asked_here(module: str) -> bool:
    """Return True if this lab has exercises of a module; a student's slow dispatcher carries calls in its own lab."""
    with contextlib.suppress(FileNotFoundError, ValueError, TypeError, KeyError):
        return any(exercise.name.startswith(f"{module}.") for exercise in lab_file.load(HERE).exercises)
    return True


def my_engine() -> Path:
    """Return the folder where parts are saved: `my_engine` beside the lab's folder, shared by all labs."""
    return HERE.parent / "my_engine"


def _go_live(name: str, source: str) -> None:
    overlay.graft(name, source)
    if failed := overlay.rebuilt([name]):
        print(f"   not live: {failed[name]}")
        raise CheckFailed(f"{name}: right on its cases, but not in the engine")
    path = part_file(my_engine(), name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, source if source.endswith("\n") else source + "\n")
        kept = f"saved to {_shown(path)}"
    except OSError as error:  # no space, no right to write, or on Windows another program that holds the file
        kept = f"not saved, so other notebooks will not have it: {error.strerror}: {_shown(path)}"
    print(f"   live in engine.{name.rpartition('.')[0]}; {kept}")


def _check_document(name: str) -> None:
    """Judge the file beside the notebook, as it is saved, by what the reference engine does."""
    try:
        document = documents.of_lab(lab_file.load(HERE).id)[name]
        text = (HERE / name).read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        say(f"x  {name}   not checked\n   expected {error.filename}, beside the notebook")
        raise CheckFailed(f"{name}: not checked") from None
    except UnicodeDecodeError as error:
        say(f"x  {name}   not checked\n   byte {error.start} is no UTF-8: save the file as UTF-8")
        raise CheckFailed(f"{name}: not checked") from None
    except (KeyError, ValueError, TypeError):
        say(f"x  {name}   not checked\n   no document of this lab, which {HERE / FILE} describes")
        raise CheckFailed(f"{name}: not checked") from None
    with overlay.swapped({}):
        result = documents.judge(document, text)
    _checked[name] = Checked(text, result.points, result.verdict == RIGHT)
    if result.message != documents.EMPTY:
        hours.touched(name, result.verdict == RIGHT)
    say(render(result))
    is_open = not documents.has_prose(document, text)
    if is_open:
        print(f'   still open: "{document.prose}", which a person reads')
    if result.verdict != RIGHT:
        raise CheckFailed(f"{name}: {result.points} of {result.max_points} points")
    if is_open and VALIDATING in os.environ:
        raise CheckFailed(f'{name}: "{document.prose}" is open')


def _shown(path: Path) -> str:
    """Return `path` as the student sees it from the notebook's folder; whole where that is on another drive."""
    try:
        return os.path.relpath(path, HERE)
    except ValueError:
        return str(path)


if _shell := get_ipython():
    watch(_shell, lambda: notebook_file(HERE, _shell.user_ns))
