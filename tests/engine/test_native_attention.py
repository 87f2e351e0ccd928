"""scaled_dot_product_attention: the kernel that goes by blocks and the definition, against PyTorch."""

import pytest
from compare import assert_close, needs_torch

import engine
from engine.nn import functional

pytestmark = needs_torch


def numbers(T, *sizes, kind="float32"):
    count = 1
    for size in sizes:
        count *= size
    return (T.tensor([n * 7919 % 311 - 155 for n in range(count)]).to(getattr(T, kind)) / 64).view(sizes)


def attention(T, query, key, mask=None, kind="float32", **options):
    q, k, v = numbers(T, *query, kind=kind), numbers(T, *key, kind=kind), numbers(T, *key, kind=kind)
    mask = mask and mask(T)
    return T._C._nn.scaled_dot_product_attention(q, k, v, mask, 0.0, **options)


SIZES = [
    ((2, 3, 4, 8), (2, 3, 6, 8)),
    ((1, 2, 100, 4), (1, 2, 600, 4)),
    ((2, 4, 8), (2, 6, 8)),
    ((4, 8), (6, 8)),
    ((2, 3, 0, 8), (2, 3, 6, 8)),
    ((2, 3, 4, 8), (2, 3, 0, 8)),
    ((1, 3, 4, 8), (2, 3, 6, 8)),
    ((2, 4, 4, 8), (2, 2, 6, 8)),
    ((2, 3, 4, 8), (2, 3, 6, 4)),
    ((8,), (6, 8)),
]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_attention_gives_pytorchs(sizes):
    for kind in ("float32", "int64"):
        for options in ({}, {"is_causal": True}, {"scale": -0.3, "enable_gqa": True}):
            assert_close(lambda T, kind=kind, options=options: attention(T, *sizes, kind=kind, **options))


MASKS = {
    "rows and columns": lambda T: numbers(T, 4, 6),
    "columns": lambda T: numbers(T, 2, 1, 1, 6),
    "heads": lambda T: numbers(T, 3, 4, 6),
    "bools": lambda T: numbers(T, 4, 6) > 0,
    "a row of nothing": lambda T: T.arange(24).view(4, 6) > 6,
    "integers": lambda T: numbers(T, 4, 6).to(T.int32),
    "float64": lambda T: numbers(T, 4, 6, kind="float64"),
}


@pytest.mark.parametrize("name", MASKS)
def test_masks_give_pytorchs(name):
    for sizes in (((2, 3, 4, 8), (2, 3, 6, 8)), ((3, 4, 8), (3, 6, 8))):
        for options in ({}, {"is_causal": True}):
            assert_close(lambda T, sizes=sizes, options=options: attention(T, *sizes, mask=MASKS[name], **options))


def test_the_kernel_agrees_with_the_definition_across_blocks():
    q, k = numbers(engine, 1, 2, 130, 8), numbers(engine, 1, 2, 1030, 8)
    for causal in (False, True):
        got = functional.scaled_dot_product_attention(q, k, k, is_causal=causal)
        expected = engine.ops.aten._scaled_dot_product_attention_math(q, k, k, None, 0.0, causal)[0]
        assert (got - expected).abs().amax().item() < 1e-5


def test_the_kernel_gives_the_logarithm_of_the_sum_of_powers():
    assert_close(
        lambda T: T.ops.aten._scaled_dot_product_flash_attention_for_cpu(*[numbers(T, 2, 3, 5, 8)] * 3, 0.0, True)
    )


@pytest.mark.parametrize("sizes", [((2, 3, 5, 8), (2, 3, 7, 8)), ((1, 4, 130, 8), (1, 4, 530, 8))], ids=str)
def test_gradients_of_the_kernel_are_pytorchs(sizes):
    def program(T, is_causal, mask, kind="float64"):
        q, k, v = (numbers(T, *size, kind=kind) for size in (sizes[0], sizes[1], sizes[1]))
        g, mask = numbers(T, *sizes[0], kind=kind) * -0.5, mask and numbers(T, *mask, kind=kind)
        aten, options = T.ops.aten, {"attn_mask": mask}
        out, lse = aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, is_causal, **options)
        return aten._scaled_dot_product_flash_attention_for_cpu_backward(
            g, q, k, v, out, lse, 0.0, is_causal, **options
        )

    for is_causal, mask in ((False, None), (True, None), (False, (sizes[0][2], sizes[1][2]))):
        assert_close(lambda T, is_causal=is_causal, mask=mask: program(T, is_causal, mask))


def test_heads_that_share_keys_add_to_one_gradient():
    q, k = numbers(engine, 2, 4, 5, 8), numbers(engine, 2, 2, 7, 8)
    grads = []
    for key in (k, k.repeat_interleave(2, 1)):
        key = key.requires_grad_()
        functional.scaled_dot_product_attention(q, key, key, enable_gqa=True).square().sum().backward()
        grads.append(key.grad)
    assert engine.allclose(grads[0], grads[1].view(2, 2, 2, 7, 8).sum(2), atol=1e-4)
