"""Which operator has which batching rule, and which are called in a loop.

RULES and DECOMPOSITIONS name operators. Of the others, a composite one is decomposed and one with the tag `pointwise`
has the rule `pointwise`, except those in LOOPED. What is left, with the out= forms, goes to `batched_fallback`.
"""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ..aten import registration
from ..aten.at import at
from ..aten.model import NativeFunction
from ..dispatch import registry
from ..dispatch.keys import DispatchKey
from ..dispatch.registry import Handle, OperatorEntry
from ..dispatch.table import Kernel
from . import batch_decompositions as decompositions
from . import batch_rules as rules
from . import batch_rules_indexing as indexing
from . import batch_rules_modules as modules
from . import plumbing

K = DispatchKey

_LOOPED = """
    addcdiv_ addcmul_ clamp_ clamp_.Tensor div_.Scalar_mode equal fmod_.Scalar fmod_.Tensor hypot_ lerp_.Scalar
    lerp_.Tensor native_dropout_backward nextafter_ pow_.Tensor remainder_.Scalar remainder_.Tensor xlogy_.Tensor

    _pad_enum alpha_dropout alpha_dropout_ argwhere bilinear chain_matmul clip_ clip_.Tensor column_stack
    cummaxmin_backward divide_.Scalar dropout_ feature_alpha_dropout feature_alpha_dropout_ feature_dropout
    feature_dropout_ fix_ float_power_.Scalar float_power_.Tensor greater_.Scalar greater_.Tensor greater_equal_.Scalar
    greater_equal_.Tensor isclose kl_div less_.Scalar less_.Tensor less_equal_.Scalar less_equal_.Tensor moveaxis.int
    narrow.Tensor negative_ nonzero_numpy not_equal_.Scalar not_equal_.Tensor square_ subtract.Scalar subtract_.Scalar
    subtract_.Tensor tensor_split.tensor_indices_or_sections trace_backward
"""
LOOPED = frozenset(_LOOPED.split())
"""Elementwise operators, and after them composite ones, without a rule in PyTorch: they warn there, too."""

_ISSUE = "please file an issue at https://github.com/pytorch/pytorch/issues"
_DYNAMIC = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over {}. "
    f"P{_ISSUE[1:]} if you need this feature."
)
_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
_SCALAR = (
    "vmap: It looks like you're either (1) calling .item() on a Tensor or (2) attempting to use a Tensor in some "
    "data-dependent control flow or (3) encountering this error in PyTorch internals. For (1): we don't support vmap "
    "over calling .item() on a Tensor, please try to rewrite what you're doing with other operations. For (2): we "
    f"don't support data-dependent control flow in vmap yet, {_ISSUE} . For (3): please file an issue."
)
_CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    f"yet, {_ISSUE} ."
)
_SPECIAL = (
    "Error: {} requires special handling, and does not yet have a batching rule. Feel free to file a github issue!"
)
_ALLCLOSE = f"vmap over torch.allclose isn't supported yet. P{_ISSUE[1:]} if you need this feature."


def refused(text: str) -> Callable[..., NoReturn]:
    """Return a rule that raises an error."""

    def rule(layer: Any, entry: OperatorEntry, values: Any, bdims: Any) -> NoReturn:
        raise RuntimeError(text.format(entry.name))

    return rule


RULES: dict[Callable[..., Any], str] = {
    rules.pointwise: """_prelu_kernel _prelu_kernel_backward _to_copy abs_ alias copysign_.Scalar copysign_.Tensor
        detach elu_backward empty_like fill_.Scalar floor_divide floor_divide.Scalar full_like gcd_ hardshrink_backward
        hardsigmoid_backward hardswish hardswish_ hardswish_backward hardtanh_backward __irshift__.Scalar
        __irshift__.Tensor lcm_ leaky_relu_backward log_sigmoid_backward log_sigmoid_forward mish_ ones_like
        rsub.Tensor softplus_backward softshrink_backward threshold_ zero_ zeros_like""",
    rules.arithmetic: """sub_.Tensor mul_.Tensor div_.Tensor div_.Tensor_mode clamp_max_.Tensor clamp_min_.Tensor copy_
        logical_and_ logical_or_ logical_xor_ masked_fill_.Scalar""",
    rules.fill: "fill_.Tensor",
    rules.clone: "clone",
    rules.by_schema: """_log_softmax _log_softmax_backward_data _safe_softmax _softmax _softmax_backward_data
        constant_pad_nd cummax cummin cumprod cumsum diag_embed diagonal diagonal_backward diagonal_scatter flip
        glu glu_backward kthvalue logcumsumexp max.dim median.dim min.dim nanmedian.dim new_empty new_full
        new_ones new_zeros pixel_shuffle pixel_unshuffle prod.dim_int select.int select_backward select_scatter
        slice.Tensor slice_backward slice_scatter sort sort.stable split.Tensor split_with_sizes
        split_with_sizes_copy topk transpose.int tril triu unbind.int unbind_copy.int unfold unsqueeze view
        view_copy view.dtype""",
    rules.reduction: """all.dim all.dims amax amin aminmax any.dim any.dims argmax argmin count_nonzero
        count_nonzero.dim_IntList linalg_vector_norm logsumexp mean.dim nansum norm.ScalarOpt_dim std.correction
        std_mean.correction sum.dim_IntList var.correction var_mean.correction""",
    rules.of_front: """_reshape_alias _unsafe_view all any as_strided expand expand_copy max mean median min nanmedian
        new_empty_strided norm.Scalar permute prod repeat roll squeeze squeeze.dim squeeze.dims sum t""",
    rules.geometry: "resize_ squeeze_ squeeze_.dim squeeze_.dims t_ transpose_ unsqueeze_",
    rules.cat: "cat stack",
    rules.along: """gather scatter.reduce scatter.src scatter.value scatter.value_reduce scatter_add scatter_add_
        scatter_reduce.two scatter_reduce_.two""",
    indexing.index: "index.Tensor _unsafe_index.Tensor",
    indexing.index_put: "index_put index_put_ _index_put_impl_ _unsafe_index_put",
    indexing.index_rows: """index_add index_add_ index_copy index_fill.int_Scalar index_fill.int_Tensor
        index_fill_.int_Scalar index_fill_.int_Tensor index_select""",
    indexing.masked: "masked_select masked_select_backward",
    modules.product: "mm bmm mv dot vdot",
    modules.flattened: """_adaptive_avg_pool2d _adaptive_avg_pool2d_backward adaptive_max_pool2d
        adaptive_max_pool2d_backward avg_pool2d avg_pool2d_backward channel_shuffle col2im im2col
        max_pool2d_with_indices max_pool2d_with_indices_backward reflection_pad1d reflection_pad1d_backward
        reflection_pad2d reflection_pad2d_backward reflection_pad3d reflection_pad3d_backward replication_pad1d
        replication_pad1d_backward replication_pad2d replication_pad2d_backward replication_pad3d
        replication_pad3d_backward upsample_nearest1d upsample_nearest1d_backward upsample_nearest2d
        upsample_nearest2d_backward upsample_nearest3d upsample_nearest3d_backward""",
    modules.convolution: "convolution",
    modules.by_channel: """convolution_backward native_batch_norm_backward native_group_norm native_group_norm_backward
        _native_batch_norm_legit.no_stats""",
    modules.batch_norm: "native_batch_norm _native_batch_norm_legit",
    modules.layer_norm: "native_layer_norm",
    modules.layer_norm_backward: "native_layer_norm_backward",
    modules.loss: "mse_loss smooth_l1_loss huber_loss binary_cross_entropy",
    refused(_DYNAMIC): "nonzero where",
    refused(_ITEM): "item",
    refused(_SCALAR): "_local_scalar_dense",
    refused(_CONTROL_FLOW): "is_nonzero",
    refused(_ALLCLOSE): "allclose",
    refused(_SPECIAL): "as_strided_scatter",
}

_BY_NAME = """
    rot90 one_hot embedding_dense_backward mse_loss_backward smooth_l1_loss_backward
    huber_loss_backward binary_cross_entropy_backward nll_loss_forward nll_loss_backward
"""
DECOMPOSITIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(decompositions, name) for name in _BY_NAME.split()},
    **{f"linspace.{kinds}": decompositions.linspace for kinds in ("Scalar_Tensor", "Tensor_Scalar", "Tensor_Tensor")},
    "nll_loss2d_forward": decompositions.nll_loss_forward,
    "nll_loss2d_backward": decompositions.nll_loss_backward,
    "addmm": decompositions.added(lambda a, b: at.mm(a, b)),
    "addmv": decompositions.added(lambda a, b: at.mv(a, b)),
    "addr": decompositions.added(lambda a, b: at.mul_Tensor(at.unsqueeze(a, 1), b)),
    "addbmm": decompositions.added(lambda a, b: at.sum_dim_IntList(at.bmm(a, b), (0,), False)),
    "baddbmm": decompositions.added(lambda a, b: at.bmm(a, b)),
    "_convolution": lambda *arguments: at.convolution(*arguments[:9]),
    "embedding": lambda weight, indices, *_: at.index_Tensor(weight, (indices,)),
    "trace": lambda x: at.sum(at.diagonal(x)),
}
"""Operator -> a function of a sample, as PyTorch registers some at the first vmap."""

COPIES = frozenset(("alias_copy", "as_strided_copy", "diagonal_copy", "unfold_copy"))
"""Operators that PyTorch decomposes into a view and a copy, which is what their kernels call."""

RULE_OF = {name: rule for rule, names in RULES.items() for name in names.split()}


def register(entry: OperatorEntry) -> list[Handle]:
    """Register how an operator works on batches; nothing for one that is called in a loop."""
    name, composite = entry.name.removeprefix("aten::"), entry.kernels.get(K.CompositeImplicitAutograd)
    assert entry.schema is not None
    if rule := RULE_OF.get(name):
        return [plumbing.register(entry.name, rule)]
    if function := DECOMPOSITIONS.get(name):
        debug = f"registered at {function.__code__.co_filename}:{function.__code__.co_firstlineno}"
        return [registry.register(entry.name, K.FuncTorchBatched, Kernel(function, function, debug=debug))]
    if name in COPIES:
        composite = entry.kernels[K.CompositeExplicitAutogradNonFunctional]
    if name in LOOPED or entry.schema.is_out or K.FuncTorchBatched in entry.registered:
        return []
    if composite:
        return [registry.register(entry.name, K.FuncTorchBatchedDecomposition, composite)]
    return [plumbing.register(entry.name, rules.pointwise)] if "pointwise" in entry.tags else []


def register_extension(functions: Sequence[NativeFunction], derivatives: str, kernels: Any) -> Handle:
    """Register the rules of operators that are added later."""
    handles = [handle for f in functions for handle in register(registry.find(f"aten::{f.func.name}"))]

    def destroy() -> None:
        for handle in handles:
            handle.destroy()

    return Handle(destroy)


for one in [entry for name, entry in registry.operators.items() if name.startswith("aten::") and entry.schema]:
    register(one)
registration.AFTER_REGISTRATION.append(register_extension)
