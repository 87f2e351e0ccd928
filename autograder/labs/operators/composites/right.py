"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "aten.native.layer_norm.rms_norm_composite": (
        """
def rms_norm_composite(input, ndim, weight, eps):
    n = len(input._sizes)
    eps = epsilon(input._dtype) if eps is None else eps
    mean = at.mean_dim(at.mul_Tensor(input, input), tuple([n - 1 - d for d in range(ndim)]), True)
    y = at.mul_Tensor(at.rsqrt(at.add_Scalar(mean, eps)), input)
    if weight is None:
        return y
    return at.mul_Tensor(weight, y)
""",
        """
def rms_norm_composite(input, ndim, weight, eps):
    if eps is None:
        eps = epsilon(input.dtype)
    dims = tuple(range(-ndim, 0))
    result = input / ((input * input).mean(dims, True) + eps).sqrt()
    return result if weight is None else result * weight
""",
        """
def rms_norm_composite(input, ndim, weight, eps):
    dims = tuple(range(input.dim() - ndim, input.dim()))
    root = at.rsqrt(at.add_Scalar(at.mean_dim(at.pow_Tensor_Scalar(input, 2), dims, True, dtype=None),
                                  epsilon(input._dtype) if eps is None else eps, 1))
    factor = root if weight is None else at.mul_Tensor(root, weight)
    return at.mul_Tensor(input, factor)
""",
        """
def rms_norm_composite(input, ndim, weight, eps):
    dims = tuple(range(input.dim() - ndim, input.dim()))
    squares = at.mean_dim(at.mul_Tensor(input, input), dims, True)
    squares = at.add__Scalar(squares, epsilon(input._dtype) if eps is None else eps)
    result = at.div_Tensor(input, at.sqrt(squares))
    if weight is not None:
        at.mul__Tensor(result, weight)
    return result
""",
    ),
}
