"""norm, which PyTorch writes in Python, as function and as method. Mirrors torch/functional.py, torch/_tensor.py."""

from collections.abc import Sequence
from typing import Any

from .. import _C
from ..dtypes import dtype as Dtype
from ..tensor_impl import Tensor


def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: Dtype | None = None,
) -> Tensor:
    """Compute the p-norm along `dim`: sum(|x| ** p) ** (1 / p); None and "fro" mean p = 2.

    Raises:
        RuntimeError: `input` is not floating-point; `p` is a norm of matrices, of which there are none here.
    """
    dims = [dim] if isinstance(dim, int) else dim
    if isinstance(p, str):
        if p != "fro" or (dims is not None and len(dims) > 2):
            _refuse_matrix_norm(p, list(range(input.dim())) if dims is None else dims)
        p = 2
    given = {} if out is None else {"out": out}
    return _C._linalg.linalg_vector_norm(input, 2.0 if p is None else p, dims, keepdim, dtype=dtype, **given)


def _refuse_matrix_norm(p: str, dims: Sequence[int]) -> None:
    if p not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    if len(dims) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    raise RuntimeError("norm: the nuclear norm needs singular values, which the engine does not compute")


def norm_method(
    self: Tensor,
    p: float | str | None = "fro",
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    dtype: Dtype | None = None,
) -> Tensor:
    """Compute the p-norm along `dim`; see the function `norm`."""
    return norm(self, p, dim, keepdim, dtype=dtype)


norm_method.__name__ = "norm"

FUNCTIONS: dict[str, Any] = {"norm": norm}
METHODS: dict[str, Any] = {"norm": norm_method}
