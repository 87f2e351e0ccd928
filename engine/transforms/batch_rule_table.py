"""Which operator has which batching rule: rule -> names."""

from ..dispatch import registry as dispatcher
from ..dispatch.keys import DispatchKey
from . import batch_rules
from .batch_rules import *  # noqa: F403
from .plumbing import register

RULES = {
    pointwise: "",  # by tag
    reduction: """sum.dim_IntList mean.dim amax amin var.correction std.correction logsumexp argmax argmin max.dim min.dim
        prod.dim_int cumsum cumprod _softmax _log_softmax sort topk any.dim all.dim any.dims all.dims linalg_vector_norm
        cummax cummin sort.stable nansum logcumsumexp median.dim kthvalue mode var_mean.correction std_mean.correction
        norm.ScalarOpt_dim norm.ScalarOpt_dim_dtype argsort count_nonzero.dim_IntList _safe_softmax glu aminmax""",
    full_reduction("sum_dim_IntList"): "sum",
    full_reduction("mean_dim"): "mean",
    full_reduction("max_dim"): "max",
    full_reduction("min_dim"): "min",
    full_reduction("prod_dim_int"): "prod",
    full_reduction("any_dim"): "any",
    full_reduction("all_dim"): "all",
    dims_view(1): "select.int slice.Tensor squeeze.dim squeeze.dims unbind.int split.Tensor split_with_sizes unfold flip cumsum diff",
    dims_view(1, extra=1): "unsqueeze",
    dims_view(1, 2): "transpose.int",
    dims_view(2, 3): "diagonal",
    dims_view(2): "roll select_backward slice_backward",
    inplace_view("squeeze.dim"): "squeeze_.dim",
    inplace_view("unsqueeze"): "unsqueeze_",
    inplace_view("transpose.int"): "transpose_",
    inplace_view("t"): "t_",
    permute: "permute",
    expand: "expand",
    sized: "view _unsafe_view reshape _reshape_alias",
    t: "t",
    same_place: """clone _to_copy zeros_like ones_like full_like empty_like alias detach view_as_real tril triu contiguous
        fill.Scalar fill_.Scalar zero_ nan_to_num""",
    squeeze: "squeeze",
    mm: "mm mv dot bmm",
    addmm: "addmm",
    cat: "cat stack",
    index: "index.Tensor",
    index_put: "index_put index_put_ _index_put_impl_",
    along: "gather scatter.src scatter.value scatter_add index_select index_add scatter_reduce.two",
    softmax_backward: "_softmax_backward_data _log_softmax_backward_data",
    flattened(0): "max_pool2d_with_indices avg_pool2d _adaptive_avg_pool2d",
    flattened(0, 1): "avg_pool2d_backward _adaptive_avg_pool2d_backward",
    convolution: "convolution",
    embedding: "embedding",
    native_layer_norm: "native_layer_norm",
    new_sized: "new_zeros new_empty new_full new_ones",
    new_empty_strided: "new_empty_strided",
    nll_loss_forward: "nll_loss_forward",
}


def register_all() -> None:
    done = set()
    for rule, names in RULES.items():
        for name in names.split():
            if f"aten::{name}" in dispatcher.operators and name not in done:
                register(f"aten::{name}", rule)
                done.add(name)
    for name, entry in list(dispatcher.operators.items()):
        short = name.removeprefix("aten::")
        if short in done or entry.schema is None or entry.schema.out if entry.schema else True:
            continue
        composite = DispatchKey.CompositeImplicitAutograd in entry.registered
        if composite:
            kernel = entry.kernels[DispatchKey.CompositeImplicitAutograd]
            dispatcher.register(name, DispatchKey.FuncTorchBatchedDecomposition, kernel)
        elif "pointwise" in entry.tags or short in EXTRA_POINTWISE:
            register(name, pointwise)


batch_rules.RULE_OF |= {name: rule for rule, names in RULES.items() for name in names.split()}
EXTRA_POINTWISE = set("""copy_ lerp.Scalar lerp.Tensor masked_fill.Scalar masked_fill.Tensor threshold_backward where.self
    sigmoid_backward tanh_backward gelu_backward silu_backward leaky_relu_backward elu_backward softplus_backward
    hardtanh_backward hardsigmoid_backward hardswish_backward hardshrink_backward softshrink_backward log_sigmoid_backward
    mse_loss_backward fill.Tensor fill_.Tensor masked_fill_.Scalar logit_backward""".split())
register_all()
