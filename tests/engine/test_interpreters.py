"""Layers of transforms: through which keys a call goes, what is left behind, and that they cost nothing when unused."""

import itertools
import subprocess
import sys
import threading

import pytest
from engine.func import functionalize, grad, vmap
from replaying import WHY_NOT, as_before, replays

import engine
from engine import dispatch, slots
from engine.dispatch import local, registry
from engine.journey import show_generated
from engine.native import switch
from engine.transforms import batched, grad_wrapper, interpreters, plumbing

ADD = registry.find("aten::add.Tensor")
FRONT, BACK = "FuncTorchDynamicLayerFrontMode", "FuncTorchDynamicLayerBackMode"
VMAP = [FRONT, "FuncTorchBatched", BACK]
GRAD = [FRONT, "AutogradCPU", BACK]


OUTSIDE = ["AutogradCPU", "CPU"]


def keys_of(transformed, *inputs):
    """Return the keys through which the exponentials inside a function go."""
    with dispatch.trace() as steps:
        transformed(*inputs)
    return [step.key.name for step in steps if step.op == "aten::exp"]


@pytest.mark.parametrize(
    ("transform", "layers"),
    [
        (lambda f: f, []),
        (vmap, [VMAP]),
        (lambda f: vmap(vmap(f)), [VMAP, VMAP]),
        (lambda f: grad(lambda a: f(a).sum()), [GRAD]),
        (lambda f: vmap(grad(lambda a: f(a).sum())), [GRAD, VMAP]),
        (lambda f: grad(lambda a: vmap(f)(a).sum()), [VMAP, GRAD]),
        (functionalize, [[FRONT, "Functionalize", BACK]]),
    ],
    ids=["none", "vmap", "vmap of vmap", "grad", "vmap of grad", "grad of vmap", "functionalize"],
)
def test_a_call_goes_through_front_own_keys_and_back_of_each_layer(transform, layers):
    assert keys_of(transform(engine.exp), engine.ones(2, 3)) == [*itertools.chain(*layers), *OUTSIDE]


def test_a_call_without_batched_tensors_goes_on_below_vmap():
    one = engine.ones(3)
    assert keys_of(vmap(lambda a: (one.exp(), a)), engine.ones(2, 3)) == [FRONT, BACK, *OUTSIDE]


# ---- what is left behind


def thread_now():
    return local.local.state, interpreters.layers.stack, local.modes


class Stop(BaseException):
    pass


def fails(error):
    def function(a):
        (a + a).sum()
        raise error

    return function


def wrong_sizes(a):
    return (a + engine.ones(7)).sum()


@pytest.mark.parametrize("function", [fails(ValueError), fails(KeyboardInterrupt), fails(Stop), wrong_sizes])
@pytest.mark.parametrize(
    "transform",
    [vmap, grad, functionalize, lambda f: vmap(vmap(f)), lambda f: vmap(grad(f)), lambda f: grad(grad(f)),
     lambda f: grad(lambda a: vmap(f)(a[None]).sum()), lambda f: functionalize(vmap(grad(f)))],
)  # fmt: skip
def test_an_exception_leaves_the_thread_as_it_was(function, transform):
    before = thread_now()
    with pytest.raises((ValueError, KeyboardInterrupt, Stop, RuntimeError)):
        transform(function)(engine.ones(2, 2, 3))
    assert thread_now() == before


@pytest.mark.parametrize("function", [fails(ValueError), wrong_sizes])
def test_an_exception_inside_a_layer_leaves_the_outer_ones_as_they_were(function):
    seen = []

    def outer(a):
        before = thread_now()
        with pytest.raises((ValueError, RuntimeError)):
            vmap(grad(function))(a)
        assert thread_now() == before
        assert [layer.saved for layer in interpreters.layers.stack] == [None]
        seen.append(a + a)
        return seen[-1]

    assert vmap(outer)(engine.ones(2, 2, 3)).tolist() == engine.full((2, 2, 3), 2.0).tolist()
    assert len(seen) == 1


def test_a_failing_rule_leaves_the_layer_ready_for_the_next_call():
    def rule(layer, entry, values, bdims):
        raise ZeroDivisionError

    def function(a):
        with pytest.raises(ZeroDivisionError):
            a.sign()
        return a + a

    handle = plumbing.register("aten::sign", rule)
    try:
        assert vmap(function)(engine.ones(2)).tolist() == [2, 2]
    finally:
        handle.destroy()


def test_another_thread_has_no_layers():
    seen = []

    def function(a):
        thread = threading.Thread(target=lambda: seen.append((interpreters.layers.stack, engine.ones(2) + 1)))
        thread.start()
        thread.join()
        return a + 1

    vmap(function)(engine.ones(2))
    assert seen[0][0] == ()
    assert type(seen[0][1]) is engine.Tensor


def test_a_layer_can_be_left_for_a_while():
    def function(a):
        (layer,) = interpreters.layers.stack
        with layer.lowered():
            assert interpreters.layers.stack == ()
            assert type(engine.ones(2) + 1) is engine.Tensor
            assert local.modes == 0
        assert (interpreters.layers.stack, local.modes) == ((layer,), 1)
        return a.sum()

    before = thread_now()
    assert grad(function)(engine.ones(2)).tolist() == [1, 1]
    assert thread_now() == before


def test_what_outlived_its_layer_is_its_value():
    kept = []
    grad(lambda a: kept.append(a * 2) or a.sum())(engine.ones(2))
    vmap(grad(lambda a: kept.append(a * 3) or a.sum()))(engine.ones(2, 3))
    assert (kept[0] + 1).tolist() == [3, 3]
    assert type(kept[0] + 1) is engine.Tensor
    assert vmap(lambda a: a + kept[0])(engine.ones(3, 2)).tolist() == [[3, 3]] * 3
    assert grad(lambda a: (a * kept[0]).sum())(engine.ones(2)).tolist() == [2, 2]


def test_a_wrapper_of_a_level_that_is_used_again_stays_apart():
    """Two functions have layers of the same level, one after the other."""
    kept = []
    grad(lambda a: kept.append(a * 2) or a.sum())(engine.ones(2))

    def writes(a):
        kept[0].mul_(a)
        return a.sum()

    with pytest.raises(RuntimeError, match="would mutate a captured Tensor"):
        grad(writes)(engine.ones(2))


# ---- off, and beside replay


def test_a_transform_that_ended_leaves_no_trace_in_a_call():
    x = engine.ones(8)
    x + x

    def path():
        functions = engine.Tensor.__add__, engine.add, ADD.call, ADD.redispatch
        return [(one, one.__code__, one.__defaults__) for one in functions], local.local.state, local.modes

    before = path()
    plain = ADD.calls.in_state[local.local.state][x._key_set]
    functionalize(vmap(grad(lambda a: (a + a).sum())))(engine.ones(2, 8))
    assert path() == before
    assert ADD.calls.in_state[local.local.state][x._key_set] is plain


def test_the_engine_is_imported_without_transforms():
    code = """
import sys, engine
engine.ones(2, requires_grad=True).sum().backward()
print([name for name in sys.modules if name.startswith("engine.transforms")])
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
@pytest.mark.parametrize(("transform", "shape"), [(vmap, (4, 8)), (lambda f: vmap(vmap(f)), (2, 3, 8))])
def test_leaf_replay_stays_on_under_vmap(transform, shape):
    x = engine.ones(*shape)

    def ten(a):
        for _ in range(10):
            made = a + a
        return made

    with as_before():
        switch.enable()
        transform(ten)(x)
        before = replays("add.Tensor")
        transform(ten)(x)
        assert replays("add.Tensor") == before + 10


PROGRAM = """
import engine as torch
from engine.func import functionalize, grad, vmap
torch.manual_seed(0)
x, w = torch.randn(4, 5, 3), torch.randn(3, 2)
def loss(w, x):
    return (torch.tanh(x @ w) ** 2).sum() + torch.nn.functional.softmax(x, -1).mean()
for _ in range(3):
    print(vmap(grad(loss), (None, 0))(w, x).tolist())
    print(vmap(vmap(lambda a: (a * a).cumsum(0)))(x).tolist())
    print(grad(lambda w: vmap(loss, (None, 0))(w, x).sum())(w).tolist())
    print(functionalize(lambda a: a.mul(2).add_(1)[0].mul_(3))(x).tolist())
"""


def test_native_replay_changes_no_result():
    made = {}
    for native in "01":
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env={"ENGINE_NATIVE": native}
        )
        made[native] = ran.stdout
    assert made["0"] == made["1"]
    assert len(made["0"].splitlines()) == 12


# ---- plumbing, generated and by hand


def boxed(rule):
    """Return what `plumbing.Plumbing` generates, for any schema: a kernel that loops over its arguments."""

    def kernel(entry, *arguments):
        layer, before = interpreters.layers.stack[-1], local.local.state
        values, bdims = batched.unwrapped(arguments, layer.level)
        local.local.state = plumbing.below_vmap(before)
        try:
            if not any(any(one is not None for one in (dim if type(dim) is tuple else (dim,))) for dim in bdims):
                return entry.call(*arguments)
            result, bdim = rule(layer, entry, values, bdims)
        finally:
            local.local.state = before
        return batched.wrapped(result, bdim, layer.level)

    return kernel


@pytest.mark.parametrize(
    "name", ["aten::add.Tensor", "aten::addcmul", "aten::cat", "aten::index.Tensor", "aten::native_layer_norm"]
)
def test_generated_plumbing_does_what_a_loop_over_arguments_does(name):
    seen = []

    def rule(layer, entry, values, bdims):
        seen.append((values, bdims))
        results = [engine.ones(4, 2) for _ in entry.schema.returns]
        return (results[0], 0) if len(results) == 1 else (tuple(results), 0)

    entry = registry.find(name)
    plain = engine.ones(3)
    made = plumbing.Plumbing(name, rule).function
    with batched.VmapInterpreter(4) as layer:
        tensor = batched.BatchedTensor(engine.ones(3, 4), 1, layer.level)
        other = batched.BatchedTensor(engine.ones(3, 4), 1, layer.level + 1)
        for tensors in ([tensor, plain, tensor], [plain, tensor, plain], [other, tensor, other]):
            found = iter(tensors)
            arguments = [
                (tensors[0], tensors[1]) if one.type.is_list and one.is_tensor_like
                else next(found) if one.is_tensor_like else one.default
                for one in entry.schema.arguments
            ]  # fmt: skip
            for kernel in (made, lambda *given: boxed(rule)(entry, *given)):
                result = kernel(*arguments)
                first = result[0] if isinstance(result, tuple) else result
                assert (type(first), first._bdim, first._level) == (batched.BatchedTensor, 0, 1)
            generated, expected = seen[-2:]
            assert generated[1] == expected[1]
            assert all(map(same, generated[0], expected[0]))


def same(one, other):
    """Return True if two arguments are the same, tensors by identity."""
    return all(map(same, one, other)) if isinstance(one, tuple) and one else one is other or one == other


def test_all_plumbing_compiles_and_shadows_no_argument():
    names = {"layer", "level", "before", "is_batched", "entry", "rule", "layers", "local", "escaped", "below_vmap"}
    for name, kernel in plumbing.KERNELS.items():
        compile(kernel.source, name, "exec")
        assert not names & {argument.name for argument in registry.find(name).schema.arguments}, name


def test_generated_source_is_shown_beside_the_other():
    text = show_generated.generated()["plumbing/add.py"]
    assert text.startswith("# aten::add.Tensor\ndef plumbing(self, other, alpha):\n")
    assert "if self_bdim is None and other_bdim is None:\n            return entry.call(self, other, alpha)" in text


# ---- tensors that stand for others


@pytest.mark.parametrize("transform", [vmap, lambda f: grad(lambda a: (f(a), a.sum())[1])])
@pytest.mark.parametrize("read", ["data_ptr", "untyped_storage"])
def test_what_has_no_memory_shows_none(transform, read):
    def function(a):
        with pytest.raises((RuntimeError, NotImplementedError), match="Cannot access"):
            getattr(a, read)()
        return a

    transform(function)(engine.ones(2, 3))


def test_wrappers_have_the_keys_of_their_value_but_python():
    class Wrapped(engine.Tensor):
        @staticmethod
        def __new__(cls, x):
            return engine.Tensor._make_wrapper_subclass(cls, x.size(), dtype=x.dtype)

        def __init__(self, x):
            self.x = x

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return func(*[one.x if isinstance(one, Wrapped) else one for one in args], **(kwargs or {}))

    seen = []
    made = vmap(lambda a: seen.append(a) or a + a)(Wrapped(engine.ones(2, 3)))
    assert made.tolist() == [[2, 2, 2]] * 2
    assert str(engine._C._dispatch_keys(seen[0])) == (
        "DispatchKeySet(CPU, ADInplaceOrView, AutogradCPU, AutocastCPU, FuncTorchBatched)"
    )


def test_a_slot_serves_each_key_until_its_module_is_imported():
    assert slots.front_fallback.function is interpreters.front_fallback
    assert slots.dead_wrapper_fallback.function is grad_wrapper.dead_wrapper_fallback
    key = dispatch.keys.DispatchKey.FuncTorchDynamicLayerFrontMode
    assert registry.fallbacks[key].function is interpreters.front_fallback
