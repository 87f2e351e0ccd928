"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "aten.native.layer_norm.rms_norm_composite": """
def rms_norm_composite(input, ndim, weight, eps):
    n = len(input._sizes)
    eps = epsilon(input._dtype) if eps is None else eps
    mean = at.mean_dim(at.mul_Tensor(input, input), tuple([n - 1 - d for d in range(ndim)]), True)
    y = at.mul_Tensor(at.rsqrt(at.add_Scalar(mean, eps)), input)
    if weight is None:
        return y
    return at.mul_Tensor(weight, y)
""",
}
