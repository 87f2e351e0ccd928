"""Which kernel a key gets: each rule of precedence, fall-throughs, and that undoing a registration restores."""

import pytest
from compare import engine, needs_torch
from fresh import Fresh, assert_agree, error_of, keys, without_lines

from engine.dispatch.dispatcher import dispatch_key_set
from engine.dispatch.keys import RUNTIME_KEYS, DispatchKey, DispatchKeySet
from engine.dispatch.table import Kernel, computed_kernel, computed_table, fallthrough_kernel

K = DispatchKey
BACKENDS = ("CPU", "CUDA", "PrivateUse1", "Meta", "QuantizedCPU")
AUTOGRAD = ("AutogradOther", "AutogradCPU", "AutogradCUDA", "AutogradPrivateUse1", "AutogradMeta")

# keys that have a kernel -> (runtime keys, the key whose kernel they get or None, the origin)
PRECEDENCE = {
    "a kernel at the key itself is first": (
        "CPU CompositeExplicitAutogradNonFunctional CompositeExplicitAutograd CompositeImplicitAutograd",
        (("CPU",), "CPU", "kernel"),
    ),
    "then CompositeExplicitAutogradNonFunctional": (
        "CompositeExplicitAutogradNonFunctional CompositeExplicitAutograd CompositeImplicitAutograd",
        ((*BACKENDS, "Undefined"), "CompositeExplicitAutogradNonFunctional", "default"),
    ),
    "then CompositeExplicitAutograd": (
        "CompositeExplicitAutograd CompositeImplicitAutograd",
        ((*BACKENDS, "Undefined"), "CompositeExplicitAutograd", "default"),
    ),
    "then CompositeImplicitAutograd, at Autograd keys too": (
        "CompositeImplicitAutograd Autograd",
        ((*BACKENDS, *AUTOGRAD, "Undefined"), "CompositeImplicitAutograd", "math"),
    ),
    "not at the Autograd key of a backend that has a kernel": (
        "CompositeImplicitAutograd Autograd CPU",
        (("AutogradCPU",), "Autograd", "autograd"),
        (("AutogradCUDA", "AutogradOther"), "CompositeImplicitAutograd", "math"),
    ),
    "not at Autograd keys where CompositeExplicitAutograd is": (
        "CompositeImplicitAutograd CompositeExplicitAutograd",
        (AUTOGRAD, None, "missing"),
    ),
    "ambiguous at AutogradOther if a backend that maps to it has a kernel": (
        "CompositeImplicitAutograd QuantizedCPU",
        (("AutogradOther",), None, "ambiguous"),
        (("AutogradCPU",), "CompositeImplicitAutograd", "math"),
    ),
    "the alias Autograd serves Autograd keys only": (
        "Autograd",
        (AUTOGRAD, "Autograd", "autograd"),
        ((*BACKENDS, "Undefined", "ADInplaceOrView", "Tracer"), None, "missing"),
    ),
    "the decomposition for batching serves FuncTorchBatched": (
        "FuncTorchBatchedDecomposition",
        (("FuncTorchBatched",), "FuncTorchBatchedDecomposition", "batched"),
        (("FuncTorchVmapMode", "CPU"), None, "missing"),
    ),
    "no composite serves other keys": (
        "CompositeImplicitAutograd CompositeExplicitAutograd",
        (("BackendSelect", "ADInplaceOrView", "Tracer", "Python", "FuncTorchBatched"), None, "missing"),
    ),
    "nothing anywhere": ("", (tuple(key.name for key in RUNTIME_KEYS), None, "missing")),
}  # fmt: skip


@pytest.mark.parametrize("rule", PRECEDENCE)
def test_precedence(rule):
    registered, *expected = PRECEDENCE[rule]
    kernels = {K[name]: Kernel(lambda: None, debug=name) for name in registered.split()}
    for runtime_keys, name, origin in expected:
        for key in runtime_keys:
            kernel, found = computed_kernel(kernels, {}, K[key])
            assert (kernel and kernel.debug, found) == (name, origin), key


@pytest.mark.parametrize("key", RUNTIME_KEYS)
def test_a_fallback_serves_its_key_where_nothing_else_does(key):
    fallback, own = Kernel(lambda: 1), Kernel(lambda: 2)
    assert computed_kernel({}, {key: fallback}, key) == (fallback, "fallback")
    assert computed_kernel({key: own}, {key: fallback}, key) == (own, "kernel")
    others = {other for other, (kernel, _) in computed_table({}, {key: fallback}).items() if kernel}
    assert others == {key}


def test_fallthroughs_are_left_out_of_the_key_set():
    skipped = Kernel(fallthrough_kernel)
    own = Kernel(lambda: None)
    table = computed_table({K.AutogradCPU: skipped, K.Tracer: own, K.BackendSelect: skipped, K.CPU: own}, {})
    given = DispatchKeySet([K.CPU, K.AutogradCPU, K.BackendSelect])
    assert dispatch_key_set(given.raw_repr(), table) == DispatchKeySet(K.CPU).raw_repr()
    above = given.add(K.Tracer).raw_repr()
    assert dispatch_key_set(above, table) == DispatchKeySet([K.CPU, K.Tracer]).raw_repr()


def origins(name):
    return {key: origin for key, (_, origin) in engine.dispatch.table(name).items()}


def test_the_table_for_machines_gives_callables_and_origins():
    def at_cpu(x):
        return x

    def composite(x):
        return x

    with Fresh(engine) as fresh:
        fresh.define("op(Tensor x) -> Tensor")
        fresh.impl("op", composite, "CompositeImplicitAutograd")
        fresh.impl("op", at_cpu, "CPU")
        fresh.impl("op", fallthrough_kernel, "Tracer")
        table = engine.dispatch.table(f"{fresh.name}::op")
        assert list(table) == [key.name for key in RUNTIME_KEYS]
        assert table["CPU"] == (at_cpu, "kernel")
        assert table["CUDA"] == table["AutogradCUDA"] == (composite, "math")
        assert table["Tracer"] == table["BackendSelect"] == (None, "fallthrough")
        assert table["AutogradCPU"][1] == table["Python"][1] == "fallback"
        fresh.impl("op", composite, "QuantizedCPU")
        assert engine.dispatch.table(f"{fresh.name}::op")["AutogradOther"] == (None, "ambiguous")


def test_the_table_of_an_unknown_operator_is_refused():
    with pytest.raises(RuntimeError, match="Could not find schema for fresh::nothing"):
        engine.dispatch.table("fresh::nothing")


@needs_torch
def test_of_two_kernels_at_a_key_the_newest_runs_and_destroying_it_brings_the_other_back():
    def program(T, fresh):
        fresh.define("op(Tensor x) -> int")
        x = T.ones(1)
        libraries = [fresh.impl("op", lambda x, number=number: number, "CPU") for number in range(3)]
        results = [fresh.ops.op(x)]
        for number in (1, 2):
            libraries[number]._destroy()
            results.append(fresh.ops.op(x))
        return results

    assert_agree(program)


@pytest.mark.parametrize("key", ["CPU", "Autograd", "CompositeExplicitAutograd", "CompositeImplicitAutograd", "Tracer"])
@pytest.mark.parametrize("under", ["", "CPU", "QuantizedCPU", "CompositeImplicitAutograd"])
def test_what_a_handle_undoes_is_exactly_its_registration(key, under):
    with Fresh(engine) as fresh:
        library = fresh.define("op(Tensor x) -> Tensor")
        if under:
            fresh.impl("op", lambda x: x, under)
        name = f"{fresh.name}::op"
        before, dump = engine.dispatch.table(name), engine._C._dispatch_dump(name)
        handle = library.impl("op", lambda x: x, key)
        assert engine._C._dispatch_dump(name) != dump
        handle.destroy()
        assert (engine.dispatch.table(name), engine._C._dispatch_dump(name)) == (before, dump)
        handle.destroy()  # a second time does nothing
        assert engine._C._dispatch_dump(name) == dump


@pytest.mark.parametrize("fallthrough", [False, True])
def test_destroying_a_fallback_restores_every_operator(fallthrough):
    before = engine.dispatch.table("aten::add.Tensor")
    with Fresh(engine) as fresh:
        fresh.fallback(fallthrough_kernel if fallthrough else lambda op, *args: None, "PrivateUse1")
        assert origins("aten::add.Tensor")["PrivateUse1"] == ("fallthrough" if fallthrough else "fallback")
    assert engine.dispatch.table("aten::add.Tensor") == before


@needs_torch
def test_a_fallback_that_comes_or_goes_changes_the_calls_that_were_made_before():
    def program(T, fresh):
        x = T.ones(1)
        fresh.define("op(Tensor x) -> Tensor")

        def call():
            with T._C._IncludeDispatchKeyGuard(T._C.DispatchKey.PrivateUse1):
                fresh.ops.op(x)

        told = [error_of(call)]
        library = fresh.fallback(lambda op, x: x, "PrivateUse1")
        told.append(error_of(call))
        library._destroy()
        return [text.partition(":")[0] for text in (*told, error_of(call))]

    assert_agree(program)


@needs_torch
@pytest.mark.parametrize("key", ["AutogradCPU", "ADInplaceOrView", "Tracer", "Autograd"])
def test_a_fallthrough_is_skipped_and_never_called(key):
    def program(T, fresh):
        fresh.define("op(Tensor x) -> Tensor")
        fresh.impl("op", lambda x: x, "CPU")
        fresh.impl("op", T.library.fallthrough_kernel, key)
        x = T.ones(2)
        with T._C._IncludeDispatchKeyGuard(
            T._C._dispatch_key_parse("Tracer" if key == "Tracer" else "ADInplaceOrView")
        ):
            return fresh.ops.op(x)

    assert_agree(program)


@needs_torch
def test_a_kernel_gets_a_key_set_without_the_keys_that_fall_through():
    def program(T, fresh):
        log = []
        fresh.define("op(Tensor x) -> Tensor")
        fresh.impl("op", lambda key_set, x: log.append(repr(key_set)) or x, "AutogradCPU", with_keyset=True)
        fresh.ops.op(T.ones(1))
        fresh.impl("op", T.library.fallthrough_kernel, "CPU")
        fresh.ops.op(T.ones(1))
        return log

    assert_agree(program)


@needs_torch
def test_a_call_that_ends_at_a_fallthrough_is_an_error():
    def program(T, fresh):
        fresh.define("op(Tensor x) -> Tensor")
        fresh.impl("op", T.library.fallthrough_kernel, "CPU")
        return fresh.ops.op(T.ones(1))

    assert_agree(program)


# ---- no kernel


@needs_torch
def test_a_call_without_a_kernel_is_told_which_keys_have_one():
    def program(T, fresh):
        fresh.define("op(Tensor x) -> Tensor", "many(Tensor[] xs) -> Tensor")
        for key in ("CUDA", "QuantizedCPU", "Tracer"):
            fresh.impl("op", lambda x: x, key)
        texts = (error_of(lambda: fresh.ops.op(T.ones(1))), error_of(lambda: fresh.ops.many([])))
        return [_told(text) for text in texts]

    assert_agree(program)


def _told(text):
    """The start of the message, and the keys in its list that the engine has."""
    start, _, listed = text.partition("[")
    known = [name for name in listed.rstrip("].").split(", ") if name in DispatchKey.__members__]
    return start.partition("This could be")[0].partition("Available")[0], known


def test_the_message_shows_where_each_kernel_was_registered():
    with Fresh(engine) as fresh:
        fresh.define("op(Tensor x) -> Tensor")
        fresh.impl("op", lambda x: x, "CUDA")
        with pytest.raises(NotImplementedError) as error:
            fresh.ops.op(engine.ones(1))
    lines = str(error.value).splitlines()
    assert f"'{fresh.name}::op' is only available for these backends: [CUDA, Meta, BackendSelect" in lines[0]
    assert [without_lines(line) for line in lines if line.startswith("CUDA")] == [
        "CUDA: registered at fresh.py [kernel]"
    ]


@needs_torch
def test_a_meta_tensor_without_a_meta_kernel_is_an_error():
    def program(T, fresh):
        fresh.define("op(Tensor x) -> Tensor")
        fresh.impl("op", lambda x: x, "CPU")
        return error_of(lambda: fresh.ops.op(T.ones(1, device="meta"))).partition("registered.")[0]

    assert_agree(program)


@needs_torch
def test_composite_implicit_and_a_kernel_that_maps_to_autograd_other_contradict_each_other():
    def program(T, fresh):
        fresh.define("op(Tensor x) -> Tensor")
        fresh.impl("op", lambda x: x, "QuantizedCPU")
        fresh.impl("op", lambda x: x, "CompositeImplicitAutograd")
        return fresh.ops.op.default.redispatch(keys(T, "AutogradOther"), T.ones(1))

    assert_agree(program)
