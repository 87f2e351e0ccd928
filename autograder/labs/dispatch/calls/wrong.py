"""Wrong answers to dispatch.written.Dispatcher."""

from autograder.proof.model import WrongAnswer

DISPATCHER = "dispatch.written.Dispatcher"
ALL = ("call", "redispatch", "fallthrough", "refusals")
CALL = 'return self.run(entry, key_set_of_stack(arguments), arguments, "call")'
REDISPATCH = 'return self.run(entry, key_set, arguments, "redispatch")'
KEPT = "kept = dispatch_key_set(key_set, table)"
REFUSED = "if kernel is None or kernel.is_fallthrough:"
RUN = "return runnable(entry, key, kept, kernel, label)(*arguments)"

WRONG_ANSWERS: tuple[WrongAnswer, ...] = (
    WrongAnswer(DISPATCHER, "the first argument decides", ("call", "refusals"), (
        CALL, 'return self.run(entry, key_set_of_stack(arguments[:1]), arguments, "call")')),
    WrongAnswer(DISPATCHER, "redispatch collects the keys again", ALL, (
        REDISPATCH, "return self.call(entry, arguments)")),
    WrongAnswer(DISPATCHER, "redispatch leaves out what the thread excludes", ALL, (
        REDISPATCH,
        'return self.run(entry, key_set & local.state.allowed, arguments, "redispatch")')),
    WrongAnswer(DISPATCHER, "redispatch adds what the thread includes", ALL, (
        REDISPATCH,
        'return self.run(entry, key_set | local.state.included, arguments, "redispatch")')),
    WrongAnswer(DISPATCHER, "everything is a call", ("redispatch", "fallthrough", "refusals"), (
        REDISPATCH,
        'return self.run(entry, key_set, arguments, "call")')),
    WrongAnswer(DISPATCHER, "nothing falls through", ALL, (
        KEPT, "kept = key_set")),
    WrongAnswer(DISPATCHER, "the kernel is given the whole set", ("redispatch", "fallthrough", "refusals"), (
        RUN, "return runnable(entry, key, key_set, kernel, label)(*arguments)")),
    WrongAnswer(DISPATCHER, "runs the function of the kernel as it is", ALL, (
        RUN, "return kernel.function(*arguments)")),
    WrongAnswer(DISPATCHER, "runs the kernel and returns nothing", ALL, (
        RUN, "runnable(entry, key, kept, kernel, label)(*arguments)")),
    WrongAnswer(DISPATCHER, "hands the arguments over as one", ALL, (
        RUN, "return runnable(entry, key, kept, kernel, label)(arguments)")),
    WrongAnswer(DISPATCHER, "a missing kernel is called", ("refusals",), (
        REFUSED, "if kernel is not None and kernel.is_fallthrough:")),
    WrongAnswer(DISPATCHER, "a last fallthrough is called", ("refusals",), (
        REFUSED, "if kernel is None:")),
    WrongAnswer(DISPATCHER, "refuses with a KeyError", ("refusals",), (
        "raise refusal(entry, key, origin)", "raise KeyError(key.name)")),
    WrongAnswer(DISPATCHER, "the origin is always missing", ("refusals",), (
        "raise refusal(entry, key, origin)", 'raise refusal(entry, key, "missing")')),
    WrongAnswer(DISPATCHER, "takes the arguments off the list", ALL, (
        RUN, """
function = runnable(entry, key, kept, kernel, label)
return function(*[arguments.pop(0) for _ in range(len(arguments))])
""")),
)  # fmt: skip
