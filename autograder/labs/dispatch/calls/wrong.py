"""Wrong answers to dispatch.dispatcher.Dispatcher."""

from autograder.made_up.wrong_answer import WrongAnswer

DISPATCHER = "dispatch.dispatcher.Dispatcher"
ALL = ("call", "redispatch", "fallthrough", "kernels", "refusals")
CALL = 'return self.run(entry, key_set_of_stack(arguments), arguments, "call")'
REDISPATCH = 'return self.run(entry, key_set, arguments, "redispatch")'
KEPT = "kept = dispatch_key_set(key_set, table)"
REFUSED = "if kernel is None or kernel.is_fallthrough:"
RUN = "return runnable(entry, key, kept, kernel, label)(*arguments)"

WRONG_ANSWERS: tuple[WrongAnswer, ...] = (
    WrongAnswer(DISPATCHER, "the first argument decides", ("call",), (
        CALL, 'return self.run(entry, key_set_of_stack(arguments[:1]), arguments, "call")')),
    WrongAnswer(DISPATCHER, "redispatch collects the keys again", ("call", "redispatch"), (
        REDISPATCH, "return self.call(entry, arguments)")),
    WrongAnswer(DISPATCHER, "redispatch leaves out what the thread excludes", ("call", "redispatch"), (
        REDISPATCH,
        'return self.run(entry, key_set & local.state.allowed, arguments, "redispatch")')),
    WrongAnswer(DISPATCHER, "redispatch adds what the thread includes", ("call", "redispatch"), (
        REDISPATCH,
        'return self.run(entry, key_set | local.state.included, arguments, "redispatch")')),
    WrongAnswer(DISPATCHER, "everything is a call", ("redispatch",), (
        REDISPATCH,
        'return self.run(entry, key_set, arguments, "call")')),
    WrongAnswer(DISPATCHER, "nothing falls through", ALL, (
        KEPT, "kept = key_set")),
    WrongAnswer(DISPATCHER, "the kernel is given the whole set", ("fallthrough", "redispatch"), (
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
    WrongAnswer(DISPATCHER, "takes the arguments off the list", ("call", "kernels", "refusals"), (
        RUN, """
function = runnable(entry, key, kept, kernel, label)
return function(*[arguments.pop(0) for _ in range(len(arguments))])
""")),
    *(
        WrongAnswer(DISPATCHER, f"a {kind} of the kernel becomes another error", ("kernels", "refusals"), (
            RUN, f"""
try:
    {RUN}
except {kind} as error:
    raise {other} from error
"""))
        for kind, other in (
            ("ValueError", "RuntimeError(key.name)"), ("NotImplementedError", "refusal(entry, key, origin)"),
        )
    ),
    WrongAnswer(DISPATCHER, "holds back a KeyboardInterrupt", ("kernels", "refusals"), (
        RUN, f"try:\n    {RUN}\nexcept KeyboardInterrupt:\n    return None")),
    WrongAnswer(DISPATCHER, "goes on with the next key where it should refuse", ("refusals",), (
        "raise refusal(entry, key, origin)", """
rest = kept & ~(1 << kept.bit_length() - 1)
if rest >> 16:
    return self.run(entry, rest, arguments, label)
raise refusal(entry, key, origin)
""")),
    WrongAnswer(DISPATCHER, "returns the error instead of raising it", ("refusals",), (
        "raise refusal(entry, key, origin)", "return refusal(entry, key, origin)")),
    WrongAnswer(DISPATCHER, "empties the list of the arguments", ("kernels", "refusals"), (
        RUN, """
given = tuple(arguments)
if isinstance(arguments, list):
    arguments.clear()
return runnable(entry, key, kept, kernel, label)(*given)
""")),
    WrongAnswer(DISPATCHER, "runs the kernel again if it returns nothing", ("kernels", "refusals"), (
        RUN, """
run = runnable(entry, key, kept, kernel, label)
result = run(*arguments)
return run(*arguments) if result is None else result
""")),
    WrongAnswer(DISPATCHER, "a tuple of one is unpacked", ("kernels", "refusals"), (
        RUN, """
result = runnable(entry, key, kept, kernel, label)(*arguments)
return result[0] if isinstance(result, tuple) and len(result) == 1 else result
""")),
)  # fmt: skip
