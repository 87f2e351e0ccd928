"""Probe of set_grad_enabled: a program of calls, blocks and decorated functions, and the grad mode after each step."""

from autograder.examine.error_data import type_name


def trace(engine, program):
    """Run a program; return, for each step, by its number and words, its result and the grad mode after it.

    Steps: ("make", name, mode), ("enter", name), ("leave", name, error) with the errors False (none), True and
    "interrupt", ("others", mode): somebody else sets the mode, ("decorate", name, function, kind) with the kinds
    "plain", "raises", "generator", "class", "nested", ("call", function, number), ("next", function).
    Raises:
        NotImplementedError: a method is not written yet.
    """
    state = engine.autograd.state.state
    before = state.grad_mode
    state.grad_mode = True
    try:
        return Program(engine, state).run(program)
    finally:
        state.grad_mode = before


class Interrupt(BaseException):
    """An error that does not derive from Exception, like KeyboardInterrupt."""


class Program:
    """The contexts and functions of one program."""

    def __init__(self, engine, state):
        self.engine, self.state = engine, state
        self.contexts, self.functions, self.running = {}, {}, {}

    def run(self, program):
        found = {}
        for number, step in enumerate(program, 1):
            name = " ".join(str(word) for word in step)
            found[f"{number}: {name}"] = (self.step(*step), shown(self.state.grad_mode))
        return found

    def step(self, kind, *arguments):
        try:
            return getattr(self, kind)(*arguments)
        except (NotImplementedError, NameError):
            raise
        except Exception as error:
            return ("raised", type_name(error))

    def make(self, name, mode):
        self.contexts[name] = self.engine.set_grad_enabled(mode)

    def enter(self, name):
        self.contexts[name].__enter__()

    def leave(self, name, with_error):
        error = Interrupt() if with_error == "interrupt" else ValueError("in the block") if with_error else None
        answer = self.contexts[name].__exit__(type(error) if error else None, error, None)
        return bool(with_error and answer)  # without an error it says nothing

    def others(self, mode):
        self.state.grad_mode = mode

    def decorate(self, name, function, kind):
        given = getattr(self, kind) if kind != "class" else self.class_of_its_own()
        self.functions[function] = self.contexts[name](given)
        if kind == "nested":
            self.inner = self.functions[function]
        return "the class itself" if self.functions[function] is given else None

    def call(self, function, number):
        result = self.functions[function](number)
        return result if isinstance(result, tuple) else getattr(result, "seen", type(result).__name__)

    def next(self, function):
        if function not in self.running:
            self.running[function] = self.functions[function](3)
        return next(self.running[function], "at its end")

    # ---- functions that are decorated

    def plain(self, number):
        return (number, shown(self.state.grad_mode))

    def raises(self, number):
        raise ValueError(f"{number} in mode {self.state.grad_mode}")

    def nested(self, number):
        return (number, shown(self.state.grad_mode), *(self.inner(number - 1) if number else ()))

    def class_of_its_own(self):
        state = self.state

        class Made:
            def __init__(self, number):
                self.seen = (number, shown(state.grad_mode))

        return Made

    def generator(self, number):
        for each in range(number):
            yield (each, shown(self.state.grad_mode))


def shown(mode):
    """Return the mode if it is a bool, otherwise its type's name and its text."""
    return mode if type(mode) is bool else (type(mode).__name__, str(mode))
