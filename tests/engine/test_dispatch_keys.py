"""Keys have PyTorch's numbers, and sets of them PyTorch's bits, algebra and names."""

import itertools

import pytest
from compare import assert_same, engine, needs_torch
from fresh import keys

from engine.dispatch.keys import ALIASES, RUNTIME_KEYS, DispatchKey, DispatchKeySet, bits, highest_key

NAMES = [key.name for key in DispatchKey]
RUNTIME = [key.name for key in RUNTIME_KEYS if key]
SOME = ("CPU", "Meta", "ADInplaceOrView", "AutogradCPU", "AutogradMeta")


@needs_torch
@pytest.mark.parametrize("name", NAMES)
def test_a_key_has_pytorchs_number_and_prints_as_it(name):
    def program(T):
        key = T._C._dispatch_key_parse(name)
        return int(key), T._C._dispatch_key_name(key)

    def prints(T):
        return repr(getattr(T._C.DispatchKey, name)), str(getattr(T._C.DispatchKey, name))

    assert_same(program)
    if name != "Tracer":  # which PyTorch doesn't hand to Python
        assert_same(prints)


@needs_torch
@pytest.mark.parametrize("name", ["Undefined", *RUNTIME])
def test_the_set_of_one_key_is_pytorchs_number(name):
    assert_same(lambda T: (keys(T, name).raw_repr(), repr(keys(T, name)), str(keys(T, name))))


@needs_torch
def test_a_set_prints_its_keys_from_the_lowest_functionality_and_backend_on():
    assert_same(lambda T: repr(keys(T, "AutogradMeta", "Tracer", "Meta", "BackendSelect", "CPU", "AutogradOther")))


@needs_torch
@pytest.mark.parametrize("name", RUNTIME)
def test_algebra_with_a_key_is_pytorchs(name):
    def program(T):
        some, key, one = keys(T, *SOME), T._C._dispatch_key_parse(name), keys(T, name)
        made = (some.add(key), some.remove(key), some | one, some & one, some - one, one - some)
        return [key_set.raw_repr() for key_set in made], some.has(key), one.has(key), some == one, one == keys(T, name)

    assert_same(program)


@needs_torch
def test_the_highest_key_of_two_is_pytorchs():
    known = [pair for pair in itertools.product(RUNTIME, repeat=2) if highest_key(_of(pair))]
    assert_same(lambda T: [int(keys(T, *pair).highestPriorityTypeId()) for pair in known])
    assert len(known) > 300  # the others meet at a key, such as QuantizedCUDA, that the engine does not have


def _of(pair):
    return keys(engine, *pair).raw_repr()


def test_removing_a_key_leaves_the_bit_of_its_backend():
    key_set = DispatchKeySet([DispatchKey.CPU, DispatchKey.AutogradCPU])
    left = key_set.remove(DispatchKey.CPU) - DispatchKeySet(DispatchKey.ADInplaceOrView)
    assert list(left) == [DispatchKey.AutogradCPU]
    assert left.raw_repr() == bits(DispatchKey.AutogradCPU)
    assert left == DispatchKeySet(DispatchKey.AutogradCPU) and left != key_set
    assert (left - left).raw_repr() == 1, "the backend bit of CPU"


def test_a_functionality_is_that_of_the_highest_backend():
    key_set = DispatchKeySet([DispatchKey.CPU, DispatchKey.AutogradMeta])
    assert key_set.highestPriorityTypeId() is DispatchKey.AutogradMeta
    assert key_set.remove(DispatchKey.AutogradMeta).highestPriorityTypeId() is DispatchKey.Meta


@needs_torch
@pytest.mark.parametrize("name", RUNTIME)
def test_what_is_below_a_key_is_pytorchs(name):
    everything = RUNTIME
    assert_same(
        lambda T: (keys(T, *everything) & T._C._dispatch_keyset_full_after(T._C._dispatch_key_parse(name))).raw_repr()
    )


def test_runtime_keys_stand_in_the_order_of_their_priority():
    for lower, higher in itertools.pairwise(RUNTIME_KEYS):
        assert highest_key(bits(lower) | bits(higher)) in (higher, DispatchKey.Undefined)
    assert len(RUNTIME_KEYS) == len(set(RUNTIME_KEYS)) == 24


@needs_torch
@pytest.mark.parametrize("alias", [key.name for key in ALIASES])
def test_an_alias_stands_for_the_keys_that_it_does_in_pytorch(alias):
    def program(T):
        parse, is_in = T._C._dispatch_key_parse, T._C._dispatch_is_included_in_alias
        return [is_in(parse(name), parse(alias)) for name in RUNTIME]

    assert_same(program)


@needs_torch
def test_a_key_that_is_no_alias_stands_for_itself():
    assert_same(lambda T: [T._C._dispatch_is_included_in_alias(key, "CPU") for key in ("CPU", "CUDA")])


@needs_torch
@pytest.mark.parametrize("backend", ["CPU", "CUDA", "Meta", "PrivateUse1"])
def test_the_backend_of_an_autograd_key_is_pytorchs(backend):
    def program(T):
        key = T._C._dispatch_key_parse(f"Autograd{backend}")
        return T._C._dispatch_get_backend_keyset_from_autograd(key).raw_repr()

    assert_same(program)


@pytest.mark.parametrize("alias", ALIASES)
def test_an_alias_is_in_no_set(alias):
    with pytest.raises(RuntimeError, match="is an alias key"):
        DispatchKeySet(alias)


@needs_torch
def test_an_unknown_name_is_no_key():
    assert_same(lambda T: T._C._dispatch_key_parse("Nope"))


@needs_torch
@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_a_tensor_has_pytorchs_key_set(device):
    def program(T):
        x = T.ones(2, 3, device=device)
        tensors = (x, x[0], x.t(), x.long(), x.detach(), T.empty(0, device=device), x + x)
        return [T._C._dispatch_keys(tensor).raw_repr() for tensor in tensors], repr(T._C._dispatch_keys(x))

    assert_same(program)


@needs_torch
def test_by_default_a_thread_includes_and_excludes_what_pytorch_does():
    def program(T):
        excluded = T._C._dispatch_tls_local_exclude_set()
        named = [name for name in RUNTIME if excluded.has(T._C._dispatch_key_parse(name))]
        return T._C._dispatch_tls_local_include_set().raw_repr(), named

    assert_same(program)
