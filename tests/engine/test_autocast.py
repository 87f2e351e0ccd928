"""autocast: operators compute in the dtypes in which PyTorch's do, and off it costs nothing.

golden/autocast_dtypes.txt has an expression per operator, and the dtypes of its results with inputs of float32, the
lower-precision dtype and float64. The inputs are fake tensors, so that there need be no GPU and no kernel.
`python tests/engine/test_autocast.py` writes them anew with PyTorch. The programs of golden/autocast.txt run here, too.
"""

import importlib
import threading
import warnings
from pathlib import Path

import pytest
from compare import needs_torch
from recorded_programs import printed, programs
from tiers import fast_only

import engine
from engine.cuda import lazy
from engine.dispatch import registry
from engine.dispatch.local import local
from engine.transforms.autocast_policies import APPENDED, POLICIES

DTYPES = Path(__file__).parent / "golden" / "autocast_dtypes.txt"
PROGRAMS = programs("autocast")
FAST = [
    "state",
    "bad args",
    "bad dtype",
    "cache ops",
    "cache no grad",
    "nested disabled",
    "promote",
    "train ops",
    "cuda fake",
]
LOWER = {"cpu": "bfloat16", "cuda": "float16"}
DIFFERENT = {("bilinear", "cpu"): "bfloat16 bfloat16 float64"}  # it calls bmm; in PyTorch _trilinear, on no list


def tensors(T, device, dtype):
    """The tensors in expressions: `m`, `b`, `image`, ... of a dtype; `f`, which is `m` in float32."""

    def made(*sizes, dtype=dtype):
        return T.empty(sizes, device=device, dtype=dtype).fill_(0.5)

    named = {"v": made(3), "m": made(3, 3), "b": made(3, 3, 3), "image": made(3, 3, 3, 3), "kernels": made(3, 3, 2, 2)}
    named["f"] = made(3, 3, dtype=T.float32)
    named |= {"labels": T.zeros(3, device=device, dtype=T.int64)}
    return named | {"labels2d": named["labels"].expand(3, 3, 3), "square": named["labels"].expand(3, 3)}


def dtype_of(T, expression, device, dtype):
    """The dtype of an expression in an autocast block, or the type of its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            named = tensors(T, device, dtype)
            T.set_autocast_enabled(device, True)
            return str(eval(expression, {"torch": T, "F": T.nn.functional} | named).dtype).removeprefix("torch.")
        except Exception as error:
            return "no CUDA" if "not linked with support for cuda" in str(error) else type(error).__name__
        finally:
            T.set_autocast_enabled(device, False)


def dtypes_of(T, expression, device):
    """The results for the three dtypes of inputs."""
    kinds = [T.float32, getattr(T, LOWER[device]), T.float64]
    with importlib.import_module(f"{T.__name__}._subclasses").FakeTensorMode():
        return " ".join(dtype_of(T, expression, device, kind) for kind in kinds)


def recorded():
    """Label -> expression, and (label, device) -> dtypes, of the file."""
    label, expressions, found = "", {}, {}
    for line in DTYPES.read_text(encoding="utf-8").splitlines():
        name, _, rest = line.strip().partition(": ")
        if line.startswith(" "):
            found[label, name] = rest
        else:
            label = name
            expressions[label] = rest
    return expressions, found


EXPRESSIONS, RESULTS = recorded()


@pytest.mark.parametrize("device", LOWER)
@pytest.mark.parametrize("label", fast_only(["add", "cat", "mm", "norm.Scalar", "softmax.int"], EXPRESSIONS))
def test_an_operator_computes_in_the_dtype_that_pytorch_chooses(label, device):
    expected = DIFFERENT.get((label, device)) or RESULTS[label, device]
    if "no CUDA" not in expected:  # which PyTorch finds out only with a GPU
        assert dtypes_of(engine, EXPRESSIONS[label], device) == expected


def test_every_operator_of_the_lists_has_an_expression():
    listed = {name for lists in POLICIES.values() for names in lists.values() for name in names.split()}
    assert listed - EXPRESSIONS.keys() == set()


@needs_torch
@pytest.mark.parametrize("device", LOWER)
def test_the_lists_are_pytorchs(device, pytorch):
    theirs = pytorch._C._dispatch_get_registrations_for_dispatch_key(f"Autocast{device.upper()}")
    ours = [f"aten::{name}" for lists in POLICIES.values() for name in lists.get(device, "").split()]
    assert sorted(ours) == sorted(name for name in theirs if name in registry.operators)


def test_an_overload_without_a_dtype_has_one_with_a_dtype_at_the_end():
    for name, other in APPENDED.items():
        ours, theirs = (registry.find(f"aten::{one}").schema.arguments for one in (name, other))
        assert [one.name for one in theirs] == [*(one.name for one in ours), "dtype"]


@pytest.mark.parametrize("title", fast_only(FAST, PROGRAMS))
def test_a_program_prints_what_it_prints_with_pytorch(title, monkeypatch):
    program, output = PROGRAMS[title]
    monkeypatch.setitem(lazy._state, "initialized", False)  # as if no other test had used the simulator
    assert printed(program, engine) == output


def test_a_thread_without_autocast_looks_its_kernels_up_as_before():
    a = engine.ones(2, 2)
    entry = registry.find("aten::mm")
    before = local.state, a @ a
    found = dict(entry.calls.in_state[local.state])
    with engine.autocast("cpu"):
        assert (a @ a).dtype is engine.bfloat16
        assert local.state is not before[0]
    assert local.state is before[0]
    assert entry.calls.in_state[local.state] == found


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_exception_leaves_dtype_key_and_cache_as_they_were(error):
    from engine.transforms import autocast

    weight = engine.nn.Parameter(engine.ones(2, 2))
    state = local.state
    outer = engine.autocast("cpu", dtype=engine.float16, cache_enabled=False)
    with pytest.raises(error), outer, engine.autocast("cpu", cache_enabled=True):
        weight @ weight
        assert list(autocast.cached_casts) == [id(weight)]
        raise error
    assert local.state is state
    assert engine.get_autocast_dtype("cpu") is engine.bfloat16
    assert engine.is_autocast_cache_enabled()
    assert (autocast.cached_casts, autocast.state.nesting) == ({}, 0)


def test_a_cast_is_not_given_to_another_tensor_that_has_the_id_of_a_lost_one():
    from engine.transforms import autocast

    lost, weight = engine.nn.Parameter(engine.zeros(2, 2)), engine.nn.Parameter(engine.ones(2, 2))
    with engine.autocast("cpu"):
        lost @ lost
        autocast.cached_casts[id(weight)] = autocast.cached_casts.pop(id(lost))
        del lost
        assert (weight @ weight).tolist() == [[2, 2], [2, 2]]


def test_threads_have_their_own_autocast():
    entered, found = threading.Barrier(2), []

    def compute(dtype):
        with engine.autocast("cpu", dtype=dtype):
            entered.wait(10)
            found.append((engine.ones(2, 2) @ engine.ones(2, 2)).dtype is dtype)
            entered.wait(10)

    threads = [threading.Thread(target=compute, args=[dtype]) for dtype in (engine.bfloat16, engine.float16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True, True]


if __name__ == "__main__":
    lines = []
    for label, expression in EXPRESSIONS.items():
        found = [
            f"    {device}: {dtypes_of(importlib.import_module('torch'), expression, device)}\n" for device in LOWER
        ]
        lines += [f"{label}: {expression}\n", *found]
    DTYPES.write_text("".join(lines), encoding="utf-8")
