"""What is judged, by operator: the one list. A sample that no line here leaves out counts.

`OPERATORS` names PyTorch's OpInfos (`name` or `name.variant`) and says what of a result is compared; `LATER` are those
that count as soon as the engine has the name; `REASONS` says why a sample is left out. PyTorch's samples that ask for
gradients are run without them, and a write to a tensor of which two elements lie at one place, where PyTorch allows
it, has no result to compare.
"""

from collections.abc import Callable
from typing import Any

from .frozen import FrozenTensor, Sample, tensors

VIEW = "view"  # geometry, sharing and bytes are PyTorch's exactly
EXACT = "exact"  # a copy or a choice of elements: bytes are PyTorch's exactly
MATH = "math"  # floating point within torch.testing.assert_close's tolerance, integers exactly
EMPTY = "empty"  # elements are not initialised and not compared
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
    EXACT: "eye expand_copy scalar_tensor stack",
    MATH: "linspace linspace.tensor_overload amin bmm.triton_optimized rsub sum_to_size true_divide",
    EMPTY: "empty_permuted new_empty_strided resize_as_",
    RANDOM: "normal normal.number_mean",
}
OPERATORS = {name: kind for kind, names in _BY_KIND.items() for name in names.split()}
LATER = {name: kind for kind, names in _LATER_BY_KIND.items() for name in names.split()}


def _index_tensors(sample: Sample) -> bool:
    return any(isinstance(tensor, FrozenTensor) for tensor in tensors(sample.args)) or _holds_list(sample.args)


def _holds_list(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, tuple) and any(map(_holds_list, value)))


REASONS: dict[str, tuple[tuple[Callable[[Sample], bool], str], ...]] = {
    "__getitem__": ((_index_tensors, "indexing with tensors and lists: comes with the indexing operators"),),
}


def reason(operator: str, sample: Sample) -> str | None:
    """Why a sample is out of scope; None if it counts. `freeze_sample` refuses values that the engine lacks."""
    return next((why for applies, why in REASONS.get(operator, ()) if applies(sample)), None)
