"""Wrong answers to aten.native.layer_norm.rms_norm_composite."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer, replaced

NORM = "aten.native.layer_norm.rms_norm_composite"


RMS = """
def rms_norm_composite(input, ndim, weight, eps):
    dims = tuple(range(len(input._sizes) - ndim, len(input._sizes)))
    if eps is None:
        eps = epsilon(input._dtype)
    squares = at.mul_Tensor(input, input)
    root = at.sqrt(at.add_Scalar(at.mean_dim(squares, dims, True), eps))
    result = at.div_Tensor(input, root)
    if weight is not None:
        result = at.mul_Tensor(result, weight)
    return result
"""

WRONG_ANSWERS = (
    WrongAnswer(NORM, "a weight of ones is left out", ("gradients",), (
        "if factor is not None:",
        "if factor is not None and not (factor is weight and all(one == 1 for one in weight.reshape(-1).tolist())):",
    )),
    WrongAnswer(NORM, "the mean of all elements", ("values", "gradients"), replaced(
        RMS, ("range(len(input._sizes) - ndim, len(input._sizes))", "range(len(input._sizes))"))),
    WrongAnswer(NORM, "over the last dimension only", ("values", "gradients"), replaced(
        RMS, ("tuple(range(len(input._sizes) - ndim, len(input._sizes)))", "(len(input._sizes) - 1,)"))),
    WrongAnswer(NORM, "the first dimensions instead of the last", ("values", "gradients"), replaced(
        RMS, ("range(len(input._sizes) - ndim, len(input._sizes))", "range(ndim)"))),
    WrongAnswer(NORM, "eps 0 is taken for no eps", ("values", "gradients"), replaced(
        RMS, ("if eps is None", "if not eps"))),
    WrongAnswer(NORM, "eps is added outside of the root", ("values", "gradients"), replaced(
        RMS, ("at.sqrt(at.add_Scalar(at.mean_dim(squares, dims, True), eps))",
              "at.add_Scalar(at.sqrt(at.mean_dim(squares, dims, True)), eps)"))),
    WrongAnswer(NORM, "the epsilon of float64 for all", ("values", "gradients"), replaced(
        RMS, ("epsilon(input._dtype)", "2.220446049250313e-16"))),
    WrongAnswer(NORM, "the root of the mean is a constant to autograd", ("gradients",), replaced(
        RMS, ("squares = at.mul_Tensor(input, input)",
              "squares = at.mul_Tensor(input.detach(), input.detach())"))),
    WrongAnswer(NORM, "the weight is left out", ("values", "gradients"), replaced(
        RMS, ("    if weight is not None:\n        result = at.mul_Tensor(result, weight)\n", ""))),
    WrongAnswer(NORM, "the result has no history", ("gradients",), replaced(
        RMS, ("    return result\n", "    return result.detach()\n"))),
    WrongAnswer(NORM, "the input is scaled in place", ("values", "gradients"), replaced(
        RMS, ("result = at.div_Tensor(input, root)", "result = at.div__Tensor(input, root)"))),
    WrongAnswer(NORM, "the input itself where there are no elements", ("values", "gradients"), replaced(
        RMS, ("    if eps is None", "    if 0 in input._sizes:\n        return input\n    if eps is None"))),
    WrongAnswer(NORM, "a view of the input where there are no elements", ("values", "gradients"), replaced(
        RMS, ("    if eps is None", "    if 0 in input._sizes:\n        return at.view(input, input._sizes)\n"
              "    if eps is None"))),
    WrongAnswer(NORM, "the input is scaled in place and divided again", ("values", "gradients"), replaced(
        RMS, ("    return result\n", "    at.mul__Scalar(input.detach(), 2.0)\n"
              "    at.div__Scalar(input.detach(), 2.0)\n    return result\n"))),
    WrongAnswer(NORM, "the weight is detached", ("gradients",), replaced(
        RMS, ("at.mul_Tensor(result, weight)", "at.mul_Tensor(result, weight.detach())"))),
    WrongAnswer(NORM, "the weight is scaled in place", ("values", "gradients"), replaced(
        RMS, ("result = at.mul_Tensor(result, weight)", "result = at.mul__Tensor(weight.detach(), result)"))),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        "aten.native.layer_norm.rms_norm_composite",
        "result = at.mul_Tensor(result, factor)",
        "result = at.mul_Tensor(factor, result)",
        "a product is the same the other way round",
    ),
)  # fmt: skip
