"""Rare calls, one a line: their results, refusals and warnings are PyTorch's."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from compare import assert_same, needs_torch

import engine

pytestmark = needs_torch

NAMES = {"copy": copy, "pickle": pickle, "np": np, "copied": lambda x: pickle.loads(pickle.dumps(x))}

REFUSED = [
    *(
        f"x.{name}({dim}dtype=T.{dtype})"
        for name in ("sum", "prod", "nansum", "cumsum", "cumprod", "mean", "nanmean")
        for dim in ("", "0, ")
        for dtype in ("int64", "int32", "bool", "float64")
    ),
    "x.to(T.int64)", "x.long().sum()", "T.ones(2, 3).long().copy_(x)", "T.ones(2).long().fill_(x[0, 0])",
    "T.ones(2).bool().masked_fill_(T.tensor([True, False]), x[0, 0])", "x.isinf()", "T.isnan(x)", "x.argmax()",
    "x.sort()", "F.kl_div(x.long(), x.long())", "F.kl_div(x, x.long())", "F.kl_div(x.long(), x)",
    *(f"T.tr{half}_indices(2, 3, dtype=T.{dtype})" for half in "ui" for dtype in ("float32", "bool", "int32")),
    "e.numpy() is e or e.resize_(4)", "np.asarray(e) is e or e.resize_(4)", "e.numpy(force=True) is e or e.resize_(4)",
    "e[:0].numpy() is e or e.resize_(4)", "e.numpy() is e or T.add(T.ones(4), 1, out=e)", "e.tolist() or e.resize_(0)",
    "e.numpy() is e or e.untyped_storage().resize_(99)", "e.numpy() is e or copy.deepcopy(e).resize_(0)",
    "e.numpy() is e or e.resize_(1)",
]  # fmt: skip

ACCEPTED = [
    *(f"T.take_along_dim(T.tensor([{numbers}]), T.tensor([{at}]), {dim})"
      for numbers in ("1.0", "1.0, 2.0") for at in ("0, 1", "1", "-3", "2, 5") for dim in (0, -1, None)),
    "T.take_along_dim(x, T.tensor([[0], [7]]), 1)", "T.take_along_dim(x, T.tensor([[0, 1, 5]]), 0)",
    "T.take_along_dim(T.tensor(1.0), T.tensor(0), 0)", "T.take_along_dim(x.t(), T.tensor([1]))",
    "T.take_along_dim(T.ones(0), T.tensor([0]), 0)", "T.take_along_dim(x, T.tensor([[0]]), 5)",
    "T.cat([z], out=z)", "T.cat([z, z], out=z)", "T.cat([z, e], out=z)", "T.cat([z.view(0, 1), z.view(0, 1)], out=z)",
    *(f"F.cross_entropy(T.ones(2, 0), T.zeros(2, 0), label_smoothing={part}, reduction='{reduction}')"
      for part in (0.0, 0.1, 1.0) for reduction in ("mean", "sum", "none")),
    *(f"F.{loss}(x, x.detach().{to}().t().contiguous().t() / 3, reduction='{reduction}').dtype"
      for loss in ("huber_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "binary_cross_entropy_with_logits")
      for to in ("float", "double") for reduction in ("mean", "none")),
    *(f"F.{loss}(x.detach().{to}(), x.detach())" for to in ("double", "long")
      for loss in ("huber_loss", "mse_loss", "smooth_l1_loss")),
    "F.binary_cross_entropy_with_logits(x, x.long())",
    "F.logsigmoid(x.detach().t()).stride()", "F.logsigmoid(x.t()).stride()",
    "x.detach().roll(1)._is_view()", "x.detach().roll((1, 1), (0, 1))._is_view()", "F.max_pool1d(e.view(1, 2), 1)",
    "F.max_pool1d(e.view(1, 1, 2), 1)._is_view()", "F.max_pool1d(e.view(1, 2), 1)._is_view()", "x.sum_to_size(2, 3)",
    "T.bmm(T.ones(0, 2, 3), T.ones(0, 3, 1).double())", "e.copy_(e.detach())", "T.ones(1).expand(2).copy_(T.ones(2))",
    "(lambda v: v.copy_(v.detach()))(T.ones(1).expand(2, 2))", "T.cummax(z, 5)", "T.var(e.long(), 5)",
    "(lambda v: (v, x.requires_grad_(), T.autograd.grad(v.sum(), v, allow_unused=True)))(x.detach().view(-1))",
    "T.index_select(x, 1, T.tensor([5]))", "T.index_select(x, 0, T.tensor([5]))", "F.one_hot(e.long())",
    "e.index_add(0, T.tensor([5]), T.ones(1))", "e.index_add(0, T.tensor([0, 0]), T.tensor(1.0))",
    "z.index_fill(0, T.tensor([0]), 1)", "z.view(0, 0).index_fill(1, T.tensor([0]), 1)",
    "F.cross_entropy(x, T.tensor(1))", "F.nll_loss(e, T.ones(3))", "F.unfold(T.ones(2, 0), 1)",
    "F.batch_norm(e.long(), None, None, training=True)", "T.tensor(1).sum_to_size(()).dtype",
    "T.repeat_interleave(T.tensor(1), 2, 0)", "T.repeat_interleave(T.tensor(1), T.tensor(2), 0)",
    "T.ones(1).addbmm_(T.ones(2, 3, 4), T.ones(2, 4, 3))",
]  # fmt: skip

COPIED = [
    *(f"{way}(T.ones(2, 3, dtype=T.{dtype}).t())" for way in ("copied", "copy.deepcopy", "copy.copy")
      for dtype in engine.dtypes.DTYPES),
    *(f"{way}(T.{name}) is T.{name}" for way in ("copied", "copy.deepcopy", "copy.copy")
      for name in (*engine.dtypes.DTYPES, "strided", "contiguous_format", "channels_last", "preserve_format")),
    *(f"{way}(x).requires_grad" for way in ("copied", "copy.deepcopy")), "copied(T.device('cpu')) == T.device('cpu')",
    *(f"[T.rand(2, generator=one) for one in (g, {way}(g))]" for way in ("copied",)),
    *(f"{way}(inferred).is_inference()" for way in ("copied", "copy.deepcopy")),
]  # fmt: skip

LEGACY = [
    call
    for name in ("Tensor", "FloatTensor", "DoubleTensor", "LongTensor", "IntTensor", "BoolTensor")
    for call in (
        f"T.{name}()", f"T.{name}([1, 2])", f"T.{name}([[1.5, 0]])", f"T.{name}((1, 2))", f"T.{name}(range(3))",
        f"T.{name}(np.ones(2))", f"T.{name}([T.tensor(1), T.tensor(0)])", f"T.{name}([True])", f"T.{name}(0, 3)",
        f"T.{name}(T.Size([0]))", f"T.{name}([2], device='cpu')", f"T.{name}(T.ones(2))", f"T.{name}(1.5)",
        f"T.{name}('a')", f"T.{name}(None)", f"T.{name}(True)", f"T.{name}(-1)", f"T.{name}(2, 2.5)",
        f"T.{name}(2, device='meta')", f"T.{name}([1], dtype=T.int64)", f"T.{name}(2, 3).zero_()",
        f"T.{name}(size=(2,)).fill_(1)", f"T.{name}(data=[1])", f"T.nn.Parameter(T.{name}([1]))",
    )
] + [
    *(f"isinstance(T.ones(1).{to}(), T.{name})" for to in ("float", "double", "long", "int", "bool")
      for name in ("Tensor", "FloatTensor", "DoubleTensor", "LongTensor", "IntTensor", "BoolTensor")),
    "T.ones(2).type(T.LongTensor)", "e.new(2, 3).shape", "e.new([1, 2])", "e.long().new([1, 2])", "e.new()",
    "T.Tensor(e)._is_view()", "[T.Tensor(e).fill_(3), e]", "T.Tensor(x).requires_grad",
]  # fmt: skip


@pytest.mark.parametrize("call", [*REFUSED, *ACCEPTED, *COPIED, *LEGACY])
def test_call_is_pytorchs(call):
    def program(T):
        with T.inference_mode():
            inferred = T.ones(2)
        x = T.arange(6.0).view(2, 3).requires_grad_()
        names = {"T": T, "F": T.nn.functional, "x": x, "e": T.ones(2), "z": T.ones(0), "g": T.Generator(),
                 "inferred": inferred, **NAMES}  # fmt: skip
        return eval(call, names)

    assert_same(program)


@pytest.mark.parametrize("number", [1, 2])
def test_a_gradient_through_an_operator_without_an_autograd_kernel_warns(number):
    kernel = "x * 2" if number == 1 else "x.detach() * 2"

    def program(T):
        library = T.library.Library(f"edges{number}", "FRAGMENT")
        library.define("twice(Tensor x) -> Tensor")
        library.impl("twice", lambda x: eval(kernel, {"x": x}), "CPU")
        x = T.ones(2, requires_grad=True)
        made = getattr(T.ops, f"edges{number}").twice(x)
        with pytest.warns(UserWarning, match="an autograd kernel was not registered to the Autograd key"):
            made.sum().backward()
        return made, x.grad, made.grad_fn.name(), T._C._after_autograd_keyset.has(T._C.DispatchKey.CPU)

    assert_same(program)


@pytest.mark.parametrize("name", ["sum", "mean", "amax", "prod", "nansum", "var", "max", "aminmax"])
def test_a_reduction_into_its_own_input_writes_nothing_beyond_it(name):
    x = engine.ones(5, 1)
    second = {"max": engine.zeros(0, dtype=engine.int64), "aminmax": engine.zeros(0)}
    out = (x, second[name]) if name in second else x
    with pytest.raises(RuntimeError, match="the output of a reduction is its input"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the output is resized
        getattr(engine, name)(x, dim=0, out=out)
