"""Registering from Python: what is accepted, what is refused in PyTorch's words, and that refusals leave nothing."""

import contextlib

import pytest
from compare import engine, needs_torch
from fresh import Fresh, assert_agree, error_of, keys, without_lines

from engine.dispatch import dispatcher, registry

OP = "op(Tensor x) -> Tensor"


def refusal(call):
    return without_lines(error_of(call))


def lines_of_dump(T, name):
    return [without_lines(line) for line in T._C._dispatch_dump(name).splitlines()]


# ---- opening


@needs_torch
@pytest.mark.parametrize(
    ("kind", "dispatch_key", "ns"),
    [("NOPE", "", ""), ("DEF", "", "prim"), ("FRAGMENT", "", "prim"), ("FRAGMENT", "", "_"), ("FRAGMENT", "Nope", "")],
)
def test_a_library_that_can_not_be_is_refused(kind, dispatch_key, ns):
    assert_agree(lambda T, fresh: refusal(lambda: fresh.library(kind, dispatch_key, ns)))


@needs_torch
@pytest.mark.parametrize(("kind", "dispatch_key"), [("DEF", ""), ("IMPL", ""), ("IMPL", "CPU"), ("FRAGMENT", "")])
def test_a_library_says_what_it_is(kind, dispatch_key):
    def program(T, fresh):
        library = fresh.library(kind, dispatch_key)
        return repr(library), library.ns, library.kind, library.dispatch_key

    assert_agree(program)


@needs_torch
@pytest.mark.parametrize("kind", ["DEF", "FRAGMENT"])
def test_only_a_library_of_kernels_has_a_key(kind):
    assert_agree(lambda T, fresh: error_of(lambda: fresh.library(kind, "CPU")).partition(":")[0])


@needs_torch
def test_kernels_may_be_given_in_a_reserved_namespace():
    assert_agree(lambda T, fresh: fresh.library("IMPL", ns="prim").ns)


@needs_torch
@pytest.mark.parametrize("error", [None, KeyError, KeyboardInterrupt])
def test_a_scoped_library_undoes_its_registrations_however_its_block_ends(error):
    def program(T, fresh):
        ended_by = contextlib.suppress(KeyError, KeyboardInterrupt)
        with ended_by, T.library._scoped_library(fresh.name, "DEF") as library:
            library.define(OP)
            library.impl("op", lambda x: x, "CPU")
            during = T._C._dispatch_has_kernel_for_dispatch_key(f"{fresh.name}::op", "CPU")
            if error:
                raise error
        fresh.library("DEF").define(OP)
        return during, T._C._dispatch_has_kernel_for_dispatch_key(f"{fresh.name}::op", "CPU")

    assert_agree(program)


def test_a_scoped_library_says_where_its_block_stands():
    with engine.library._scoped_library("scoped", "DEF"), pytest.raises(RuntimeError, match=__file__):
        engine.library.Library("scoped", "DEF")


@needs_torch
def test_a_namespace_has_one_def_until_it_is_destroyed():
    def program(T, fresh):
        first = fresh.library("DEF")
        told = refusal(lambda: fresh.library("DEF"))
        first._destroy()
        return told, fresh.library("DEF").kind

    assert_agree(program)


@needs_torch
def test_the_operators_that_come_with_the_engine_have_their_def():
    assert_agree(lambda T, fresh: refusal(lambda: fresh.library("DEF", ns="aten")).partition("Previous")[0])


# ---- define


@needs_torch
def test_an_operator_defined_in_a_library_can_be_called():
    def program(T, fresh):
        library = fresh.library("DEF")
        library.define(OP)
        library.impl("op", lambda x: x + 1, "CPU")
        return fresh.ops.op(T.ones(2))

    assert_agree(program)


@needs_torch
@pytest.mark.parametrize(
    "schema",
    ["", "op", "op(Tensor x -> Tensor", "op(Foo x) -> Tensor", "op(Tensor x)", "op(Tensor x, int) -> Tensor",
     "1op() -> ()", "other::op(Tensor x) -> Tensor", "op.default(Tensor x) -> Tensor"],
)  # fmt: skip
def test_a_schema_that_can_not_be_is_refused(schema):
    assert_agree(lambda T, fresh: refusal(lambda: fresh.define(schema)))


def test_a_schema_may_name_the_namespace_that_it_is_in():
    with Fresh(engine) as fresh:
        fresh.define(f"{fresh.name}::{OP}")
        assert fresh.ops.op.default.name() == f"{fresh.name}::op"


@needs_torch
@pytest.mark.parametrize("schema", [OP, "op(Tensor x, Tensor y) -> Tensor"])
def test_a_second_definition_is_refused_and_the_first_one_stays(schema):
    def program(T, fresh):
        fresh.define(OP)
        told = refusal(lambda: fresh.define(schema))
        return told, str(fresh.ops.op.default._schema)

    assert_agree(program)


def test_the_refusal_names_the_place_of_the_first_definition():
    with Fresh(engine) as fresh:
        library = fresh.library()
        library.define(OP)  # on the line that the message names
        with pytest.raises(RuntimeError) as error:
            library.define(OP)
    first = test_the_refusal_names_the_place_of_the_first_definition.__code__.co_firstlineno + 3
    assert f"Original registration: registered at {__file__}:{first}" in str(error.value)
    assert f"Duplicate registration: registered at {__file__}:{first + 2}" in str(error.value)


@needs_torch
def test_overloads_are_operators_of_their_own():
    def program(T, fresh):
        fresh.define(OP, "op.b(Tensor x, int n) -> Tensor")
        fresh.impl("op", lambda x: x, "CPU")
        fresh.impl("op.b", lambda x, n: x + n, "CPU")
        return fresh.ops.op(T.ones(1)), fresh.ops.op(T.ones(1), 3), fresh.ops.op.b(T.ones(1), 4)

    assert_agree(program)


@needs_torch
def test_nothing_is_defined_in_a_library_of_kernels():
    assert_agree(lambda T, fresh: refusal(lambda: fresh.library("IMPL").define(OP)))


# ---- impl


@needs_torch
def test_a_kernel_may_come_before_the_definition():
    def program(T, fresh):
        fresh.impl("op", lambda x: x + 1, "CPU")
        name = f"{fresh.name}::op"
        before = lines_of_dump(T, name), T._C._dispatch_has_kernel_for_dispatch_key(name, "CPU")
        told = refusal(lambda: fresh.ops.op)
        fresh.define(OP)
        return before, told, fresh.ops.op(T.ones(1))

    assert_agree(program)


@needs_torch
def test_kernels_outlive_the_definition():
    def program(T, fresh):
        library = fresh.define(OP)
        fresh.impl("op", lambda x: x + 1, "CPU")
        library._destroy()
        fresh.define(OP)
        return fresh.ops.op(T.ones(1))

    assert_agree(program)


def test_an_operator_that_is_no_longer_defined_can_not_be_called():
    with Fresh(engine) as fresh:
        library = fresh.define(OP)
        fresh.impl("op", lambda x: x, "CPU")
        op = fresh.ops.op.default
        library._destroy()
        with pytest.raises(RuntimeError, match="never defined"):
            op(engine.ones(1))
        with pytest.raises(AttributeError):
            _ = fresh.ops.op


@needs_torch
@pytest.mark.parametrize("key", ["Nope", "cpu", "Dense", "AutogradFunctionality"])
def test_an_unknown_key_is_refused(key):
    def program(T, fresh):
        fresh.define(OP)
        return refusal(lambda: fresh.impl("op", lambda x: x, key))

    assert_agree(program)


@needs_torch
def test_what_impl_does_not_take_is_refused():
    def program(T, fresh):
        fresh.define(OP)
        return [
            refusal(call)
            for call in (
                lambda: fresh.impl("op", 3, "CPU"),
                lambda: fresh.impl(3, lambda x: x, "CPU"),
                lambda: fresh.impl("other::op", lambda x: x, "CPU"),
                lambda: fresh.library("IMPL", "CPU").impl("op", lambda x: x, "CUDA"),
                lambda: fresh.impl("unknown", lambda x: x, "Meta"),
            )
        ]

    assert_agree(program)


@needs_torch
def test_impl_takes_an_overload_for_a_name():
    def program(T, fresh):
        fresh.define("op.b(Tensor x) -> Tensor")
        fresh.impl(fresh.ops.op.b, lambda x: x + 1, "CPU")
        return fresh.ops.op.b(T.ones(1))

    assert_agree(program)


@needs_torch
def test_the_key_is_that_of_the_library_or_composite_implicit():
    def program(T, fresh):
        fresh.define(OP)
        fresh.library("IMPL", "CUDA").impl("op", lambda x: x)
        fresh.library("IMPL", "CPU").impl("op", lambda x: x, "CPU")
        fresh.impl("op", lambda x: x)
        return [line.partition(":")[0] for line in lines_of_dump(T, f"{fresh.name}::op")]

    assert_agree(program)


@needs_torch
def test_an_operator_made_of_others_takes_no_meta_kernel():
    def program(T, fresh):
        fresh.define(OP)
        fresh.impl("op", lambda x: x, "CompositeImplicitAutograd")
        return refusal(lambda: fresh.impl("op", lambda x: x, "Meta"))

    assert_agree(program)


@needs_torch
def test_with_keyset_a_kernel_is_told_the_keys_of_the_call():
    def program(T, fresh):
        log = []
        fresh.define(OP)
        op = fresh.ops.op.default
        below = T._C._dispatch_keyset_full_after(T._C.DispatchKey.AutogradOther)

        def at_autograd(key_set, x):
            log.append(repr(key_set))
            return op.redispatch(key_set & below, x)

        fresh.impl("op", at_autograd, "AutogradCPU", with_keyset=True)
        fresh.impl("op", lambda key_set, x: log.append(repr(key_set)) or x, "CPU", with_keyset=True)
        op(T.ones(1))
        return log

    assert_agree(program)


@needs_torch
def test_overriding_can_be_forbidden():
    def program(T, fresh):
        fresh.define(OP)
        fresh.impl("op", lambda x: x + 1, "CPU")
        told = refusal(lambda: fresh.impl("op", lambda x: x + 2, "CPU", allow_override=False))
        return told, fresh.ops.op(T.ones(1))

    assert_agree(program)


@needs_torch
def test_a_kernel_of_pytorchs_own_operators_is_overridden_and_comes_back():
    def program(T, fresh):
        x, results = T.ones(2), []
        library = fresh.impl_aten("neg", lambda x: x + 100, "CPU", allow_override=True)
        results += [T.neg(x), -x, x.neg(), T.ops.aten.neg(x)]
        library._destroy()
        return [*results, T.neg(x)]

    assert_agree(program)


@pytest.mark.parametrize(
    ("kernel", "with_keyset", "fits"),
    [
        (lambda x, n: x, False, True),
        (lambda x, n=1: x, False, True),
        (lambda x: x, False, True),  # called so while n has its default
        (lambda *args, **kwargs: args[0], False, True),
        (lambda keys, x, n=1: x, True, True),
        (lambda: None, False, False),
        (lambda x, n, other: x, False, False),
        (lambda keys, x, n, other: x, True, False),
        (lambda n, *, x: x, False, False),
    ],
)
def test_a_kernel_that_no_call_could_reach_does_not_match_the_schema(kernel, with_keyset, fits):
    with Fresh(engine) as fresh:
        fresh.define("op(Tensor x, int n=1) -> Tensor")
        told = error_of(lambda: fresh.impl("op", kernel, "CPU", with_keyset=with_keyset))
    assert told.startswith("no error" if fits else "RuntimeError: Inferred operator schema"), told


# ---- fallback


@needs_torch
def test_a_fallback_that_can_not_be_is_refused():
    def program(T, fresh):
        def any_op(op, *args, **kwargs):
            return args[0]

        taken = refusal(lambda: fresh.fallback(any_op, "Tracer"))
        fresh.fallback(any_op, "PrivateUse1")
        return [
            taken.partition("previous")[0],
            refusal(lambda: fresh.fallback(any_op, "PrivateUse1")),
            refusal(lambda: fresh.fallback(any_op, "Nope")),
            refusal(lambda: fresh.library("IMPL").fallback(any_op, "CPU")),
            refusal(lambda: fresh.library("IMPL", ns="_").fallback(any_op, "")),
            error_of(lambda: fresh.fallback(any_op, "Undefined")).partition(":")[0],
        ]

    assert_agree(program)


def test_a_fallback_at_an_alias_is_one_at_each_of_its_keys_or_at_none():
    before = dict(registry.fallbacks)
    with Fresh(engine) as fresh:
        told = error_of(lambda: fresh.fallback(lambda op, *args: None, "CompositeExplicitAutograd"))
        assert told.startswith("RuntimeError: Tried to register multiple backend fallbacks")
        assert registry.fallbacks == before, "CPU and CUDA, which were entered before Meta, are out again"


# ---- destroying


def everything():
    """All registrations and tables, as text."""
    names = sorted(registry.operators)
    dumps = [engine._C._dispatch_dump(name) + engine._C._dispatch_dump_table(name) for name in names[::20]]
    return names, dict(registry.fallbacks), dumps


def test_destroying_a_library_undoes_all_that_it_registered_and_nothing_else():
    before = everything()
    with Fresh(engine) as fresh:
        library = fresh.library("DEF")
        for schema in (OP, "op.b(Tensor x) -> Tensor", "other(Tensor[] xs) -> ()"):
            library.define(schema)
        for key in ("CPU", "CPU", "Autograd", "CompositeImplicitAutograd"):
            library.impl("op", lambda x: x, key)
        kept = fresh.impl("op", lambda x: x, "CUDA")
        library._destroy()
        name = f"{fresh.name}::op"
        assert [line.partition(":")[0] for line in lines_of_dump(engine, name)] == ["name", "schema", "CUDA"]
        kept._destroy()
        assert name not in registry.operators
    assert everything() == before


@pytest.mark.parametrize(
    "attempt",
    [
        lambda fresh: fresh.define("other::op(Tensor x) -> Tensor"),
        lambda fresh: fresh.define("new(Tensor x, Foo y) -> Tensor"),
        lambda fresh: fresh.define(OP),
        lambda fresh: fresh.impl("op", lambda x: x, "Nope"),
        lambda fresh: fresh.impl("op", lambda: None, "CPU"),
        lambda fresh: fresh.impl("new", lambda x: x, "Meta"),
        lambda fresh: fresh.impl("new", 3, "CPU"),
        lambda fresh: fresh.impl("op", lambda x: x, "CUDA", allow_override=False),
        lambda fresh: fresh.fallback(lambda op, x: x, "Autograd"),
        lambda fresh: fresh.library("IMPL").fallback(lambda op, x: x, "CPU"),
        lambda fresh: fresh.library("DEF", "Nope"),
    ],
)
def test_a_failed_registration_leaves_nothing_behind(attempt):
    with Fresh(engine) as fresh:
        fresh.define(OP)
        fresh.impl("op", lambda x: x, "CUDA")
        name = f"{fresh.name}::op"
        before = everything(), engine._C._dispatch_dump(name), engine._C._dispatch_dump_table(name)
        assert not error_of(lambda: attempt(fresh)).startswith("no error")
        after = everything(), engine._C._dispatch_dump(name), engine._C._dispatch_dump_table(name)
        assert after == before
        fresh.library("DEF")  # the namespace is free


# ---- dumps


@needs_torch
def test_the_dump_of_registrations_reads_as_pytorchs():
    def program(T, fresh):
        fresh.define(OP)
        for key in ("CPU", "CPU", "CompositeExplicitAutograd", "AutogradCPU"):
            fresh.impl("op", lambda x: x, key)
        fresh.impl("op", T.library.fallthrough_kernel, "AutogradCUDA")
        return lines_of_dump(T, f"{fresh.name}::op")

    assert_agree(program)


@needs_torch
def test_the_dump_of_the_table_reads_as_pytorchs():
    def program(T, fresh):
        fresh.define(OP)
        fresh.impl("op", lambda x: x, "QuantizedCPU")
        fresh.impl("op", lambda x: x, "CompositeImplicitAutograd")
        fresh.impl("op", T.library.fallthrough_kernel, "AutogradMeta")
        lines = T._C._dispatch_dump_table(f"{fresh.name}::op").splitlines()
        return [without_lines(line) for line in lines if line.partition(":")[0] in dispatcher.DispatchKey.__members__
                and "backend fallback" not in line]  # fmt: skip

    assert_agree(program)


@needs_torch
def test_there_is_no_dump_of_what_is_not_there():
    def program(T, fresh):
        name = f"{fresh.name}::nothing"
        has = T._C._dispatch_has_kernel(name)
        told = error_of(lambda: T._C._dispatch_has_kernel_for_dispatch_key(name, "CPU"))
        return T._C._dispatch_dump(name), T._C._dispatch_dump_table(name), has, told

    assert_agree(program)


@needs_torch
def test_it_can_be_asked_which_keys_have_a_kernel():
    def program(T, fresh):
        fresh.define(OP)
        fresh.impl("op", lambda x: x, "CPU")
        name = f"{fresh.name}::op"
        return [
            (T._C._dispatch_has_kernel_for_dispatch_key(name, key),
             T._C._dispatch_has_computed_kernel_for_dispatch_key(name, key))
            for key in ("CPU", "CUDA", "AutogradCPU", "Meta", "BackendSelect")
        ]  # fmt: skip

    assert_agree(program)


def test_a_handle_comes_back_from_every_registration():
    with Fresh(engine) as fresh:
        library = fresh.library()
        handles = [library.define(OP), library.impl("op", lambda x: x, "CPU")]
        handles.append(fresh.library("IMPL", ns="_").fallback(lambda op, *args: None, "PrivateUse1"))
        for handle in reversed(handles):
            handle.destroy()
        assert f"{fresh.name}::op" not in registry.operators
        assert keys(engine, "PrivateUse1").highestPriorityTypeId() not in registry.fallbacks
