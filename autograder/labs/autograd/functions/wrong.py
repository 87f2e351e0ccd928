"""Wrong answers to autograd.function.record."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

RECORD = "autograd.function.record"
RECORDED = """def record(function, inputs):
    is_executable = state.grad_mode and any(isinstance(each, Tensor) and each.requires_grad for each in inputs)
    ctx = function._backward_cls(inputs, is_executable)
    with no_grad():
        result = run_forward(function, ctx, inputs)
    outputs = result if isinstance(result, tuple) else (result,)
    wrapped = wrap_outputs(ctx, function, inputs, outputs, is_executable)
    if is_executable:
        ctx.saved = tuple(SavedVariable(each, any(each is one for one in wrapped)) for each in tensors_to_save(ctx))
    return tuple(wrapped) if isinstance(result, tuple) else wrapped[0]
"""

WRONG_ANSWERS = (
    WrongAnswer(RECORD, "the node has edges, recorded or not", ("ordinary", "saved", "modes"), (
        "ctx = function._backward_cls(inputs, is_executable)", "ctx = function._backward_cls(inputs, True)")),
    WrongAnswer(RECORD, "forward is recorded", ("ordinary", "saved", "modes"), RECORDED.replace(
        "    with no_grad():\n        result", "    result")),
    WrongAnswer(RECORD, "no_grad outside is not looked at", ("ordinary", "saved", "modes"), (
        """
is_executable = state.grad_mode and any(
    isinstance(value, Tensor) and variable.requires_grad(value) for value in inputs
)
""",
        "is_executable = any(isinstance(each, Tensor) and each.requires_grad for each in inputs)",
        """
ctx.saved = tuple(
    SavedVariable(tensor, any(tensor is one for one in wrapped)) for tensor in tensors_to_save(ctx)
)
""",
        "ctx.saved = tuple(SavedVariable(each, any(each is one for one in wrapped)) for each in tensors_to_save(ctx))",
    )),
    WrongAnswer(RECORD, "every argument must be a tensor", ("ordinary", "saved", "modes"), (
        """
is_executable = state.grad_mode and any(
    isinstance(value, Tensor) and variable.requires_grad(value) for value in inputs
)
""",
        "is_executable = state.grad_mode and any(each.requires_grad for each in inputs)",
        """
ctx.saved = tuple(
    SavedVariable(tensor, any(tensor is one for one in wrapped)) for tensor in tensors_to_save(ctx)
)
""",
        "ctx.saved = tuple(SavedVariable(each, any(each is one for one in wrapped)) for each in tensors_to_save(ctx))",
    )),
    WrongAnswer(RECORD, "saved results keep their node alive", ("saved",), (
        """
is_executable = state.grad_mode and any(
    isinstance(value, Tensor) and variable.requires_grad(value) for value in inputs
)
""",
        "is_executable = state.grad_mode and any(isinstance(each, Tensor) and each.requires_grad for each in inputs)",
        """
ctx.saved = tuple(
    SavedVariable(tensor, any(tensor is one for one in wrapped)) for tensor in tensors_to_save(ctx)
)
""",
        "ctx.saved = tuple(SavedVariable(each, False) for each in tensors_to_save(ctx))",
    )),
    WrongAnswer(RECORD, "tensors are kept without their version", ("ordinary", "saved", "modes"), (
        """
is_executable = state.grad_mode and any(
    isinstance(value, Tensor) and variable.requires_grad(value) for value in inputs
)
""",
        "is_executable = state.grad_mode and any(isinstance(each, Tensor) and each.requires_grad for each in inputs)",
        """
ctx.saved = tuple(
    SavedVariable(tensor, any(tensor is one for one in wrapped)) for tensor in tensors_to_save(ctx)
)
""",
        "ctx.saved = tensors_to_save(ctx)",
    )),
    WrongAnswer(RECORD, "a tuple comes back as a list", ("ordinary", "saved", "modes"), RECORDED.replace(
        "tuple(wrapped) if", "wrapped if")),
    WrongAnswer(RECORD, "the result has no history", ("ordinary", "saved", "modes"), RECORDED.replace(
        "    return tuple(wrapped) if isinstance(result, tuple) else wrapped[0]", "    return result")),
    WrongAnswer(RECORD, "saves where nothing is recorded", ("saved",), RECORDED.replace(
        "    if is_executable:\n        ctx", "    if True:\n        ctx")),
    WrongAnswer(RECORD, "is_output by the results of forward, not by the wrapped ones", ("saved",), (
        "SavedVariable(tensor, any(tensor is one for one in wrapped)) for tensor in tensors_to_save(ctx)",
        "SavedVariable(tensor, any(tensor is one for one in outputs)) for tensor in tensors_to_save(ctx)")),
    WrongAnswer(RECORD, "`in`, which compares the elements of tensors", ("ordinary", "saved", "modes"), (
        "SavedVariable(tensor, any(tensor is one for one in wrapped)) for tensor in tensors_to_save(ctx)",
        "SavedVariable(tensor, tensor in wrapped) for tensor in tensors_to_save(ctx)")),
    WrongAnswer(RECORD, "a list is several results", ("ordinary", "saved", "modes"), (
        "outputs = result if isinstance(result, tuple) else (result,)",
        "outputs = result if isinstance(result, (tuple, list)) else (result,)",
        "return tuple(wrapped) if isinstance(result, tuple) else wrapped[0]",
        "return tuple(wrapped) if isinstance(result, (tuple, list)) else wrapped[0]")),
    WrongAnswer(RECORD, "the mode comes back only after an Exception", ("modes",), (
        """
with no_grad():
    result = run_forward(function, ctx, inputs)
""",
        """
before, state.grad_mode = state.grad_mode, False
try:
    result = run_forward(function, ctx, inputs)
except Exception:
    state.grad_mode = before
    raise
state.grad_mode = before
""")),
    WrongAnswer(RECORD, "the edge instead of requires_grad", ("ordinary", "saved", "modes"), (
        "isinstance(value, Tensor) and variable.requires_grad(value) for value in inputs",
        "isinstance(value, Tensor) and variable.gradient_edge(value) is not None for value in inputs")),
    WrongAnswer(RECORD, "a single value of a tuple", ("ordinary", "saved", "modes"), (
        "return tuple(wrapped) if isinstance(result, tuple) else wrapped[0]",
        "return tuple(wrapped) if len(wrapped) > 1 else wrapped[0]")),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        RECORD, "return tuple(wrapped) if isinstance(result, tuple) else wrapped[0]",
        "return tuple(wrapped) if isinstance(result, tuple) else wrapped[-1]", "of a single value there is one",
    ),
)  # fmt: skip
