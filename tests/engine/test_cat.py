"""Tensors one after the other: cat along a dimension, stack along a new one."""

import itertools

import pytest
from compare import assert_same, needs_torch

pytestmark = needs_torch
DTYPES = ("bool", "int32", "int64", "float32", "float64")

CALLS = [
    "T.cat([x, x])", "T.cat((x, x), 1)", "T.cat([x, x], -1)", "T.cat([x, x], dim=2)", "T.cat(tensors=[x, x], dim=0)",
    "T.cat([x])", "T.cat([])", "T.cat(x)", "T.cat([x, 1])", "T.cat([x, x], 3)", "T.cat([x, x], -4)",
    "T.cat([x, x], 1.0)",
    "T.cat([x.t(), x.t()])", "T.cat([x[0].t(), x[0].t()], 1)", "T.cat([x[:, ::2], x[:, 1:]], 1)",
    "T.cat([x, x[:1], x[:0]])", "T.cat([x, x[:, :1]])", "T.cat([x, x[0]])", "T.cat([x[0, 0, 0], x[0, 0, 1]])",
    "T.cat([T.zeros(0), x])", "T.cat([x, T.zeros(0, dtype=T.float64)])", "T.cat([T.zeros(0), T.zeros(0)])",
    "T.cat([T.zeros(0), x], 2)", "T.cat([T.zeros(0), x], 3)", "T.cat([T.zeros(0, 3), x])",
    "T.cat([T.zeros(0), T.tensor(1)])",
    "T.cat([T.zeros(0), T.zeros(0)], 1)", "T.cat([T.zeros(0)], -5)", "T.cat([T.zeros(0), T.zeros(0)], 1, out=x * 1.0)",
    "T.cat([x.expand(2, 3, 4), x])", "T.cat([x[:, :1].expand(2, 3, 4), x])",
    "T.concat([x, x], 1)", "T.concatenate([x, x], 1)", "T.concat([x, x], dim=-1)",
    "T.stack([x, x])", "T.stack([x, x], 1)", "T.stack([x, x], -1)", "T.stack([x, x], 4)", "T.stack([x, x[0]])",
    "T.stack([])",
    "T.stack([x[0, 0, 0], x[0, 0, 1]])", "T.stack([x, x.to(T.float64)], dim=3)",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_a_call_of_cat_or_stack(call):
    assert_same(lambda T: eval(call, {"x": T.arange(24).view(2, 3, 4), "T": T}))


@pytest.mark.parametrize("others", ["[]", "[T.zeros(2, 3)]"])
def test_a_tensor_that_is_skipped_gets_a_gradient(others):
    def program(T):
        x = T.zeros(0, requires_grad=True)
        T.cat([x, x, *eval(others, {"T": T})], 1).sum().backward()
        return x.grad * 1

    assert_same(program)


@pytest.mark.parametrize(("one", "other"), list(itertools.product(DTYPES, repeat=2)))
def test_the_result_has_the_promoted_dtype(one, other):
    assert_same(lambda T: T.cat([T.ones(2, dtype=getattr(T, one)), T.zeros(1, dtype=getattr(T, other))]))


@pytest.mark.parametrize(("of", "to"), list(itertools.product(DTYPES, repeat=2)))
def test_out_holds_what_its_dtype_can(of, to):
    x = f"T.tensor([0, 1, 2]).to(T.{of})"
    assert_same(lambda T: eval(f"T.cat([{x}, {x}], out=T.zeros(6, dtype=T.{to}))", {"T": T}))


OUTPUTS = {
    "fits": lambda T, x: (x, T.zeros(4, 3)),
    "is resized": lambda T, x: (x, T.zeros(5)),
    "is empty": lambda T, x: (x, T.zeros(0)),
    "has gaps": lambda T, x: (x, T.zeros(4, 6)[:, ::2]),
    "is transposed": lambda T, x: (x, T.zeros(3, 4).t()),
    "holds a cell twice": lambda T, x: (x, T.zeros(1, 3).expand(4, 3)),
    "is an input": lambda T, x: (x, x),
    "holds an input": lambda T, x: ((whole := T.zeros(4, 3))[:2], whole),
    "has another device": lambda T, x: (x, T.zeros(4, 3, device="meta")),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_out(name):
    def program(T):
        x, out = OUTPUTS[name](T, T.arange(6.0).view(2, 3))
        made = T.cat([x, x], out=out)
        return made is out, made

    assert_same(program)


LAYOUTS = {
    "contiguous": lambda T, x: x,
    "channels_last": lambda T, x: x.contiguous(memory_format=T.channels_last),
    "channels_last with gaps": lambda T, x: x.permute(0, 2, 3, 1).contiguous()[:, :, ::2].permute(0, 3, 1, 2),
    "either": lambda T, x: x[:, :, :1, :1],
    "one channel": lambda T, x: x[:, :1],
    "one channel, channels_last": lambda T, x: T.empty_strided((2, 1, 4, 4), (16, 1, 4, 1)).zero_(),
    "permuted": lambda T, x: x.permute(0, 1, 3, 2),
    "no elements": lambda T, x: x[:, :0].contiguous(memory_format=T.channels_last),
}


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize(("one", "other"), list(itertools.product(LAYOUTS, repeat=2)))
def test_the_result_is_channels_last_if_all_are(one, other, dim):
    def program(T):
        x = T.arange(96.0).view(2, 3, 4, 4)
        return T.cat([LAYOUTS[one](T, x), LAYOUTS[other](T, x)], dim)

    assert_same(program)


def test_what_cat_makes_is_new():
    assert_same(lambda T: [x := T.zeros(2), T.cat([x]), T.cat([x]).fill_(1), x])


@pytest.mark.parametrize(
    "call", ["T.cat([m, m], 1)", "T.cat([m, m.to(T.int64)])", "T.stack([m, m])", "T.cat([m, m[0]])"]
)
def test_sizes_and_errors_are_there_without_memory(call):
    assert_same(lambda T: eval(call, {"m": T.zeros(2, 3, device="meta"), "T": T}))


@pytest.mark.parametrize("tensors", ["[x, m]", "[m, x]"])
def test_tensors_of_two_devices_are_refused(tensors):
    assert_same(lambda T: eval(f"T.cat({tensors})", {"m": T.zeros(2, 3, device="meta"), "x": T.zeros(2, 3), "T": T}))
