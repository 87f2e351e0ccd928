"""What a lab's notebook calls: `check` an exercise, `resume` the parts saved earlier, show `progress`.

`check` runs the grader's program on the recorded public cases beside the notebook: the text of the one cell that
defines the exercise, in the engine's module, with the reference for every other exercise. What passes goes live
in this notebook's engine and is saved to `my_engine/` beside the lab's folder. Nothing that was saved is active
until the notebook says `resume()`.
"""

import contextlib
import os
import re
import sys
import textwrap
from collections.abc import Collection, Iterator, Mapping
from functools import reduce
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import NamedTuple

from IPython import get_ipython
from IPython.display import display

import engine
from autograder import documents, failing_case, plain, recorded
from autograder.cell import CellRefused, importable, inspect_cell
from autograder.cell_text import NotReady, cell_source, is_elsewhere, is_part, watch
from autograder.checks import CHECKS
from autograder.probes import observe
from autograder.timelimit import clock, time_limit
from autograder.verdict import (
    COLUMNS,
    CRASHED,
    NOT_WRITTEN,
    RIGHT,
    TIMED_OUT,
    ExerciseResult,
    Observation,
    Stopped,
    concluded,
    judge,
    render,
)
from engine import compiled, draw, parts
from engine.layers import LAYERS

HERE = Path.cwd()
ANSWER_SECONDS, CHECK_SECONDS, PAYOFF_SECONDS = 2.0, 5.0, 60.0
PAYOFF = "payoff"
_failing: set[str] = set()  # exercises whose last check in this notebook found a mistake


class CheckFailed(Exception):
    """A check that did not pass. All there is to say is printed above it, so the notebook shows one line."""

    def _render_traceback_(self) -> list[str]:
        return [f"CheckFailed: {self}"]


class Asked(NamedTuple):
    """One question of a check, and what both answers to it come to."""

    args: tuple
    wanted: Observation
    got: Observation

    @property
    def is_right(self) -> bool:
        return self.got.raised == self.wanted.raised and plain.equal(self.wanted.value, self.got.value)


def check(name: str) -> None:
    """Judge the exercise `name` ("strides.view_strides"), the file `name` ("TRACE.md"), or "payoff": all your parts.

    Prints the verdict. What passes goes live in this notebook's engine and is saved to `my_engine/`.

    Raises:
        CheckFailed: it did not pass.
    """
    namespace = sys._getframe(1).f_globals
    if name == PAYOFF:
        _check_payoff(namespace)
        return
    if documents.is_document(name):
        _check_document(name)
        return
    asked: list[Asked] = []
    try:
        source = cell_source(name, namespace)
        inspect_cell(source, name)
        result = judge_cell(name, source, asked)
    except (NotReady, CellRefused, parts.PartError) as error:
        print(f"x  {name}   not checked\n   {error}")
        _explain_missing(name, str(error), namespace)
        raise CheckFailed(f"{name}: not checked") from None
    if result.verdict == RIGHT:
        print(render(result))
        _go_live(name, source)
        if is_elsewhere(name, source):
            print(f"   -> this text stands in a cell of your own: copy it to the cell of `{name}`, which is handed in")
        _failing.discard(name)
        return
    if all(question.got.raised == NOT_WRITTEN for question in asked) and asked:
        print(f"x  {name}   0 of {result.max_points} points\n   not written yet")
    else:
        _failing.add(name)
        print(render(result))
        _explain(name, asked, namespace)
    raise CheckFailed(f"{name}: {result.points} of {result.max_points} points")


def progress() -> draw.Picture:
    """The engine's map, filled where your code runs in this notebook."""
    rows: dict[tuple[str, int], list[tuple[str, str]]] = {}
    layered = {module for layer in LAYERS for module in layer.modules}
    of_module = {name: _layered_module(name, layered) for name in CHECKS}
    for layer in LAYERS:
        for module in layer.modules if layer.lab else ():
            folder, dot, _ = module.partition(".")
            is_package = dot or (Path(engine.__file__).parent / folder).is_dir()
            chips = rows.setdefault((folder + ("/" if is_package else ".py"), layer.lab), [])
            chips += [(name.rpartition(".")[2], _state(name)) for name, its in of_module.items() if its == module]
    return draw.progress([(file, lab, chips) for (file, lab), chips in rows.items()])


def _layered_module(name: str, modules: Collection[str]) -> str:
    """The one of `modules` in which `name` lies, or the package of theirs that it lies below; "" without one."""
    module = name.rpartition(".")[0]
    while module and module not in modules:
        module = module.rpartition(".")[0]
    return module


def _state(name: str) -> str:
    return "yours" if name in parts.active() else "failing" if name in _failing else "reference"


def resume(folder: str | os.PathLike | None = None) -> None:
    """Take up the parts that `check` saved earlier, from `my_engine/` beside the lab's folder or from `folder`."""
    saved = Path(folder) if folder is not None else my_engine()
    taken = engine.use_parts(saved) if saved.is_dir() else []
    live = [name for name, reason in taken if not reason]
    print(f"{len(live)} of your parts are live, from {_shown(saved)}" if live else f"no parts yet in {_shown(saved)}")


def my_engine() -> Path:
    """Where parts are saved: `my_engine` beside the lab's folder, shared by all labs."""
    return HERE.parent / "my_engine"


def judge_cell(name: str, source: str, asked: list[Asked] | None = None) -> ExerciseResult:
    """The verdict on the cell text `source` over the recorded cases; `asked` collects questions and answers.

    Raises:
        NotReady: there are no recorded cases. PartError: the text can't become a part of the engine.
    """
    cases = _recorded_cases(name)
    probe = CHECKS[name].probe
    wanted = {id(case.args): (of, answer) for of in CHECKS[name].aspects for case, answer in cases[of.name]}
    deadline = clock() + CHECK_SECONDS
    together = Stopped(TIMED_OUT, f"all cases together took more than {CHECK_SECONDS:g} seconds")

    def answer(args: tuple) -> Observation:
        left = deadline - clock()
        if left <= 0:
            raise together
        try:
            with time_limit(min(left, ANSWER_SECONDS)):
                got = Observation(**observe(engine, name, probe, args))
        except Stopped as stopped:
            raise (together if left < ANSWER_SECONDS else stopped) from None
        except SystemExit:
            raise Stopped(CRASHED, "the cell ends the process: sys.exit() or exit()") from None
        if asked is not None:
            aspect, right = wanted[id(args)]
            asked.append(Asked(args, right, concluded(aspect, args, got)))
        return got

    try:
        with time_limit(CHECK_SECONDS + ANSWER_SECONDS), parts.swapped({name: source}), _left_out(name):
            return judge(CHECKS[name], cases, answer)
    except Stopped as stopped:
        raise NotReady(stopped.message) from None
    except SystemExit:
        raise NotReady("the cell ends the process: sys.exit() or exit()") from None


@contextlib.contextmanager
def _left_out(name: str) -> Iterator[None]:
    """Inside, the methods that the student should write and the part does not define are stubs, as when grading."""
    methods = recorded.methods(HERE / "cases.json").get(name, ())
    # A function has none, and may lie in a module whose name is that of a function too: `engine.dispatch.table`.
    defined = reduce(getattr, name.split("."), engine) if methods else None
    codes = {method: getattr(vars(defined)[method], "__code__", None) for method in methods}
    reference = {method: vars(defined)[method] for method, code in codes.items() if code and not is_part(name, code)}

    def not_written(*_: object) -> None:
        raise NotImplementedError(f"{name}: {', '.join(reference)}")

    for method in reference:
        setattr(defined, method, not_written)
    try:
        yield
    finally:
        for method, function in reference.items():
            setattr(defined, method, function)


def _recorded_cases(name: str) -> recorded.Recorded:
    path = HERE / "cases.json"
    try:
        return recorded.load(path)[name]
    except FileNotFoundError:
        raise NotReady(f"the recorded cases are missing: expected {path}, beside the notebook") from None
    except (KeyError, ValueError, TypeError):
        raise NotReady(f"{path} holds no cases of {name}: take the file that came with this notebook") from None


def _go_live(name: str, source: str) -> None:
    parts.graft(name, source)
    if failed := parts.rebuilt([name]):
        print(f"   not live: {failed[name]}")
        raise CheckFailed(f"{name}: right on its cases, but not in the engine")
    module, _, qualname = name.rpartition(".")
    path = my_engine().joinpath(*module.split("."), f"{qualname}.py")
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".tmp")
    draft.write_text(source if source.endswith("\n") else source + "\n", encoding="utf-8")
    draft.replace(path)
    print(f"   live in engine.{module}; saved to {_shown(path)}")


def _explain(name: str, asked: list[Asked], namespace: Mapping[str, object]) -> None:
    """Print or draw what helps with the smallest failing case."""
    failing = next((question for question in asked if not question.is_right), None)
    if failing is None:
        return
    if _explain_missing(name, failing.got.message, namespace):
        return
    shell = get_ipython()
    picture = failing_case.picture(name, *failing) if shell else None
    if picture is not None:
        display(picture)


def _explain_missing(name: str, message: str, namespace: Mapping[str, object]) -> bool:
    """Whether `message` misses a name that the notebook has; says then why the engine has not."""
    missing = re.search(r"name '(\w+)' is not defined$", message)
    if not missing or missing[1] not in namespace:
        return False
    module, _, qualname = name.rpartition(".")
    found = namespace[missing[1]]
    if missing[1] in ("check", "engine", "progress"):
        print(f"   -> the cell of `{qualname}` becomes a part of the engine: try it out in a cell of its own")
    elif isinstance(found, ModuleType):
        how = f"write `import {missing[1]}` into the cell" if found.__name__ in importable(name) else "do it without"
        print(f"   -> `{missing[1]}` is not at hand in engine.{module}: {how}")
    elif (origin := str(getattr(namespace[missing[1]], "__module__", ""))).startswith("engine."):
        print(f"   -> `{missing[1]}` is not at hand in engine.{module}: it is a name of {origin}")
    else:
        print(f"   -> `{missing[1]}` is defined in another cell: put it into the cell of `{qualname}`")
    return True


def _check_document(name: str) -> None:
    """Judge the file beside the notebook, as it is saved, by what the reference engine does."""
    try:
        document = documents.DOCUMENTS[recorded.lab_of(HERE / "cases.json")][name]
        text = (HERE / name).read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        print(f"x  {name}   not checked\n   expected {error.filename}, beside the notebook")
        raise CheckFailed(f"{name}: not checked") from None
    except UnicodeDecodeError as error:
        print(f"x  {name}   not checked\n   byte {error.start} is no UTF-8: save the file as UTF-8")
        raise CheckFailed(f"{name}: not checked") from None
    except (KeyError, ValueError, TypeError):
        print(f"x  {name}   not checked\n   no document of this lab: its cases are in {HERE / 'cases.json'}")
        raise CheckFailed(f"{name}: not checked") from None
    with parts.swapped({}):
        result = documents.judge(document, text)
    print(render(result))
    if result.verdict != RIGHT:
        raise CheckFailed(f"{name}: {result.points} of {result.max_points} points")


def _check_payoff(namespace: Mapping[str, object]) -> None:
    """Run the notebook's `payoff()` on the reference and on your parts, and say which of them took part."""
    payoff = namespace.get(PAYOFF)
    if not isinstance(payoff, FunctionType):
        print("x  payoff   not checked\n   `payoff` is not defined yet: run the cell above, then this one")
        raise CheckFailed("payoff: not checked")
    try:
        exercises = list(recorded.load(HERE / "cases.json"))
    except (OSError, ValueError, TypeError, KeyError):
        print(f"x  payoff   not checked\n   expected the recorded cases beside the notebook: {HERE / 'cases.json'}")
        raise CheckFailed("payoff: not checked") from None
    yours = [name for name in exercises if name in parts.active()]
    try:
        with time_limit(PAYOFF_SECONDS):
            with parts.swapped({}):
                wanted = payoff()
            ran, got = _watched(payoff)
    except Stopped as stopped:
        print(f"x  payoff   timed out\n   {stopped.message}")
        raise CheckFailed("payoff: timed out") from None
    problems = {
        "still the reference's": [name for name in exercises if name not in yours],
        "yours, but never ran": [name for name in yours if name not in ran],
    }
    same = plain.equal(wanted, got)
    passed = same and not any(problems.values())
    print(f"{'ok' if passed else 'x '} payoff   {len(yours)} of {len(exercises)} parts are yours")
    for problem, names in problems.items():
        if names:
            line = f"{problem}: {', '.join(names)}"
            print(textwrap.fill(line, COLUMNS, initial_indent="   ", subsequent_indent="      "))
    if not same:
        print(f"   on the reference it returns {plain.show(wanted)}\n   on your parts it returns {plain.show(got)}")
    if not passed:
        raise CheckFailed("payoff: not yet on your parts alone")
    print("   all of them ran, and the answer is the reference's")


def _watched(function: FunctionType) -> tuple[set[str], object]:
    """Names of the parts that ran while `function` did, and what it returns.

    A part that Python runs is seen by the file of its code, "<its name>". A part that numba compiled makes no calls
    that Python sees: it counts as run if a kernel with its code in it was asked for.
    """
    files: set[str] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            files.add(frame.f_code.co_filename)

    previous = sys.getprofile()
    with compiled.watched() as in_kernels:
        sys.setprofile(watch)
        try:
            result = function()
        finally:
            sys.setprofile(previous)
    return in_kernels | {file[1:-1] for file in files}, result


def _shown(path: Path) -> str:
    """`path` as the student sees it from the notebook's folder."""
    return os.path.relpath(path, HERE)


if _shell := get_ipython():
    watch(_shell)
