"""Wrong answers to autograd.python_variable.register_hook."""

from autograder.proof.model import WrongAnswer

REGISTER_HOOK = "autograd.python_variable.register_hook"

WRONG_ANSWERS = (
    WrongAnswer(REGISTER_HOOK, "every hook goes to the accumulator", ("ordinary", "lasting"), """
def register_hook(self, hook):
    if not variable.requires_grad(self):
        raise RuntimeError("no gradient")
    hooks = variable.leaf_made(self).hooks
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
        hooks = variable.leaf_made(self).hooks
        node = variable.grad_accumulator(self)
        node.hooks_made().tensor_pre_hooks[0] = hooks
    hooks = node.hooks_made().tensor_pre_hooks.setdefault(0, {})
    return add_hook(hooks, hook)
"""),
    WrongAnswer(REGISTER_HOOK, "a second hook takes the place of the first", ("ordinary", "lasting"), (
        "hooks = variable.leaf_made(self).hooks",
        """
hooks = variable.leaf_made(self).hooks
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
)  # fmt: skip
