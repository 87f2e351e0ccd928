"""Modes: each sees the operators that PyTorch's sees, with the same arguments in the same order; off they cost nothing.

golden/modes.txt has the programs, each statement followed by what a mode saw of it with PyTorch. After a change of a
program, `python tests/engine/test_modes.py` writes the file anew.
"""

import importlib
import re
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
from replaying import WHY_NOT, as_before, replays

import engine
from engine import dispatch
from engine.dispatch import local
from engine.native import switch
from engine.transforms.python_dispatch import TorchDispatchMode, modes
from engine.utils import _python_dispatch

RECORDED = Path(__file__).parent / "golden" / "modes.txt"
X = """x = torch.arange(12, dtype=torch.float32).reshape(3, 4) / 7; y = torch.ones(3, 4); w = torch.full((4, 5), 0.5)
v = torch.ones(4); i = torch.tensor([0, 2]); b = torch.ones(5); F = torch.nn.functional
wg = w.clone().requires_grad_(); vg = v.clone().requires_grad_(); xg = x.clone().requires_grad_()"""
NET = """torch.manual_seed(0); F = torch.nn.functional
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
x = torch.ones(5, 4); t = torch.tensor([0, 1, 2, 0, 1]); SGD = torch.optim.SGD; Adam = torch.optim.Adam"""
CONV = """torch.manual_seed(0); n = torch.nn; x = torch.ones(5, 1, 8, 8)
net = n.Sequential(n.Conv2d(1, 2, 3), n.BatchNorm2d(2), n.ReLU(), n.MaxPool2d(2), n.Flatten(), n.Linear(18, 3))"""
SETUPS = {"X": X, "NET": NET, "CONV": CONV}
DIFFERENT = {
    "z.sum().backward()": "clone gets no memory format",
    "xg[i].sum().backward()": "new_zeros gets no dtype and no device",
    "opt.step()": "PyTorch's optimizers enter a record function, and Adam keeps its step as a tensor",
    "opt.zero_grad()": "PyTorch's optimizers enter a record function",
    "torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)": "there are no _foreach operators",
}
"""Statement -> why a mode sees other operators of it than with PyTorch."""


def programs() -> dict[str, tuple[str, list[tuple[str, list[str]]]]]:
    """Return title -> (setup, its statements with the calls that are recorded for each)."""
    found: dict[str, tuple[str, list[tuple[str, list[str]]]]] = {}
    for line in RECORDED.read_text(encoding="utf-8").splitlines():
        if line.startswith("program "):
            title, _, setup = line.removeprefix("program ").partition(": ")
            found[title] = SETUPS.get(setup, setup), []
        elif line.startswith("    "):
            found[title][1][-1][1].append(line.strip())
        elif line:
            found[title][1].append((line, []))
    return found


def shown(value: Any) -> str:
    """Return an argument as text: a tensor as its dtype and sizes."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(shown, value))}]"
    if type(value).__name__ in ("Tensor", "Parameter"):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def seen(T: Any, package: str, setup: str, statements: list[str]) -> list[tuple[str, list[str]]]:
    """Return each statement with the calls that a mode saw of it."""
    base = importlib.import_module(f"{package}.utils._python_dispatch").TorchDispatchMode

    class Writes(base):
        def __init__(self):
            super().__init__()
            self.calls: list[str] = []

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            named = [f"{name}={shown(value)}" for name, value in (kwargs or {}).items()]
            self.calls.append(f"{func}({', '.join([*map(shown, args), *named])})")
            return func(*args, **(kwargs or {}))

    namespace = {"torch": T}
    exec(setup, namespace)
    result = []
    for statement in statements:
        with warnings.catch_warnings(), Writes() as mode:
            warnings.simplefilter("ignore")
            exec(statement, namespace)
        result.append((statement, mode.calls))
    return result


SLOW = ("activations", "gather scatter", "losses", "reductions", "sort topk cumsum")  # many kernels to compile


@pytest.mark.parametrize("title", [pytest.param(t, marks=pytest.mark.slow) if t in SLOW else t for t in programs()])
def test_a_mode_sees_what_it_sees_with_pytorch(title):
    setup, statements = programs()[title]
    made = seen(engine, "engine", setup, [statement for statement, _ in statements])
    for (statement, calls), (_, expected) in zip(made, statements, strict=True):
        assert calls == expected or statement in DIFFERENT, statement


# ---- how modes nest, and what they leave behind


class Log(TorchDispatchMode):
    """Writes down who sees which operator."""

    def __init__(self, name: str = "", seen: list[str] | None = None):
        self.name, self.seen = name, [] if seen is None else seen

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(f"{self.name}{func}")
        return func(*args, **(kwargs or {}))


class Refuses(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return NotImplemented

    def __repr__(self):
        return "Refuses()"


def test_a_call_goes_to_the_innermost_mode_and_from_there_outward():
    seen: list[str] = []
    with Log("outer ", seen), Log("inner ", seen):
        engine.ones(2)
    assert seen == ["inner aten.ones.default", "outer aten.ones.default"]


def test_a_mode_may_be_entered_again_inside_itself():
    mode = Log()
    with mode, mode:
        engine.ones(2)
    assert mode.seen == ["aten.ones.default"] * 2
    assert modes.stack == ()


def test_what_a_mode_calls_for_itself_is_seen_by_the_outer_ones_alone():
    class Twice(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {})) * 2

    seen: list[str] = []
    with Log(seen=seen), Twice():
        made = engine.ones(2)
    assert seen == ["aten.ones.default", "aten.mul.Tensor"]
    assert made.tolist() == [2, 2]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_exception_leaves_the_thread_as_it_was(error):
    class Fails(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            engine.zeros(1)
            raise error

    state, log = local.local.state, Log()
    with pytest.raises(error), log, Fails():
        engine.ones(2)
    assert log.seen == ["aten.zeros.default"]
    assert (local.local.state, modes.stack, local.modes) == (state, (), 0)
    with log, pytest.raises(error), Fails():
        engine.ones(2)
    assert (local.local.state, modes.stack, local.modes) == (state, (), 0)


def test_gradients_flow_through_what_a_mode_answers():
    class Negates(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            made = func(*args, **(kwargs or {}))
            return engine.neg(made) if func is engine.ops.aten.exp.default else made

    x = engine.zeros(2, requires_grad=True)
    with Negates():
        y = x.exp()
    y.sum().backward()
    assert (y.tolist(), x.grad.tolist()) == ([-1, -1], [-1, -1])


def test_another_thread_has_no_modes():
    log = Log()
    with log:
        thread = threading.Thread(target=lambda: engine.ones(2))
        thread.start()
        thread.join()
    assert log.seen == []


def test_modes_can_be_left_for_a_while():
    inner, outer = Log(), Log()
    with outer, inner:
        with _python_dispatch._pop_mode_temporarily() as popped:
            engine.ones(1)
        with _python_dispatch._disable_current_modes() as disabled:
            engine.ones(2)
        assert _python_dispatch._get_current_dispatch_mode() is inner
        assert _python_dispatch._get_current_dispatch_mode_stack() == [outer, inner]
    assert (popped, disabled) == (inner, [inner, outer])
    assert (inner.seen, outer.seen) == ([], ["aten.ones.default"])
    assert _python_dispatch._get_current_dispatch_mode() is None


def test_a_call_that_nobody_answers_is_refused():
    with pytest.raises(TypeError) as refused, Refuses():
        engine.ones(2)
    assert str(refused.value) == (
        "Multiple dispatch failed for 'torch._ops.aten.ones.default'; all __torch_dispatch__ handlers returned "
        "NotImplemented:\n\n  - mode object Refuses()\n\nFor more information, try re-running with "
        "TORCH_LOGS=not_implemented"
    )


def test_an_answer_is_held_against_the_schema():
    class Wrong(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return 3

    with pytest.raises(RuntimeError, match="Unable to cast 3 to Tensor"), Wrong():
        engine.ones(2)


def test_a_python_number_comes_as_a_number_and_may_be_passed_on():
    given = []

    class Keeps(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            given.append(args[1])
            return func(*args)

    x = engine.ones(2, dtype=engine.int64)
    with Keeps():
        made = x.add(1.5)
    assert (given, made.dtype, made.tolist()) == ([1.5], engine.float32, [2.5, 2.5])


def test_printing_inside_a_mode_is_not_seen():
    log = Log()
    with log:
        repr(engine.ones(2, 2))
    assert log.seen == ["aten.ones.default"]


# ---- off, and beside replay


@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
def test_leaf_replay_stays_on_under_a_mode():
    x, log = engine.ones(8), Log()
    with as_before():
        switch.enable()
        for _ in range(3):
            x + x
        before = replays("add.Tensor")
        with log:
            for _ in range(10):
                x + x
        assert replays("add.Tensor") == before + 10
    assert log.seen == ["aten.add.Tensor"] * 10


def test_a_mode_that_was_left_leaves_no_trace_in_a_call():
    x, entry = engine.ones(8), dispatch.registry.find("aten::add.Tensor")
    x + x

    def path():
        functions = engine.Tensor.__add__, engine.add, entry.call, entry.redispatch
        return [(one, one.__code__, one.__defaults__) for one in functions], entry.calls.in_state, local.local.state

    before = path()
    with Log():
        x + x
    assert path() == before


def test_the_engine_is_imported_without_transforms():
    code = "import sys, engine; print([name for name in sys.modules if name.startswith('engine.transforms')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_a_table_shows_what_stands_at_the_key_python():
    table = engine._C._dispatch_dump_table("aten::add.Tensor")
    assert re.search(r"^Python: registered at .*fallbacks.py:\d+ \[backend fallback\]$", table, re.M)
    assert re.search(r"^PythonTLSSnapshot: fallthrough .* \[backend fallback\]$", table, re.M)


def record() -> None:
    import torch

    lines = []
    for title, (setup, statements) in programs().items():
        name = next((name for name, text in SETUPS.items() if text == setup), setup)
        lines.append(f"program {title}: {name}")
        for statement, calls in seen(torch, "torch", setup, [statement for statement, _ in statements]):
            lines += [statement, *(f"    {call}" for call in calls)]
    RECORDED.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
