"""Wrong answers to autograd.python_variable.register_hook."""

from autograder.made_up.wrong_answer import WrongAnswer

REGISTER_HOOK = "autograd.python_variable.register_hook"

WRONG_ANSWERS = (
    WrongAnswer(REGISTER_HOOK, "no hook is taken in no_grad", ("ordinary", "lasting"), (
        "if not variable.requires_grad(self):", "if not (variable.requires_grad(self) and state.grad_mode):",
    )),
    WrongAnswer(REGISTER_HOOK, "every hook goes to the accumulator", ("ordinary", "lasting"), """
def register_hook(self, hook):
    if not variable.requires_grad(self):
        raise RuntimeError("no gradient")
    hooks = variable.get_or_create_leaf_meta(self).hooks
    variable.grad_accumulator(self).hooks_made().tensor_pre_hooks[0] = hooks
    return add_hook(hooks, hook)
"""),
    WrongAnswer(REGISTER_HOOK, "the hooks of a leaf are at its accumulator alone", ("lasting",), """
def register_hook(self, hook):
    if not variable.requires_grad(self):
        raise RuntimeError("no gradient")
    node, number = variable.gradient_edge(self)
    return add_hook(node.hooks_made().tensor_pre_hooks.setdefault(number, {}), hook)
"""),
    WrongAnswer(REGISTER_HOOK, "output 0, whichever it is", ("ordinary", "lasting"), """
def register_hook(self, hook):
    if not variable.requires_grad(self):
        raise RuntimeError("no gradient")
    node = variable.grad_fn(self)
    if node is None:
        hooks = variable.get_or_create_leaf_meta(self).hooks
        node = variable.grad_accumulator(self)
        node.hooks_made().tensor_pre_hooks[0] = hooks
    hooks = node.hooks_made().tensor_pre_hooks.setdefault(0, {})
    return add_hook(hooks, hook)
"""),
    WrongAnswer(REGISTER_HOOK, "a second hook takes the place of the first", ("ordinary", "lasting"), (
        "hooks = variable.get_or_create_leaf_meta(self).hooks",
        """
hooks = variable.get_or_create_leaf_meta(self).hooks
hooks.clear()
""",
        "hooks = node.hooks_made().tensor_pre_hooks.setdefault(self._autograd_meta.output_nr, {})",
        "hooks = node.hooks_made().tensor_pre_hooks[self._autograd_meta.output_nr] = {}",
    )),
    WrongAnswer(REGISTER_HOOK, "refuses nothing", ("lasting",), (
        """
if not variable.requires_grad(self):
    raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
node = variable.grad_fn(self)
""",
        "node = variable.grad_fn(self)",
    )),
    WrongAnswer(REGISTER_HOOK, "is_leaf of the meta, which is old for a view", ("lasting",), (
        "if node is None:", "if variable.is_leaf(self):",
        "node = variable.grad_fn(self)", "node = self._autograd_meta.grad_fn")),
    WrongAnswer(REGISTER_HOOK, "the edge instead of requires_grad", ("lasting",), (
        "if not variable.requires_grad(self):", "if variable.gradient_edge(self) is None:")),
    WrongAnswer(REGISTER_HOOK, "the flag of the meta instead of requires_grad", ("lasting",), (
        "if not variable.requires_grad(self):",
        "if not (variable.grad_fn(self) or self._autograd_meta and self._autograd_meta.requires_grad):")),
    WrongAnswer(REGISTER_HOOK, "the accumulator has a copy of the leaf's dict", ("ordinary", "lasting"), (
        "variable.grad_accumulator(self).hooks_made().tensor_pre_hooks[0] = hooks",
        "variable.grad_accumulator(self).hooks_made().tensor_pre_hooks[0] = dict(hooks)")),
    WrongAnswer(REGISTER_HOOK, "the accumulator is not told", ("ordinary", "lasting"), (
        "variable.grad_accumulator(self).hooks_made().tensor_pre_hooks[0] = hooks", "pass")),
    WrongAnswer(REGISTER_HOOK, "the hook is entered before it is refused", ("lasting",), """
def register_hook(self, hook):
    node = variable.grad_fn(self)
    if node is None:
        hooks = variable.get_or_create_leaf_meta(self).hooks
        variable.grad_accumulator(self).hooks_made().tensor_pre_hooks[0] = hooks
    else:
        hooks = node.hooks_made().tensor_pre_hooks.setdefault(self._autograd_meta.output_nr, {})
    handle = add_hook(hooks, hook)
    if not variable.requires_grad(self):
        raise RuntimeError("no gradient")
    return handle
"""),
    WrongAnswer(REGISTER_HOOK, "nothing comes back", ("ordinary", "lasting"), (
        "return add_hook(hooks, hook)", "add_hook(hooks, hook)")),
)  # fmt: skip
