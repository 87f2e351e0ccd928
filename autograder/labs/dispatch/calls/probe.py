"""Probes of the dispatcher that a student writes: which kernels its calls run, with what, and what comes back."""

from collections.abc import Callable
from typing import Any

from autograder.examine.error_data import leave, type_name
from autograder.labs.dispatch.keys.probe import names_of_bits, set_of
from autograder.labs.dispatch.program.probe import run

MOST = 20  # steps of one call
PLANNED = "planned by the kernel"


class Planned(KeyboardInterrupt):
    """A KeyboardInterrupt that a kernel raises on purpose."""


OTHERS = (NotImplementedError, RuntimeError, ValueError, TypeError, KeyError, IndexError, AttributeError)
ERRORS = {"": ZeroDivisionError, "KeyboardInterrupt": Planned}
ERRORS |= {kind.__name__: kind for kind in OTHERS}
VALUES: dict[str, Any] = {"None": None, "False": False, "()": (), "(1,)": (1,), "[2]": [2]}
OTHER_KEYS = "`redispatch` has run another key set than the one that it was given"


def visits(engine, start, kernels, arguments, include=(), exclude=(), later=()):
    """Make a call through a method of `Dispatcher`, and return which kernels run, with which arguments and result.

    Args:
        start: "call", or the names of the keys with which `redispatch` begins; with "callBoxed" before them, `run`
            begins under this label.
        kernels: [(key, kind)] of one operator. "stops" returns; "looks" is given the key set, and returns; "goes on" is
            given the key set and redispatches to the keys below its own, "goes on boxed" is given the operator as well;
            "raises" raises a ZeroDivisionError, "raises X" an X; "gives X" returns the value X; "falls through" falls
            through.
        arguments: "cpu" and "meta" are tensors there; a list of these; anything else is itself.
        include, exclude: names of keys that the thread includes and excludes besides its defaults.
        later: kernels that are registered after the first call; then it is called once more.
    Returns:
        one dict for each call: under "ran", for each kernel its label, its key and what it was given; what was
        returned or raised; the arguments afterwards.
    """
    dispatcher, K = engine.dispatch.dispatcher, engine.dispatch.keys.DispatchKey
    entry, local = dispatcher.OperatorEntry("probe::op"), engine.dispatch.local
    entry.schema = engine.dispatch.schema.parse_schema("probe::op() -> ()")
    values = [_value(engine, argument) for argument in arguments]
    log, before, results, redispatch = [], local.local.state, [], _Redispatch(engine.dispatch.dispatcher.DISPATCHER)
    try:
        for given in (kernels, later) if later else (kernels,):
            for key, kind in given:
                entry.register_kernel(K[key], _kernel(engine, entry, K[key], kind, log, values, redispatch))
            masks = [set_of(engine, names) for names in (include, exclude)]
            local.local.state = local.state_of(before.included | masks[0], before.excluded | masks[1])
            results.append(_run(engine, entry, start, values, log, redispatch))
            local.local.state = before
        return results
    finally:
        local.local.state = before
        if redispatch.has_strayed:
            leave(OTHER_KEYS)


class _Redispatch:
    """The student's `redispatch`; it notes if the key set that reaches `run` is another than the given one."""

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher, self.has_strayed = dispatcher, False

    def __call__(self, entry: Any, given: int, arguments: list) -> Any:
        run: Callable = self.dispatcher.run

        def noted(entry: Any, key_set: Any, arguments: Any, label: Any) -> Any:
            vars(self.dispatcher).pop("run", None)  # a kernel may redispatch in its turn
            self.has_strayed |= key_set is not given and key_set != given
            return run(entry, key_set, arguments, label)

        self.dispatcher.run = noted
        try:
            return self.dispatcher.redispatch(entry, given, arguments)
        finally:
            vars(self.dispatcher).pop("run", None)


def _run(engine, entry, start, values, log, redispatch):
    """Run one call and return what it did."""
    written, stack = engine.dispatch.dispatcher.DISPATCHER, list(values)
    log.clear()
    with engine.dispatch.trace() as steps:
        try:
            if start == "call":
                end = ("returned", written.call(entry, stack))
            elif start[:1] == ["callBoxed"]:
                end = ("returned", written.run(entry, set_of(engine, start[1:]), stack, "callBoxed"))
            else:
                end = ("returned", redispatch(entry, set_of(engine, start), stack))
        except NameError:
            raise
        except (Exception, Planned) as error:
            name = "KeyboardInterrupt" if type(error) is Planned else type_name(error)
            end = ("raised", name + " of the kernel" * hasattr(error, "is_of_kernel"))
    is_same = len(stack) == len(values) and all(one is other for one, other in zip(stack, values, strict=True))
    return {
        "ran": [
            (step.label, step.key.name, *seen) for step, seen in zip(steps, [*log, *[()] * len(steps)], strict=False)
        ],
        "end": end,
        "arguments": "as before" if is_same else "changed",
    }


def program_on_it(engine):
    """Run a program on the whole engine with all calls going through the `Dispatcher`; return its results."""
    with engine.dispatch.dispatcher.live():
        return run(engine)


def _value(engine, argument):
    if type(argument) is list:
        return [_value(engine, entry) for entry in argument]
    return engine.empty(1, device=argument) if argument in ("cpu", "meta") else argument


def _kernel(engine, entry, key, kind, log, values, redispatch):
    keys, Kernel = engine.dispatch.keys, engine.dispatch.registry.Kernel
    if kind == "falls through":
        return Kernel(engine.library.fallthrough_kernel)

    def note(arguments, *more):
        is_right = len(arguments) == len(values) and all(
            one is other for one, other in zip(arguments, values, strict=True)
        )
        log.append((*more, "the arguments" if is_right else "other arguments"))
        if len(log) > MOST:
            raise RecursionError("the call goes round in circles")

    def stops(*arguments):
        note(arguments)
        return f"by {key.name}"

    def looks(key_set, *arguments):
        note(arguments, "with " + " ".join(names_of_bits(engine, key_set)))
        return f"by {key.name}"

    def raises(*arguments):
        note(arguments)
        own = ERRORS[kind.partition(" ")[2]](PLANNED)
        own.is_of_kernel = True
        raise own

    def gives(*arguments):
        note(arguments)
        return VALUES[kind.removeprefix("gives ")]

    def goes_on(key_set, *arguments):
        note(arguments, "with " + " ".join(names_of_bits(engine, key_set)))
        return redispatch(entry, key_set & keys.below(key), list(arguments))

    def goes_on_boxed(operator, key_set, *arguments):
        assert operator is entry
        return goes_on(key_set, *arguments)

    functions = {
        "stops": stops,
        "raises": raises,
        "gives": gives,
        "looks": looks,
        "goes on": goes_on,
        "goes on boxed": goes_on_boxed,
    }
    function = functions.get(kind) or functions[kind.partition(" ")[0]]
    return Kernel(
        function,
        wants_key_set=kind.startswith(("goes on", "looks")),
        wants_operator=kind == "goes on boxed",
        debug=kind,
    )
