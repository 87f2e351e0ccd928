"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "autograd.grad_mode.set_grad_enabled": (
        """
class set_grad_enabled(ContextDecorator):
    def __init__(self, mode):
        self.mode = True if mode else False
        self.before = state.grad_mode
        self.__enter__()

    def __enter__(self):
        state.grad_mode = self.mode

    def __exit__(self, *error):
        state.grad_mode = self.before
        return False

    def __call__(self, function):
        decorated = ContextDecorator.__call__(self, function)
        self.__exit__()
        return decorated
""",
        """
class set_grad_enabled(ContextDecorator):
    def __init__(self, mode):
        self.mode = mode
        self._previous, state.grad_mode = state.grad_mode, not not mode

    def __enter__(self):
        state.grad_mode = not not self.mode

    def __exit__(self, kind=None, error=None, traceback=None):
        state.grad_mode = self._previous

    def __call__(self, function):
        self.__exit__()
        return super().__call__(function)
""",
    ),
}
