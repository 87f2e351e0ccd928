"""Wrong answers about grad modes, hooks, Functions and finite differences."""

from autograder.mutants.model import WrongAnswer

MODE, HOOK = "autograd.grad_mode.set_grad_enabled", "autograd.python_variable.register_hook"
RECORD, DERIVATIVES = "autograd.function.record", "autograd.jacobians.directional_derivatives"

ENABLED = """class set_grad_enabled(ContextDecorator):
    def __init__(self, mode):
        self.before, self.mode = state.grad_mode, mode
        state.grad_mode = bool(mode)

    def __enter__(self):
        state.grad_mode = bool(self.mode)

    def __exit__(self, *error):
        state.grad_mode = self.before

    def __call__(self, function):
        state.grad_mode = self.before
        return ContextDecorator.__call__(self, function)
"""
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
DIFFERENCES = """def directional_derivatives(func, arguments, moved, step, eps, where=""):
    here = moved.clone()
    moved.copy_(here - step)
    before = [result.clone() for result in as_tuple(func(*arguments))]
    moved.copy_(here + step)
    after = [result.clone() for result in as_tuple(func(*arguments))]
    moved.copy_(here)
    check_same_kind(before, after, eps, where)
    return [((b - a) / (2 * eps)).detach().reshape(-1) for a, b in zip(before, after)]
"""

WRONG_ANSWERS = (
    WrongAnswer(MODE, "sets the mode only in a block", ("blocks", "functions"), ENABLED.replace(
        "        state.grad_mode = bool(mode)\n", "").replace("        state.grad_mode = self.before\n        return",
        "        return")),
    WrongAnswer(MODE, "the end of a block switches on, whatever was before", ("blocks", "functions"), ENABLED.replace(
        "    def __exit__(self, *error):\n        state.grad_mode = self.before",
        "    def __exit__(self, *error):\n        state.grad_mode = True")),
    WrongAnswer(MODE, "an exception leaves the mode of the block", ("blocks", "functions"), ENABLED.replace(
        "*error):\n        state", "*error):\n        if error[0] is None:\n            state")),
    WrongAnswer(MODE, "a decorator leaves the mode set", ("functions",), ENABLED.replace(
        "        state.grad_mode = self.before\n        return", "        return")),
    WrongAnswer(MODE, "swallows exceptions", ("blocks", "functions"), ENABLED.replace(
        "*error):\n        state.grad_mode = self.before", "*error):\n        state.grad_mode = self.before\n"
        "        return True")),
    WrongAnswer(MODE, "remembers at the beginning of the block", ("blocks", "functions"), ENABLED.replace(
        "__enter__(self):\n", "__enter__(self):\n        self.before = state.grad_mode\n")),
    WrongAnswer(MODE, "the mode is not made a bool", ("blocks", "functions"), ENABLED.replace(
        "bool(mode)", "mode").replace("bool(self.mode)", "self.mode")),
    WrongAnswer(HOOK, "every hook goes to the accumulator", ("ordinary", "lasting"), """
def register_hook(self, hook):
    if not variable.requires_grad(self):
        raise RuntimeError("no gradient")
    hooks = variable.leaf_made(self).hooks
    variable.grad_accumulator(self).hooks_made().tensor_pre_hooks[0] = hooks
    return add_hook(hooks, hook)
"""),
    WrongAnswer(HOOK, "the hooks of a leaf stand at its accumulator alone", ("lasting",), """
def register_hook(self, hook):
    if not variable.requires_grad(self):
        raise RuntimeError("no gradient")
    node, number = variable.gradient_edge(self)
    return add_hook(node.hooks_made().tensor_pre_hooks.setdefault(number, {}), hook)
"""),
    WrongAnswer(HOOK, "output 0, whichever it is", ("ordinary", "lasting"), """
def register_hook(self, hook):
    if not variable.requires_grad(self):
        raise RuntimeError("no gradient")
    node = variable.grad_fn(self)
    if node is None:
        hooks = variable.leaf_made(self).hooks
        node = variable.grad_accumulator(self)
        node.hooks_made().tensor_pre_hooks[0] = hooks
    hooks = node.hooks_made().tensor_pre_hooks.setdefault(0, {})
    return add_hook(hooks, hook)
"""),
    WrongAnswer(HOOK, "a second hook takes the place of the first", ("ordinary", "lasting"), """
def register_hook(self, hook):
    if not variable.requires_grad(self):
        raise RuntimeError("no gradient")
    node = variable.grad_fn(self)
    if node is None:
        hooks = variable.leaf_made(self).hooks
        hooks.clear()
        variable.grad_accumulator(self).hooks_made().tensor_pre_hooks[0] = hooks
    else:
        hooks = node.hooks_made().tensor_pre_hooks[self._autograd_meta.output_nr] = {}
    return add_hook(hooks, hook)
"""),
    WrongAnswer(HOOK, "refuses nothing", ("lasting",), """
def register_hook(self, hook):
    node = variable.grad_fn(self)
    if node is None:
        hooks = variable.leaf_made(self).hooks
        variable.grad_accumulator(self).hooks_made().tensor_pre_hooks[0] = hooks
    else:
        hooks = node.hooks_made().tensor_pre_hooks.setdefault(self._autograd_meta.output_nr, {})
    return add_hook(hooks, hook)
"""),
    WrongAnswer(RECORD, "forward is recorded", ("ordinary", "saved", "modes"), RECORDED.replace(
        "    with no_grad():\n        result", "    result")),
    WrongAnswer(RECORD, "no_grad outside is not looked at", ("ordinary", "saved", "modes"), RECORDED.replace(
        "state.grad_mode and any", "any")),
    WrongAnswer(RECORD, "every argument must be a tensor", ("ordinary", "saved", "modes"), RECORDED.replace(
        "isinstance(each, Tensor) and each", "each")),
    WrongAnswer(RECORD, "saved results keep their node alive", ("saved",), RECORDED.replace(
        "any(each is one for one in wrapped)", "False")),
    WrongAnswer(RECORD, "tensors are kept without their version", ("ordinary", "saved", "modes"), RECORDED.replace(
        "tuple(SavedVariable(each, any(each is one for one in wrapped)) for each in tensors_to_save(ctx))",
        "tensors_to_save(ctx)")),
    WrongAnswer(RECORD, "a tuple comes back as a list", ("ordinary", "saved", "modes"), RECORDED.replace(
        "tuple(wrapped) if", "wrapped if")),
    WrongAnswer(RECORD, "the result has no history", ("ordinary", "saved", "modes"), RECORDED.replace(
        "    return tuple(wrapped) if isinstance(result, tuple) else wrapped[0]", "    return result")),
    WrongAnswer(RECORD, "saves where nothing is recorded", ("saved",), RECORDED.replace(
        "    if is_executable:\n        ctx", "    if True:\n        ctx")),
    WrongAnswer(DERIVATIVES, "one-sided differences", ("ordinary", "edge"), DIFFERENCES.replace("here - step", "here")),
    WrongAnswer(DERIVATIVES, "forgets the factor 2", ("ordinary", "edge"), DIFFERENCES.replace("(2 * eps)", "eps")),
    WrongAnswer(DERIVATIVES, "the argument stays moved", ("ordinary", "edge"), DIFFERENCES.replace(
        "    moved.copy_(here)\n", "")),
    WrongAnswer(DERIVATIVES, "a view of the argument moves along", ("edge",), DIFFERENCES.replace(
        "[result.clone() for result in as_tuple(func(*arguments))]", "list(as_tuple(func(*arguments)))")),
    WrongAnswer(DERIVATIVES, "remembers a view in place of a copy", ("ordinary", "edge"), DIFFERENCES.replace(
        "moved.clone()", "moved.detach()")),
    WrongAnswer(DERIVATIVES, "the wrong way round", ("ordinary", "edge"), DIFFERENCES.replace("(b - a)", "(a - b)")),
    WrongAnswer(DERIVATIVES, "keeps the shape of the result", ("edge",), DIFFERENCES.replace(".reshape(-1)", "")),
    WrongAnswer(DERIVATIVES, "results of two kinds are subtracted", ("edge",), DIFFERENCES.replace(
        "    check_same_kind(before, after, eps, where)\n", "")),
    WrongAnswer(DERIVATIVES, "keeps history", ("ordinary", "edge"), DIFFERENCES.replace(".detach()", "")),
)  # fmt: skip
