"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "autograd.function.record": """
def record(function, inputs):
    tensors = [value for value in inputs if isinstance(value, Tensor)]
    is_executable = state.grad_mode and True in [variable.requires_grad(tensor) for tensor in tensors]
    ctx = function._backward_cls(inputs, is_executable)
    before, state.grad_mode = state.grad_mode, False
    try:
        result = run_forward(function, ctx, inputs)
    finally:
        state.grad_mode = before
    is_single = not isinstance(result, tuple)
    wrapped = wrap_outputs(ctx, function, inputs, (result,) if is_single else result, is_executable)
    if is_executable:
        made = {id(each) for each in wrapped}
        ctx.saved = tuple([SavedVariable(tensor, id(tensor) in made) for tensor in tensors_to_save(ctx)])
    return wrapped[0] if is_single else (*wrapped,)
""",
}
