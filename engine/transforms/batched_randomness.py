"""Random operators under vmap: an error, the same numbers for each sample, or different ones, as `randomness` says.

Their kernels are at FuncTorchVmapMode, which each call under vmap has, so they see calls without batched tensors too.
Mirrors aten/src/ATen/functorch/BatchRulesRandomness.cpp.
"""

from collections.abc import Callable
from typing import Any

from ..aten.at import at
from ..dispatch import registry
from ..dispatch.keys import DispatchKey
from ..dispatch.local import local, state_of
from ..dispatch.registry import OperatorEntry
from ..dispatch.table import Kernel
from ..tensor_impl import Tensor
from .batched import BatchedTensor, VmapInterpreter, expanded, front, padded, unwrap
from .interpreters import VMAP_MODE, layers

ERROR = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)
SAME_FOR_BATCHED = (
    "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch"
)
DIFFERENT_IN_ONE = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. "
    "If this is necessary for your usage, please file an issue with functorch."
)
INTO_OUT = (
    "vmap: We do not support calling out variants of random operations inside of vmap. Please use non-out variants as "
    "a workaround"
)
SMALLER = (
    "vmap: inplace bernoulli(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args "
    "that has more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped "
    "over in a vmap. Please try to use out-of-place operators instead of inplace bernoulli. If said operator is being "
    "called inside the PyTorch framework, please file a bug report instead."
)


def check_randomness(layer: VmapInterpreter, is_batched: bool = False) -> None:
    """Raise a RuntimeError if the layer allows no random operator, or it would need the same numbers for a batch."""
    if layer.randomness == "error":
        raise RuntimeError(ERROR)
    if layer.randomness == "same" and is_batched:
        raise RuntimeError(SAME_FOR_BATCHED)


# ---- rules: f(layer, entry, arguments) -> result


def sized(layer: VmapInterpreter, entry: OperatorEntry, arguments: list[Any]) -> Any:
    """Return new random numbers in a size: for different ones, one draw in a size with the batch in front."""
    check_randomness(layer)
    if layer.randomness == "same":
        return entry.call(*arguments)
    assert entry.schema is not None
    size = [argument.name for argument in entry.schema.arguments].index("size")
    arguments[size] = (layer.batch_size, *arguments[size])
    return BatchedTensor(entry.call(*arguments), 0, layer.level)


def permutation(layer: VmapInterpreter, entry: OperatorEntry, arguments: list[Any]) -> Any:
    """Return a random permutation, or one for each sample."""
    check_randomness(layer)
    if layer.randomness == "same":
        return entry.call(*arguments)
    made = tuple([entry.call(*arguments) for _ in range(layer.batch_size)])
    return BatchedTensor(at.stack(made, 0), 0, layer.level)


def elementwise(layer: VmapInterpreter, entry: OperatorEntry, arguments: list[Any]) -> Any:
    """Return a random number for each element of the tensors, which hold the parameters."""
    tensors = {place: unwrap(one, layer.level) for place, one in enumerate(arguments) if isinstance(one, Tensor)}
    check_randomness(layer, any(bdim is not None for _, bdim in tensors.values()))
    if layer.randomness == "same":
        return entry.call(*arguments)
    ndim = max(len(arguments[place]._sizes) for place in tensors)
    for place, (value, bdim) in tensors.items():
        arguments[place] = padded(expanded(value, bdim, layer.batch_size), 0, ndim)
    return BatchedTensor(entry.call(*arguments), 0, layer.level)


def like(layer: VmapInterpreter, entry: OperatorEntry, arguments: list[Any]) -> Any:
    """Return random numbers in the shape of a tensor, whose elements do not matter."""
    check_randomness(layer)
    (value, bdim), rest = unwrap(arguments[0], layer.level), arguments[1:]
    if layer.randomness == "same":
        return entry.call(value if bdim is None else at.select_int(value, bdim, 0), *rest)
    return BatchedTensor(entry.call(expanded(value, bdim, layer.batch_size), *rest), 0, layer.level)


def inplace(layer: VmapInterpreter, entry: OperatorEntry, arguments: list[Any]) -> Any:
    """Fill a tensor with random numbers, whose parameters may be a tensor, and return it.

    Raises:
        RuntimeError: all samples share it, and the numbers are to be different; or the parameters are not shared.
    """
    self, *others = arguments
    value, bdim = unwrap(self, layer.level)
    pairs = [unwrap(other, layer.level) for other in others]
    has_batch = any(dim is not None for _, dim in pairs)
    check_randomness(layer, has_batch)
    if bdim is None and has_batch:
        raise RuntimeError(SMALLER)
    if bdim is None and layer.randomness == "different":
        raise RuntimeError(DIFFERENT_IN_ONE)
    if bdim is not None and layer.randomness == "same":
        one = at.empty_memory_format(self._sizes, self._dtype, None, self._storage.device)
        return at.copy_(self, entry.call(one, *others))
    laid = [padded(other, dim, len(self._sizes)) if isinstance(other, Tensor) else other for other, dim in pairs]
    entry.call(front(value, bdim), *laid)
    return self


def dropout_with_mask(layer: VmapInterpreter, entry: OperatorEntry, arguments: list[Any]) -> Any:
    """Return the output and the mask of `native_dropout`.

    Source: native_dropout_batching_rule, which multiplies by a mask of floats where all samples share it.
    """
    tensor, p, train = arguments
    if train is None or train:
        check_randomness(layer)
    if layer.randomness == "different" or not (train is None or train):
        value, bdim = unwrap(tensor, layer.level)
        made = entry.call(expanded(value, bdim, layer.batch_size), p, train)
        return tuple([BatchedTensor(one, 0, layer.level) for one in made])
    mask = at.empty_memory_format(tensor._sizes, tensor._dtype, None, tensor._storage.device)
    at.bernoulli__float(mask, 1 - p)
    return at.mul__Scalar(at.mul_Tensor(tensor, mask), 0.0 if p == 1 else 1 / (1 - p)), mask


def decompose(layer: VmapInterpreter, entry: OperatorEntry, arguments: list[Any]) -> Any:
    """Call the operators that a composite operator consists of, each of which is random or not itself."""
    local.state = state_of(local.state.included | VMAP_MODE, local.state.excluded & ~VMAP_MODE)
    return entry.kernels[DispatchKey.CompositeImplicitAutograd].function(*arguments)


def refuse_out(layer: VmapInterpreter, entry: OperatorEntry, arguments: list[Any]) -> Any:
    """Raise the error of an operator that would write random numbers into `out`."""
    raise RuntimeError(INTO_OUT)


RULES: dict[Callable[..., Any], str] = {
    sized: "rand rand.generator randn randn.generator randint randint.generator randint.low randint.low_generator "
    "normal.float_float",
    permutation: "randperm randperm.generator",
    elementwise: "bernoulli bernoulli.p normal.Tensor_float normal.float_Tensor normal.Tensor_Tensor",
    like: "rand_like randn_like randint_like randint_like.low_dtype",
    inplace: "normal_ uniform_ random_ random_.from random_.to bernoulli_.Tensor bernoulli_.float",
    dropout_with_mask: "native_dropout",
    decompose: "dropout dropout_ alpha_dropout_ feature_dropout_ feature_alpha_dropout_ native_dropout_backward "
    "scaled_dot_product_attention _scaled_dot_product_attention_math",
    refuse_out: "bernoulli.out normal.Tensor_Tensor_out normal.float_Tensor_out normal.float_float_out rand.out "
    "rand.generator_out randint.out randint.generator_out randn.out randn.generator_out randperm.out "
    "randperm.generator_out",
}
"""Rule -> the operators that have it, without "aten::"."""


def kernel_of(rule: Callable[..., Any]) -> Kernel:
    """Return a rule as the kernel of its operators at FuncTorchVmapMode."""

    def randomness_kernel(entry: OperatorEntry, *arguments: Any) -> Any:
        before = local.state
        local.state = state_of(before.included & ~VMAP_MODE, before.excluded | VMAP_MODE)
        try:
            return rule(layers.stack[-1], entry, list(arguments))
        finally:
            local.state = before

    code = rule.__code__
    return Kernel(
        randomness_kernel, rule, wants_operator=True, debug=f"registered at {code.co_filename}:{code.co_firstlineno}"
    )


def register_all() -> None:
    """Register the rules of RULES."""
    for rule, names in RULES.items():
        kernel = kernel_of(rule)
        for name in names.split():
            registry.register(f"aten::{name}", DispatchKey.FuncTorchVmapMode, kernel)


register_all()
