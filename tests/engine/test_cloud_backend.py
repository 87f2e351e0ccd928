"""A backend from outside: kernels at PrivateUse1 that log and let the CPU do the work, and nothing above them changes.
And a tracer: a kernel at a key above all backends that writes down every operator.
"""

import pytest
from compare import engine, needs_torch
from fresh import Fresh, assert_agree, keys

from engine.dispatch import dispatcher, registry
from engine.storage import UntypedStorage

OPERATORS = ("add.Tensor", "mul.Tensor", "neg", "exp", "sum", "mm", "cat", "clone", "where.self")
CLOUD = "PrivateUse1"


def open_cloud(T, fresh, log):
    """Kernels at the cloud for some operators; each writes its name down and redispatches to the CPU."""
    library = fresh.library("IMPL", CLOUD, ns="aten")
    for name in OPERATORS:
        base, _, overload = name.partition(".")
        op = getattr(getattr(T.ops.aten, base), overload or "default")

        def kernel(*args, op=op, **kwargs):
            log.append(f"cloud: {op}")
            return op.redispatch(keys(T, "CPU"), *args, **kwargs)

        library.impl(name, kernel)
    return library


def in_the_cloud(T):
    """All calls inside have the cloud's keys."""
    return T._C._IncludeDispatchKeyGuard(T._C._dispatch_key_parse(CLOUD))


PROGRAMS = (
    "x + x", "T.add(x, x, alpha=2)", "x * x", "-x", "x.neg()", "x.sum()", "T.matmul(x, x)", "T.cat([x, x], 1)",
    "x.clone()", "T.where(x > 0, x, x)" , "x @ x + x * x",
)  # fmt: skip


@needs_torch
@pytest.mark.parametrize("program", [program for program in PROGRAMS if "x > 0" not in program])
def test_what_runs_in_the_cloud_is_logged_and_gives_the_same(program):
    def run(T, fresh):
        log, x = [], T.tensor([[1.0, 2.0], [3.0, 4.0]])
        open_cloud(T, fresh, log)
        with in_the_cloud(T):
            result = eval(program, {"T": T, "x": x})
        return result, log

    assert_agree(run)


@needs_torch
def test_an_operator_that_the_cloud_does_not_have_is_an_error():
    def run(T, fresh):
        open_cloud(T, fresh, [])
        x = T.ones(2)
        with in_the_cloud(T):
            return x.relu()

    assert_agree(run)


@needs_torch
def test_a_fallback_serves_what_the_cloud_does_not_have():
    def run(T, fresh):
        log, x = [], T.ones(2, 2)
        open_cloud(T, fresh, log)

        def to_the_cpu(op, *args, **kwargs):
            log.append(f"fallback: {op}")
            return op.redispatch(keys(T, "CPU"), *args, **kwargs)

        fresh.fallback(to_the_cpu, CLOUD)
        with in_the_cloud(T):
            results = (x + x).relu(), x.amax(1), x.t(), x.mul_(x)
        return results, log[:2]  # PyTorch's own kernels make calls inside that are not the engine's

    assert_agree(run)


def test_a_composite_operator_is_decomposed_above_the_cloud():
    log, x = [], engine.ones(2, 2)
    with Fresh(engine) as fresh:
        open_cloud(engine, fresh, log)
        with in_the_cloud(engine), engine.dispatch.trace() as steps:
            engine.matmul(x, x)
    assert [(step.op, step.key.name) for step in steps] == [
        ("aten::matmul", "AutogradPrivateUse1"),
        ("aten::mm", "AutogradPrivateUse1"),
        ("aten::mm", "PrivateUse1"),
        ("aten::mm", "CPU"),
    ]


def test_once_the_cloud_is_closed_its_kernels_are_gone():
    before = {name: engine.dispatch.table(f"aten::{name}") for name in OPERATORS}
    with Fresh(engine) as fresh:
        open_cloud(engine, fresh, [])
        assert engine.dispatch.table("aten::neg")[CLOUD][1] == "kernel"
        assert {key: entry for key, entry in engine.dispatch.table("aten::neg").items() if key != CLOUD} == {
            key: entry for key, entry in before["neg"].items() if key != CLOUD
        }
    assert {name: engine.dispatch.table(f"aten::{name}") for name in OPERATORS} == before


# ---- a tracer


def open_tracer(T, fresh, names, log):
    """At the Tracer key: write the operator down, go on below."""
    below = T._C._dispatch_keyset_full_after(T._C._dispatch_key_parse("Tracer"))
    library = fresh.library("IMPL", "Tracer", ns="aten")
    for name in names:
        base, _, overload = name.partition(".")
        op = getattr(getattr(T.ops.aten, base), overload or "default")

        def kernel(key_set, *args, op=op, **kwargs):
            log.append(op.name())
            return op.redispatch(key_set & below, *args, **kwargs)

        library.impl(name, kernel, with_keyset=True)


@needs_torch
def test_a_kernel_at_the_tracer_key_sees_calls_and_those_that_they_make():
    def run(T, fresh):
        log, x = [], T.ones(2, 2)
        open_tracer(T, fresh, ("add.Tensor", "mul_.Tensor", "matmul", "mm", "sum", "transpose.int", "cat"), log)
        with T._C._IncludeDispatchKeyGuard(T._C._dispatch_key_parse("Tracer")):
            results = x + x, T.matmul(x, x), x.mul_(x), x.transpose(0, 1), T.cat([x, x]), x.sum()
        return results, log

    assert_agree(run)


def test_without_a_kernel_there_the_tracer_key_goes_on_to_the_next():
    x = engine.ones(2, 2)
    with engine._C._IncludeDispatchKeyGuard(engine._C.DispatchKey.Tracer), engine.dispatch.trace() as steps:
        engine.matmul(x, x)
    assert [(step.label, step.op, step.key.name, step.depth) for step in steps] == [
        ("call", "aten::matmul", "Tracer", 1),
        ("redispatch", "aten::matmul", "AutogradCPU", 2),
        ("call", "aten::mm", "Tracer", 3),
        ("redispatch", "aten::mm", "AutogradCPU", 4),
        ("redispatch", "aten::mm", "CPU", 5),
    ]


def test_one_kernel_at_the_tracer_key_works_for_every_operator():
    names = [name.removeprefix("aten::") for name in registry.operators if name.startswith("aten::")]
    log, x = [], engine.tensor([[1.0, 2.0], [3.0, 4.0]])
    with Fresh(engine) as fresh:
        open_tracer(engine, fresh, names, log)
        plain = engine.softmax(x @ x + 1, 0), engine.zeros(2), x.unbind(), (x > 2).to(engine.int64)
        assert log == []
        with engine._C._IncludeDispatchKeyGuard(engine._C.DispatchKey.Tracer):
            traced = engine.softmax(x @ x + 1, 0), engine.zeros(2), x.unbind(), (x > 2).to(engine.int64)
    assert _values(traced) == _values(plain)
    assert log[:3] == ["aten::matmul", "aten::mm", "aten::add.Tensor"]
    assert {"aten::softmax.int", "aten::_softmax", "aten::zeros", "aten::unbind.int", "aten::gt.Scalar"} < set(log)


def _values(results):
    return [entry.tolist() if isinstance(entry, engine.Tensor) else _values(entry) for entry in results]


def test_a_boxed_fallback_at_the_tracer_key_does_it_in_one_registration():
    below = engine._C._dispatch_keyset_full_after(engine._C.DispatchKey.Tracer)
    log, x = [], engine.ones(2, 2)

    def trace(key_set, op, *args, **kwargs):
        log.append(op.name())
        return op.redispatch(key_set & below, *args, **kwargs)

    own = registry.fallbacks.pop(dispatcher.DispatchKey.Tracer)
    registry.retrace(lambda: None)
    try:
        with Fresh(engine) as fresh:
            fresh.fallback(trace, "Tracer", with_keyset=True)
            with engine._C._IncludeDispatchKeyGuard(engine._C.DispatchKey.Tracer):
                result = engine.matmul(x, x) + engine.cat([x, x])[:2]
    finally:
        registry.register_fallback(dispatcher.DispatchKey.Tracer, own)
    assert result.tolist() == [[3.0, 3.0], [3.0, 3.0]]
    assert log[:2] == ["aten::matmul", "aten::mm"] and {"aten::cat", "aten::slice.Tensor", "aten::add.Tensor"} < set(
        log
    )


def test_a_storage_without_bytes_lies_on_any_device_and_one_with_bytes_does_not():
    cloud = engine.device("privateuseone")
    storage = UntypedStorage(0, cloud)
    assert (storage.nbytes(), storage.device) == (0, cloud)
    with pytest.raises(NotImplementedError, match="no memory on privateuseone"):
        UntypedStorage(8, cloud)
