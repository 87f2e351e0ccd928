"""Wrong answers to autograd.grad_mode.set_grad_enabled."""

from autograder.made_up.wrong_answer import WrongAnswer

MODE = "autograd.grad_mode.set_grad_enabled"
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
    WrongAnswer(MODE, "the modes from before are on a stack that all objects share", ("blocks", "functions"), """
stack = []


class set_grad_enabled(ContextDecorator):
    def __init__(self, mode):
        self.mode = mode
        stack.append(state.grad_mode)
        state.grad_mode = bool(mode)

    def __enter__(self):
        state.grad_mode = bool(self.mode)

    def __exit__(self, *error):
        state.grad_mode = stack.pop()

    def __call__(self, function):
        state.grad_mode = stack.pop()
        return ContextDecorator.__call__(self, function)
"""),
    WrongAnswer(MODE, "the mode comes back only after an Exception", ("blocks", "functions"), ENABLED.replace(
        "*error):\n        state", "*error):\n        if error[0] is None or issubclass(error[0], Exception):\n"
        "            state")),
    WrongAnswer(MODE, "a wrapper of its own, which knows no generators", ("functions",), ENABLED.replace(
        "return ContextDecorator.__call__(self, function)", """

        def inside(*args, **kwargs):
            with set_grad_enabled(self.mode):
                return function(*args, **kwargs)

        return inside""")),
    WrongAnswer(MODE, "a block does not set the mode again", ("blocks", "functions"), ENABLED.replace(
        "        state.grad_mode = bool(self.mode)\n\n    def __exit__", "        pass\n\n    def __exit__")),
    WrongAnswer(MODE, "a decorated function has no clone: runs inside runs share one object", ("functions",),
                ENABLED.replace("return ContextDecorator.__call__(self, function)", """

        def inside(*args, **kwargs):
            self.before = state.grad_mode
            with self:
                return function(*args, **kwargs)

        return inside""")),
)  # fmt: skip
