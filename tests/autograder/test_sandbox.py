"""Hostile programs: each may spoil its own exercise and nothing else."""

import contextlib
import json
import os
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiers import fast_first

from autograder import overlay
from autograder import sandbox as sandboxes
from autograder.examine.plain_data import NotPlain
from autograder.examine.questions import Observation, Stopped
from autograder.examine.verdict import CRASHED, OUT_OF_MEMORY, REFUSED, RIGHT, TIMED_OUT, WRONG
from autograder.labs import CHECKS
from autograder.sandbox import (
    Limits,
    NoIsolation,
    Sandbox,
    canary,
    cgroup,
    grade_cell,
    guest_process,
    isolation,
    landlock,
)
from autograder.sandbox.worker_channel import Channel

LAB = "01-strides"
EXERCISE = "strides.contiguous_strides"
EXERCISES = {"strides.contiguous_strides": (), "strides.permute": (), "strides.view_strides": ()}
SMALL = Limits(
    answer_seconds=1.5,
    exercise_seconds=3.0,
    order_seconds=2.0,
    memory=1 << 29,
    address_space=1 << 28,
    processes=12,
    output=1 << 16,
    tmp=1 << 20,
    file=1 << 20,
)
# The engine's module imports enum, which imports sys: a way to everything, past the import guard.
ESCAPED = "modules = enum.sys.modules\nos, gc = modules['os'], modules['gc']\n"


@pytest.fixture(scope="module", params=fast_first(1, ["isolation", "landlock"]))
def shut(request, isolation):
    """One sandbox of each tier for the whole file: what one program leaves behind, the next would meet."""
    found = request.getfixturevalue(request.param)
    with Sandbox(LAB, SMALL, exercises=EXERCISES, isolation=found.tier) as sandbox:
        yield sandbox


@pytest.fixture
def unhurt(shut):
    """The sandbox, and afterwards the proof that an honest program still gets its answers."""
    yield shut
    assert ask(shut, overlay.source_of(EXERCISE), (2, 3)) == Observation((3, 1))


def cell(body: str, top: str = "") -> str:
    return f"{ESCAPED}{top}\ndef contiguous_strides(sizes):\n{textwrap.indent(textwrap.dedent(body), '    ')}\n"


def ask(sandbox: Sandbox, source: str, sizes: tuple = (2, 3)) -> Observation:
    with sandbox.run(EXERCISE, source) as run:
        return run.answer("", (sizes,))


def kind_of_end(sandbox: Sandbox, source: str) -> str:
    with pytest.raises(Stopped) as stopped:
        ask(sandbox, source)
    return stopped.value.kind


# ---- answers


def test_the_reference_gets_all_points(unhurt):
    result = grade_cell(unhurt, CHECKS[EXERCISE], overlay.source_of(EXERCISE), seed=1)
    assert (result.verdict, result.points) == (RIGHT, CHECKS[EXERCISE].points)


def test_the_stub_gets_none(unhurt):
    stub = "def contiguous_strides(sizes):\n    raise NotImplementedError('contiguous_strides')\n"
    result = grade_cell(unhurt, CHECKS[EXERCISE], stub, seed=1)
    assert (result.verdict, result.points) == (WRONG, 0)


def test_a_cell_that_imports_too_much_is_refused_by_name(unhurt):
    result = grade_cell(unhurt, CHECKS[EXERCISE], "import numpy\n" + overlay.source_of(EXERCISE), seed=1)
    assert (result.verdict, result.points) == (REFUSED, 0)
    assert "numpy" in result.message


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("1 / 0\n" + overlay.source_of(EXERCISE), "ZeroDivisionError"),
        ("def contiguous_strides(shape):\n    return ()\n", "keep the names and the order"),
        ("def logged(f):\n    def call(sizes):\n        return f(sizes)\n    return call\n\n\n"
         "@logged\ndef contiguous_strides(sizes):\n    return ()\n", "is a closure over f"),
    ],
)  # fmt: skip
def test_a_cell_that_can_not_be_a_part_of_the_engine_is_refused_for_the_reason_that_check_gives(unhurt, source, reason):
    result = grade_cell(unhurt, CHECKS[EXERCISE], source, seed=1)
    assert (result.verdict, result.points) == (REFUSED, 0)
    assert reason in result.message
    with pytest.raises(overlay.PartError) as said:
        overlay.graft(EXERCISE, source)
    assert result.message == str(said.value)


def test_other_exercises_are_the_reference(unhurt):
    inner = cell("return permute((2, 3), (3, 1), (1, 0))")
    assert ask(unhurt, inner) == Observation(((3, 2), (1, 3)))


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("return (stride for stride in (3, 1))", "generator, which is not plain data"),
        ("return 1 << 100_000", "int of 100001 bits, which is too large"),
        ("return (3, Sneaky())", "Sneaky, which is not plain data"),
        ("return Number(3), 1", "Number, which is not plain data"),
        ("deep = ()\nfor _ in range(5000):\n    deep = (deep,)\nreturn deep", "tuple nested more than 32 deep"),
        ("loop = []\nloop.append(loop)\nreturn loop", "list nested more than 32 deep"),
        ("return [0] * 10**6", "list of 1,000,000 items, which is too large"),
        ("return [[0] * 60] * 60_000", "more than 65,536 items in all, which is too large"),
        ("return 'x' * 10**7", "a value of 10,000,"),
        ("return lambda: 1", "function, which is not plain data"),
    ],
)
def test_what_is_not_plain_data_equals_nothing(unhurt, body, what):
    sneaky = """
        class Sneaky:
            __class__ = tuple
            def __eq__(self, other): return True
            def __repr__(self): return "(3, 1)"
        class Number(int):
            def __eq__(self, other): return True
            __hash__ = int.__hash__
    """
    value = ask(unhurt, cell(body, textwrap.dedent(sneaky))).value
    assert type(value) is NotPlain
    assert what in value.what


def test_numbers_of_numpy_stay_numbers_of_numpy(unhurt):
    value = ask(unhurt, cell("return modules['numpy'].int64(3)")).value
    assert type(value) is np.int64


@pytest.mark.slow
def test_a_program_may_compile_kernels_in_each_exercise(shut):
    compiled = (
        "def view_strides(sizes, strides, new_sizes):\n"
        "    return modules['numba'].njit(lambda count: count + 1)(sizes[0])\n"
    )
    with Sandbox("02-dispatch", exercises=EXERCISES) as roomy:
        for _ in range(2):
            with roomy.run("strides.view_strides", ESCAPED + compiled) as run:
                assert run.answer("", ((3,), (1,), (3,))) == Observation(4)


# ---- endings


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("while True: pass", TIMED_OUT),
        ("modules['time'].sleep(60)", TIMED_OUT),
        ("kept = [bytearray(1 << 20) for _ in range(10**5)]", OUT_OF_MEMORY),
        ("os._exit(0)", CRASHED),
        ("modules['builtins'].__import__('ctypes').string_at(0)", CRASHED),
        ("while True: os.write(1, b'flood' * 1000)", CRASHED),
        ("while True: print('flood' * 1000)", CRASHED),
        ("os.close(3)", CRASHED),
        ("os.write(3, b'\\xff' * 100_000); return (3, 1)", CRASHED),
        ("os.write(3, (2).to_bytes(4, 'little') + b'\\x81\\xa0'); return (3, 1)", CRASHED),
        ("os.write(3, (1).to_bytes(4, 'little') + b'\\x80'); return (3, 1)", CRASHED),
    ],
)
def test_a_program_that_does_not_answer_ends_by_name(unhurt, body, kind):
    assert kind_of_end(unhurt, cell(body)) == kind


def test_the_signal_that_ends_a_program_is_named(unhurt):
    with pytest.raises(Stopped, match="outside its arrays, and that ended the process .SIGSEGV"):
        ask(unhurt, cell("modules['builtins'].__import__('ctypes').string_at(0)"))


def test_memory_that_is_shared_counts(unhurt):
    body = """
        kept = [modules['builtins'].__import__('mmap').mmap(-1, 150 << 20)]
        kept[0].write(b"x" * (150 << 20))
        modules['time'].sleep(60)
    """
    with Sandbox(LAB, replace(SMALL, memory=250 << 20), exercises=EXERCISES, isolation=unhurt.tier) as small:
        assert kind_of_end(small, cell(body)) == OUT_OF_MEMORY


def test_the_kernel_ends_what_takes_too_much_before_the_watchdog_looks(shut, monkeypatch):
    if (tried := cgroup.group_of(1 << 30)) is None:
        pytest.skip("not run: a control group (none can be made here)")
    tried.remove()
    monkeypatch.setattr(guest_process, "WATCH_EVERY", 1000)
    body = "kept = [bytearray(1 << 20) for _ in range(10**5)]"
    limits = replace(SMALL, memory=250 << 20, address_space=1 << 30)
    with Sandbox(LAB, limits, exercises=EXERCISES, isolation=shut.tier) as small:
        assert kind_of_end(small, cell(body)) == OUT_OF_MEMORY
        assert ask(small, overlay.source_of(EXERCISE)) == Observation((3, 1))
        assert kind_of_end(small, cell("os._exit(0)")) == CRASHED
        group = small.guest()._group
        assert group.folder.is_dir()
    assert not group.folder.exists()


@pytest.mark.parametrize(
    "body", ["os.fork()", "os.execv('/bin/true', ['true'])", "os.posix_spawn('/bin/true', ['true'], {})"]
)
def test_a_program_is_one_process(unhurt, body):
    assert ask(unhurt, cell(body)).raised == "PermissionError"


def test_an_answer_to_no_question_is_a_forgery(unhurt):
    # With the nonce, which is in the worker's frames, one more answer to the first question can be sent.
    twice = """
        frame = enum.sys._getframe()
        while "request" not in frame.f_locals:
            frame = frame.f_back
        answer = {"nonce": frame.f_locals["request"]["nonce"], "value": (3, 1)}
        os.write(3, modules["autograder.sandbox.wire"].frame(answer))
        return (3, 1)
    """
    with unhurt.run(EXERCISE, cell(twice)) as run:
        assert run.answer("", ((2, 3),)) == Observation((3, 1))
        with pytest.raises(Stopped, match="wrote to the channel"):
            run.answer("", ((2, 3),))


def test_two_threads_that_answer_one_question_are_a_forgery(unhurt):
    twice = """
        frame = enum.sys._getframe()
        while "request" not in frame.f_locals:
            frame = frame.f_back
        nonce = frame.f_locals["request"]["nonce"]
        answer = modules["autograder.sandbox.wire"].frame({"nonce": nonce, "value": (3, 1)})
        modules["threading"].Thread(target=os.write, args=(3, answer)).start()
        return (3, 1)
    """
    with unhurt.run(EXERCISE, cell(twice)) as run, pytest.raises(Stopped) as stopped:
        for _ in range(20):
            run.answer("", ((2, 3),))
    assert stopped.value.kind == CRASHED


def answers_in_a_row(sandbox: Sandbox, source: str, *sizes: tuple) -> list[object]:
    """The answers to questions of which each is announced with the first; instead of the last, why it ends."""
    questions = [("", (each,)) for each in sizes]
    seen: list[object] = []
    with sandbox.run(EXERCISE, source) as run:
        try:
            for at, question in enumerate(questions):
                seen.append(run.answer(*question, questions[at + 1 :]).value)
        except Stopped as end:
            seen.append(end.kind)
    return seen


def test_announced_questions_are_answered_each_in_its_turn(unhurt):
    body = "time.sleep(0.2 if len(sizes) == 1 else 0); return sizes"
    source = cell(body, top="time = modules['time']\n")
    assert answers_in_a_row(unhurt, source, (1,), (2, 3), (4,), (5, 6)) == [(1,), (2, 3), (4,), (5, 6)]


@pytest.mark.parametrize(
    "end, kind",
    [("os._exit(0)", CRASHED), ("modules['time'].sleep(9)", TIMED_OUT), ("[0] * (1 << 28)", OUT_OF_MEMORY)],
)
def test_what_ends_a_program_costs_its_own_question_and_those_after_it(unhurt, end, kind):
    source = cell(f"if sizes == (3,): {end}\nreturn sizes")
    assert answers_in_a_row(unhurt, source, (1,), (2,), (3,), (4,)) == [(1,), (2,), kind]


def test_an_answer_too_many_is_a_forgery_where_more_questions_have_come_too(unhurt):
    twice = """
        frame = enum.sys._getframe()
        while "request" not in frame.f_locals:
            frame = frame.f_back
        answer = {"nonce": frame.f_locals["request"]["nonce"], "value": sizes}
        os.write(3, modules["autograder.sandbox.wire"].frame(answer))
        return sizes
    """
    assert answers_in_a_row(unhurt, cell(twice), (1,), (2,), (3,)) == [(1,), CRASHED]


def test_questions_and_answers_larger_than_a_socket_are_not_waited_for_by_both_sides(unhurt):
    sizes = [tuple(range(at, at + 9000)) for at in range(12)]
    assert answers_in_a_row(unhurt, cell("return sizes * 4"), *sizes) == [each * 4 for each in sizes]


def test_an_announced_question_that_is_not_asked_is_our_fault(unhurt):
    with unhurt.run(EXERCISE, cell("return sizes")) as run:
        run.answer("", ((1,),), [("", ((2,),))])
        with pytest.raises(RuntimeError, match="was not asked"):
            run.answer("", ((3,),))


def test_the_cases_of_an_aspect_travel_together(unhurt, monkeypatch):
    sent = []
    send = Channel.send
    monkeypatch.setattr(Channel, "send", lambda self, *given: sent.append(send(self, *given)) or sent[-1])
    check = CHECKS[EXERCISE]
    assert grade_cell(unhurt, check, overlay.source_of(EXERCISE), seed=1).verdict == RIGHT
    asked = [[request for request in each if request["operation"] == "ask"] for each in sent]
    assert sum(map(len, asked)) > 100 > 3 * len(check.aspects) >= sum(map(bool, asked))


def test_an_exercise_that_ended_answers_nothing_more(unhurt):
    with unhurt.run(EXERCISE, cell("os._exit(0)")) as run:
        for _ in range(2):
            with pytest.raises(Stopped):
                run.answer("", ((2, 3),))


@pytest.mark.slow
def test_slow_answers_add_up_to_the_limit_of_the_exercise(unhurt):
    with unhurt.run(EXERCISE, cell("modules['time'].sleep(1.2); return (3, 1)")) as run, pytest.raises(Stopped) as end:
        for _ in range(10):
            run.answer("", ((2, 3),))
    assert end.value.kind == TIMED_OUT


@pytest.mark.parametrize("budget", [{"submission_seconds": 2.0}, {"submission_cpu_seconds": 0.2}], ids=str)
def test_a_submission_that_has_spent_its_budget_times_out(shut, budget):
    with Sandbox(LAB, replace(SMALL, **budget), exercises=EXERCISES, isolation=shut.tier) as sandbox:
        assert kind_of_end(sandbox, cell("while True: pass")) == TIMED_OUT
        assert kind_of_end(sandbox, cell("while True: pass")) == TIMED_OUT
        with pytest.raises(Stopped, match="exercises of the notebook together took longer"):
            ask(sandbox, overlay.source_of(EXERCISE))


def test_an_endless_cell_times_out_before_the_first_question(unhurt):
    assert kind_of_end(unhurt, cell("return (3, 1)", top="while True: pass")) == TIMED_OUT


# ---- reach


@pytest.mark.parametrize(
    "body",
    [
        "modules['builtins'].len = modules['builtins'].isinstance = lambda *_: True",
        "modules['engine.strides'].permute = modules['engine.strides'].wrap_dim = None",
        "modules['autograder.examine.observe'].observe = lambda *_: {'value': (3, 1)}",
        "modules['autograder.sandbox.wire'].frame = None; os.write = os.read = None",
        "modules['numpy'].ndarray = int; modules['msgpack'].packb = None; modules.clear()",
        "gc.disable(); enum.sys.settrace(lambda *_: None); enum.sys.setrecursionlimit(50)",
        "modules['atexit'].register(lambda: 1 / 0); modules['signal'].signal(15, modules['signal'].SIG_IGN)",
        "modules['resource'].setrlimit(modules['resource'].RLIMIT_NOFILE, (0, 0))",
        "modules['threading'].Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()",
        "os.kill(os.getppid(), 9)",
        "os.kill(os.getppid(), 19)",
        "os.kill(-1, 9)",
        "os.setsid()",
        "os.setpgid(0, 0); modules['time'].sleep(60)",
    ],
)
def test_what_a_program_does_to_its_process_ends_with_it(unhurt, body):
    attempt = f"try:\n    {body}\nexcept BaseException:\n    pass\nreturn (3, 1)"
    with contextlib.suppress(Stopped):
        ask(unhurt, cell(attempt))


def test_a_path_with_a_link_can_still_be_made_absolute(unhurt):
    """`inspect` does that with the file of each module, and under Landlock the packages are links."""
    body = """
        inspect = modules['builtins'].__import__('inspect')
        inspect.getmodule(inspect.currentframe())
        return os.path.realpath('/bin/../dev')
    """
    assert ask(unhurt, cell(body)) == Observation("/dev")


FILES_LEFT = cell("return [name for name in os.listdir(os.environ['HOME']) if name != 'numba']")


def test_files_written_are_gone_for_the_next_exercise(unhurt):
    write = "for folder in (os.environ['HOME'], '.'):\n    open(folder + '/kept', 'w').close()\nos.mkdir('a', 0)"
    ask(unhurt, cell(write))
    assert ask(unhurt, FILES_LEFT) == Observation([])


def test_a_folder_too_deep_to_remove_costs_only_a_new_sandbox(unhurt):
    with contextlib.suppress(Stopped):  # where folders count against the size of what may be written
        ask(unhurt, cell("for _ in range(3000):\n    os.mkdir('d')\n    os.chdir('d')"))
    assert ask(unhurt, FILES_LEFT) == Observation([])


@pytest.mark.parametrize(
    "body",
    [
        f"open({str(isolation.REPOSITORY)!r} + '/engine/strides.py')",
        "open('/etc/shadow')",
        "open(modules['engine'].__file__, 'a')",
        "open('/usr/written', 'w')",
        "open('/tmp/written', 'w')",
        "open(f'/proc/{os.getppid()}/environ').read()",
        "open(f'/proc/{os.getppid()}/mem', 'rb')",
        "os.listdir(f'/proc/{os.getppid()}/fd')",
        "modules['_socket'].socket(2, 1)",
        "modules['_socket'].socket(40, 1)",
        "os.setuid(1)",
        "os.chroot('.')",
        "os.memfd_create('x')",
        "os.sched_setaffinity(os.getppid(), {0})",
        "modules['resource'].prlimit(os.getppid(), 7, (0, 0))",
        "open('big', 'wb').write(b'x' * (4 << 20))",
        "os.setxattr(os.environ['HOME'], 'user.kept', b'x')",
        "os.utime(os.environ['HOME'], (1, 1))",
        "os.chmod(os.environ['HOME'], 0o711)",
        "os.link('/etc/passwd', 'linked')",
        "open('/proc/1/fd/2', 'w')",
        "os.kill(os.getppid(), 0)",
        "os.truncate(modules['engine'].__file__, 0)",
        "os.open(modules['engine'].__file__, os.O_TRUNC)",
        "os.open('/dev/null', os.O_ACCMODE)",
        "os.open('/dev/ptmx', os.O_RDWR)",
    ],
)
def test_the_forbidden_fails_inside(unhurt, body):
    assert ask(unhurt, cell(f"modules['builtins'].__import__('socket')\n{body}")).raised in (
        "FileNotFoundError",
        "OSError",
        "PermissionError",
    )


def test_whether_a_file_is_outside_is_told_by_landlock_alone(unhurt):
    asked = cell(f"return os.path.exists({str(isolation.REPOSITORY / 'engine')!r})")
    assert ask(unhurt, asked) == Observation(unhurt.tier == "landlock")


INSIDE = {"ENGINE_KERNELS", "NUMBA_OPT", "PWD", "LC_CTYPE"}  # set there by the zygote, by bubblewrap and by Python


def test_a_program_sees_no_variable_of_the_grader_s_environment(unhurt):
    """Under Landlock nothing but the launcher keeps them out."""
    names = set(ask(unhurt, cell("return tuple(sorted(os.environ))")).value)
    assert names - isolation.environment().keys() - INSIDE == set() and "HOME" in names


def test_an_import_that_slips_past_the_text_is_refused_at_run_time(unhurt):
    assert ask(unhurt, cell("import numpy\nreturn numpy.prod(sizes)")).raised == "ImportError"


def test_the_answer_is_in_no_file_inside(unhurt):
    body = """
        found = []
        for folder, _, names in os.walk(os.path.dirname(os.path.dirname(modules["engine"].__file__))):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    text = file.read()
                if b"group_" + b"ends" in text:
                    found.append(name)
        return found
    """
    source = "import enum\n" + cell(body).replace(
        "contiguous_strides(sizes)", "view_strides(sizes, strides, new_sizes)"
    )
    with unhurt.run("strides.view_strides", source) as run:
        assert run.answer("", ((2, 3), (3, 1), (6,))) == Observation([])


def test_the_answer_is_not_in_the_memory_of_its_worker(unhurt):
    body = """
        string_at = modules['builtins'].__import__('ctypes').string_at
        sought = modules['re'].compile(b"group_[e]nds = d == 0")
        searched, found = 0, 0
        with open("/proc/self/maps") as maps:
            for line in maps:
                first, last = (int(end, 16) for end in line.split()[0].split("-"))
                if " rw" in line and last - first < 1 << 27:
                    pages = string_at(first, last - first)
                    searched += len(pages)
                    found += len(sought.findall(pages))
        return searched > 1 << 20, found
    """
    source = cell(body).replace("contiguous_strides(sizes)", "view_strides(sizes, strides, new_sizes)")
    with unhurt.run("strides.view_strides", source) as run:
        seen = run.answer("", ((2, 3), (3, 1), (6,)))
    if unhurt.tier == "landlock":
        assert seen.raised == "PermissionError"  # there is no /proc
        return
    assert seen == Observation((True, 0))
    planted = cell(body) + "# group_ends = d == 0\n"  # where it is there, the search finds it
    with unhurt.run(EXERCISE, planted) as run:
        assert run.answer("", ((2, 3),)).value[1] > 0


# ---- isolation


def test_the_canary_finds_isolation_here(shut):
    assert (shut.tier, set(canary(shut.tier).facts.values())) == (shut.tier, {""})


@pytest.mark.parametrize("tier", isolation.TIERS[:-1])
def test_nothing_forbidden_is_possible_in_a_tier_that_starts(tier):
    """A wall with a hole is a failure here: elsewhere it reads as a machine that has no isolation."""
    assert {attempt: achieved for attempt, achieved in canary(tier).facts.items() if achieved} == {}


def test_the_canary_tells_what_is_possible_without_isolation(tmp_path):
    settings = {
        "walls": "def install_filter(program): pass", "worker_filter": "", "landlock": None, "parent": os.getpid(),
        "secrets": [str(tmp_path)], "environment": [], "port": 1, "abstract": "\0none", "read_only": [str(tmp_path)],
        "scratch": str(tmp_path), "tmp": 1 << 16,
    }  # fmt: skip
    (tmp_path / "answers").touch()
    text = Path(sandboxes.__file__).with_name("escape_attempts.py").read_text().replace('"/bin/true"', '"/bin/missing"')
    command = [sys.executable, "-c", text, json.dumps(settings)]
    facts = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert all(facts[attempt] for attempt in ("read", "write", "fill", "leave_marks", "system_calls"))


@pytest.mark.usefixtures("landlock")
@pytest.mark.parametrize("left_open", ["listed", "readable", "writable"])
def test_the_canary_notices_a_wall_with_a_hole(monkeypatch, left_open):
    whole = landlock.walls
    monkeypatch.setattr(landlock, "walls", lambda *given: whole(*given) | {left_open: ["/"]})
    assert canary.__wrapped__("landlock").tier == "none"


def test_without_isolation_grading_says_what_to_install():
    with pytest.raises(NoIsolation, match="(?s)as asked.*bubblewrap.*to shut them in"):
        Sandbox(LAB, SMALL, exercises=EXERCISES, isolation="none")


def test_without_isolation_the_same_worker_answers_when_that_is_accepted():
    with Sandbox(LAB, SMALL, accept_no_isolation=True, exercises=EXERCISES, isolation="none") as open_sandbox:
        assert open_sandbox.tier == "none"
        assert kind_of_end(open_sandbox, cell("while True: pass")) == TIMED_OUT
        assert ask(open_sandbox, overlay.source_of(EXERCISE)) == Observation((3, 1))


@pytest.mark.usefixtures("bubblewrap")
def test_reading_leaves_no_time_in_bubblewrap():
    with Sandbox(LAB, SMALL, exercises=EXERCISES, isolation="bwrap") as sandbox:
        file = sandbox._image / "engine" / "__init__.py"
        changed = file.stat().st_mtime

        def access_after(read) -> float:
            os.utime(file, (1, changed))
            assert len(read()) > 10
            return file.stat().st_atime

        if access_after(file.read_text) == 1:
            pytest.skip("not run: a file system that notes times of access")
        assert access_after(lambda: ask(sandbox, cell("return open(modules['engine'].__file__).read()")).value) == 1


@pytest.mark.usefixtures("landlock")
def test_in_landlock_what_is_written_has_an_end_and_is_removed():
    fill = "for number in range(10**6):\n    open(str(number), 'wb').write(b'x' * 4096)"
    with Sandbox(LAB, SMALL, exercises=EXERCISES, isolation="landlock") as sandbox:
        assert kind_of_end(sandbox, cell(fill)) == CRASHED
        deep = "for _ in range(200):\n    os.mkdir('d')\n    os.chdir('d')"
        ask(sandbox, cell(deep))
        written = sandbox.guest()._outside
    assert not os.path.exists(written)


def test_cpu_seconds_are_measured_from_outside(shut):
    before = shut.cpu_seconds
    begun = time.process_time()
    kind_of_end(shut, cell("while True: pass"))
    assert shut.cpu_seconds - before > time.process_time() - begun  # of the loop inside; here, of waiting
