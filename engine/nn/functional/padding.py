"""pad: more elements around a tensor."""

from collections.abc import Sequence

from ... import _C
from ...tensor_impl import Tensor


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Add elements before and after the last dimensions of `input`; negative amounts crop them.

    Args:
        input: any sizes; for other modes than "constant", one or two dimensions more than are padded.
        pad: how many before and behind, in pairs from the last dimension on.
        mode: "constant", "reflect", "replicate" or "circular".
        value: of the new elements in mode "constant"; None for 0.
    Raises:
        RuntimeError: a length of `pad` that does not fit; a reflection longer than what it reflects.
        NotImplementedError: no such mode, or not for this number of dimensions.
    """
    return _C._nn.pad(input, pad, mode, value)
