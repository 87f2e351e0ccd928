"""The judged operators, in one list. A sample that no line here leaves out counts.

`OPERATORS` names PyTorch's OpInfos (`name` or `name.variant`) and says what of a result is compared; `LATER` are those
that count as soon as the engine has the name; `REASONS` says why a sample is left out. PyTorch's samples that ask for
gradients are run without them, and a write to a tensor two of whose elements share a cell, where PyTorch allows
it, has no result to compare.
"""

from collections.abc import Callable

from .frozen import Sample

VIEW = "view"  # geometry, sharing and bytes are PyTorch's exactly
EXACT = "exact"  # a copy or a choice of elements: bytes are PyTorch's exactly
MATH = "math"  # floating point within torch.testing.assert_close's tolerance, integers exactly
EMPTY = "empty"  # elements are not initialized and not compared
RANDOM = "random"  # from the same seed, the same numbers

_BY_KIND = {
    VIEW: """T mT __getitem__ as_strided as_strided.partial_views broadcast_to chunk contiguous diagonal expand
        expand_as flatten movedim narrow permute ravel reshape reshape_as select slice split split.list_args
        split_with_sizes squeeze squeeze.multiple t transpose unbind unflatten unfold unsqueeze view view_as""",
    EXACT: """arange bool cat clone double fill float full full_like int item long new_full new_ones new_zeros ones
        ones_like to where zero_ zeros zeros_like""",
    MATH: """__radd__ __rdiv__ __rmatmul__ __rmul__ __rsub__ add amax bmm div.floor_rounding div.no_rounding_mode
        div.trunc_rounding eq exp ge gt le lt matmul mean mm mul ne neg nn.functional.relu softmax softmax.with_dtype
        sub sum""",
    EMPTY: "empty empty_like empty_strided new_empty resize_",
    RANDOM: "bernoulli normal.in_place rand_like randint randint_like randn randn_like uniform",
}
_LATER_BY_KIND = {
    VIEW: "H mH broadcast_tensors positive",
    EXACT: """eye expand_copy scalar_tensor stack

        gather scatter index_select index_put index_copy index_fill masked_fill masked_select masked_scatter nonzero
        argwhere take take_along_dim tril triu diag diag_embed diagonal_scatter select_scatter
        flip fliplr flipud roll rot90 repeat repeat_interleave tile hstack vstack dstack column_stack
        meshgrid.list_of_tensors meshgrid.variadic_tensors tril_indices triu_indices searchsorted bucketize isin
        nn.functional.one_hot constant_pad_nd
        nn.functional.pad.circular nn.functional.pad.constant nn.functional.pad.reflect nn.functional.pad.replicate
        nn.functional.pad.replicate_negative equal isclose allclose heaviside copysign""",
    MATH: """linspace linspace.tensor_overload rsub sum_to_size true_divide

        abs sign square sqrt rsqrt reciprocal expm1 log log2 log1p sin cos tan tanh sigmoid erf floor ceil round
        round.decimals_0 round.decimals_3 round.decimals_neg_3 trunc logical_not bitwise_not isnan isfinite isinf
        exp2 log10 asin acos atan sinh cosh asinh acosh atanh frac sgn nan_to_num signbit isneginf isposinf erfc
        logit deg2rad rad2deg sinc

        clamp clamp_min clamp_max floor_divide remainder __rmod__ pow __rpow__ float_power maximum minimum max.binary
        min.binary bitwise_and bitwise_or bitwise_xor __rand__ __ror__ __rxor__ logical_and logical_or logical_xor lerp
        fmod atan2 fmax fmin addcmul addcdiv hypot logaddexp logaddexp2 xlogy bitwise_left_shift bitwise_right_shift

        prod amin max.reduction_no_dim max.reduction_with_dim min.reduction_no_dim min.reduction_with_dim all any argmax
        argmin aminmax var var.unbiased std std.unbiased var_mean var_mean.unbiased std_mean std_mean.unbiased
        logsumexp count_nonzero norm norm.fro norm.inf linalg.vector_norm nansum nanmean

        cumsum cumprod cummax cummin logcumsumexp sort argsort msort topk kthvalue median log_softmax
        log_softmax.with_dtype nn.functional.layer_norm nn.functional.batch_norm nn.functional.batch_norm.without_cudnn
        nn.functional.group_norm nn.functional.instance_norm nn.functional.rms_norm nn.functional.normalize
        native_layer_norm native_batch_norm nn.functional.cross_entropy nn.functional.nll_loss nn.functional.mse_loss
        nn.functional.binary_cross_entropy nn.functional.binary_cross_entropy_with_logits nn.functional.l1_loss
        nn.functional.smooth_l1_loss nn.functional.huber_loss nn.functional.kl_div nn.functional.softmin
        nn.functional.cosine_similarity

        scatter_add scatter_reduce.sum scatter_reduce.amax scatter_reduce.amin scatter_reduce.prod scatter_reduce.mean
        index_add trace bincount nn.functional.embedding

        dot outer addmm addmm.decomposed mv addmv addr baddbmm addbmm einsum inner vdot tensordot kron
        bmm.triton_optimized nn.functional.linear nn.functional.bilinear nn.functional.scaled_dot_product_attention

        nn.functional.gelu nn.functional.silu nn.functional.leaky_relu nn.functional.softplus nn.functional.hardtanh
        nn.functional.elu nn.functional.logsigmoid nn.functional.relu6 nn.functional.selu nn.functional.celu
        nn.functional.mish nn.functional.hardswish nn.functional.hardsigmoid nn.functional.prelu nn.functional.threshold
        nn.functional.softsign nn.functional.tanhshrink nn.functional.softshrink nn.functional.hardshrink
        nn.functional.glu

        nn.functional.conv1d nn.functional.conv2d nn.functional.max_pool2d nn.functional.avg_pool2d
        nn.functional.conv_transpose1d nn.functional.conv_transpose2d
        nn.functional.max_pool1d nn.functional.avg_pool1d nn.functional.adaptive_avg_pool1d
        nn.functional.adaptive_avg_pool2d nn.functional.adaptive_max_pool2d nn.functional.unfold
        nn.functional.interpolate.nearest nn.functional.pixel_shuffle nn.functional.pixel_unshuffle""",
    EMPTY: "empty_permuted new_empty_strided resize_as_",
    RANDOM: "normal normal.number_mean nn.functional.dropout multinomial exponential",
}
OPERATORS = {name: kind for kind, names in _BY_KIND.items() for name in names.split()}
LATER = {name: kind for kind, names in _LATER_BY_KIND.items() for name in names.split()}


def names() -> list[str]:
    """The judged operators, those last that count as soon as the engine has the name."""
    return [*OPERATORS, *LATER]


_CORE = """abs neg sign square sqrt rsqrt reciprocal exp expm1 log log2 log1p sin cos tan tanh sigmoid erf floor ceil
    round trunc logical_not bitwise_not isnan isfinite clamp
    add sub mul div floor_divide remainder pow maximum minimum bitwise_and bitwise_or logical_and logical_or lerp
    eq ne lt le gt ge equal where
    sum mean prod amax max min all any argmax argmin var logsumexp cumsum softmax log_softmax sort
    matmul mm bmm dot outer addmm tril triu
    view reshape transpose permute t T expand broadcast_to narrow select slice unsqueeze squeeze unfold diagonal
    as_strided split chunk unbind movedim flatten contiguous __getitem__
    cat stack index_select gather scatter scatter_add index_add index_put masked_fill nonzero
    zeros ones full empty arange linspace eye rand randn randint randperm normal uniform bernoulli zeros_like ones_like
    empty_like new_full clone fill zero_ resize_ to float long bool item
    linear relu gelu silu leaky_relu softplus layer_norm batch_norm cross_entropy nll_loss mse_loss
    binary_cross_entropy_with_logits conv2d max_pool2d avg_pool2d embedding dropout scaled_dot_product_attention pad"""
CORE = frozenset(_CORE.split())  # the operators that come first; the names of the others are the second list


def is_core(operator: str) -> bool:
    """Return whether an OpInfo, by its full name, is in the core list."""
    return operator.removeprefix("nn.functional.").partition(".")[0] in CORE


def _is_expanded(sample: Sample) -> bool:
    of = sample.input
    return any(size > 1 and stride == 0 for size, stride in zip(of.sizes, of.strides, strict=True))


def _has_equal_elements(sample: Sample) -> bool:
    values = sample.input.values
    return len(set(values.flat)) < values.size


_READS_BEYOND = (
    _is_expanded,
    "PyTorch reads beyond the memory of an expanded row: garbage, of another value each time",
)
_TIES = (_has_equal_elements, "which of equal elements is found is not specified, and depends on the C++ library")


def _is_of_small_integers(sample: Sample) -> bool:
    of = sample.input
    return (of[0] if isinstance(of, list | tuple) else of).dtype in ("uint8", "int8", "int16")


_REFUSED = (_is_of_small_integers, "products and pooling of 8- and 16-bit integers are refused, by name")
_PRODUCTS = """matmul __rmatmul__ mm bmm mv dot vdot inner addmm addmm.decomposed addmv addbmm baddbmm einsum tensordot
    nn.functional.linear nn.functional.bilinear nn.functional.max_pool2d"""

REASONS: dict[str, tuple[tuple[Callable[[Sample], bool], str], ...]] = {
    "median": (_READS_BEYOND,),
    "nn.functional.scaled_dot_product_attention": (
        (lambda sample: sample.kwargs.get("dropout_p", 0) > 0, "random: dropout is judged as such"),
    ),
    "topk": (_TIES,),
    **dict.fromkeys(_PRODUCTS.split(), (_REFUSED,)),
}


PYTORCHS_OWN_LIMITS = (
    "grad_input must be contiguous",
    "Expected a proper Tensor but got None",
    "derivative for aten::_scaled_dot_product_flash_attention_for_cpu_backward is not implemented",
)  # how its errors begin where a kernel of its way back can't do what its formula asks: nobody has to fail there


def reason(operator: str, sample: Sample) -> str | None:
    """Why a sample is out of scope; None if it counts. `freeze_sample` refuses values that the engine lacks."""
    return next((why for applies, why in REASONS.get(operator, ()) if applies(sample)), None)
