"""The keys that a thread includes in its calls, or excludes, change inside a guard and only there."""

import threading

import pytest
from compare import engine, needs_torch
from fresh import assert_agree, keys

from engine.dispatch.keys import RUNTIME_KEYS
from engine.dispatch.local import DEFAULT_EXCLUDED, DEFAULT_INCLUDED, local

NAMES = [key.name for key in RUNTIME_KEYS if key]


def state(T):
    """Return the included keys, and the engine's keys among the excluded ones."""
    excluded = T._C._dispatch_tls_local_exclude_set()
    named = [name for name in NAMES if excluded.has(T._C._dispatch_key_parse(name))]
    return repr(T._C._dispatch_tls_local_include_set()), named


def include(T, name):
    return T._C._IncludeDispatchKeyGuard(T._C._dispatch_key_parse(name))


def exclude(T, *names):
    return T._C._ExcludeDispatchKeyGuard(keys(T, *names))


@needs_torch
@pytest.mark.parametrize("name", NAMES)
def test_inside_a_guard_a_key_is_included_or_excluded(name):
    def program(T, fresh):
        with include(T, name):
            included = state(T)
        with exclude(T, name):
            excluded = state(T)
        return included, excluded, state(T)

    assert_agree(program)


@needs_torch
def test_guards_nest():
    def program(T, fresh):
        states = []
        with include(T, "Tracer"):
            states.append(state(T))
            with exclude(T, "AutogradCPU", "ADInplaceOrView"):
                with include(T, "PrivateUse1"):
                    states.append(state(T))
                states.append(state(T))
            states.append(state(T))
        return [*states, state(T)]

    assert_agree(program)


@needs_torch
def test_an_inner_guard_for_the_same_key_leaves_it_to_the_outer_one():
    def program(T, fresh):
        with include(T, "Tracer"), exclude(T, "AutogradCPU"):
            with include(T, "Tracer"), exclude(T, "AutogradCPU"):
                pass
            return state(T)

    assert_agree(program)


@needs_torch
def test_an_exception_restores():
    def program(T, fresh):
        try:
            with include(T, "Tracer"), exclude(T, "AutogradCPU"):
                raise ValueError
        except ValueError:
            return state(T)

    assert_agree(program)


@needs_torch
def test_a_guard_works_when_it_is_entered_and_again():
    def program(T, fresh):
        guard = include(T, "Tracer")
        states = [state(T)]
        for _ in range(2):
            with guard as given:
                states.append((state(T), given))
        return [*states, state(T)]

    assert_agree(program)


@needs_torch
def test_an_excluded_key_is_not_called_even_if_it_is_included():
    def program(T, fresh):
        log = []
        fresh.define("op(Tensor x) -> Tensor")
        for key in ("Tracer", "CPU"):
            fresh.impl("op", lambda x, key=key: log.append(key) or x, key)
        x = T.ones(1)
        fresh.ops.op(x)
        with include(T, "Tracer"):
            fresh.ops.op(x)
            with exclude(T, "Tracer"):
                fresh.ops.op(x)
        return log

    assert_agree(program)


@needs_torch
def test_excluding_the_key_of_a_backend_leaves_its_autograd_key():
    def program(T, fresh):
        fresh.define("op(Tensor x) -> Tensor")
        x, y = T.ones(1), T.zeros(2)
        fresh.impl("op", lambda x: y, "AutogradCPU")
        with exclude(T, "CPU"):
            return fresh.ops.op(x)

    assert_agree(program)


@needs_torch
def test_an_exclude_guard_holds_for_nested_calls_and_a_redispatch_does_not():
    def program(T, fresh):
        log = []
        fresh.define("inner(Tensor x) -> Tensor", "guarded(Tensor x) -> Tensor", "redispatched(Tensor x) -> Tensor")
        fresh.impl("inner", lambda x: log.append("inner at AutogradCPU") or x, "AutogradCPU")
        fresh.impl("inner", lambda x: log.append("inner at CPU") or x, "CPU")
        below = T._C._dispatch_keyset_full_after(T._C.DispatchKey.AutogradOther)

        def guarded(x):
            with T._C._AutoDispatchBelowAutograd():
                return fresh.ops.guarded(x)

        def redispatched(key_set, x):
            return fresh.ops.redispatched.default.redispatch(key_set & below, x)

        fresh.impl("guarded", guarded, "AutogradCPU")
        fresh.impl("redispatched", redispatched, "AutogradCPU", with_keyset=True)
        for name in ("guarded", "redispatched"):
            fresh.impl(name, lambda x: fresh.ops.inner(x), "CPU")
            getattr(fresh.ops, name)(T.ones(1))
        return log

    assert_agree(program)


@needs_torch
def test_the_guards_of_kernels_exclude_pytorchs_keys():
    def program(T, fresh):
        states = []
        for guard in (T._C._AutoDispatchBelowAutograd, T._C._AutoDispatchBelowADInplaceOrView):
            with guard():
                states.append(state(T))
        return states

    assert_agree(program)


@needs_torch
def test_each_thread_has_its_own_state_and_starts_with_the_default():
    def program(T, fresh):
        seen = []
        with include(T, "Tracer"), exclude(T, "AutogradCPU"):
            thread = threading.Thread(target=lambda: seen.append(state(T)))
            thread.start()
            thread.join()
            return seen, state(T)

    assert_agree(program)


def test_a_guard_in_one_thread_changes_no_call_of_another():
    log, inside, called = [], threading.Event(), threading.Event()
    fresh_keys = engine._C.DispatchKeySet(engine._C.DispatchKey.AutogradCPU)

    def guarded():
        with engine._C._ExcludeDispatchKeyGuard(fresh_keys):
            inside.set()
            called.wait(10)
            log.append(local.state.excluded)

    thread = threading.Thread(target=guarded)
    thread.start()
    assert inside.wait(10)
    log.append(local.state.excluded)
    called.set()
    thread.join()
    assert log == [DEFAULT_EXCLUDED, DEFAULT_EXCLUDED | fresh_keys.raw_repr()]
    assert (local.state.included, local.state.excluded) == (DEFAULT_INCLUDED, DEFAULT_EXCLUDED)
