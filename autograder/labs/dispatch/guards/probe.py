"""Probe of the guards: a program of nested blocks, and the thread's state at each place that it looks at."""

import threading


class Planned(Exception):
    """An exception that a program raises inside a block."""


def states(engine, guards, program):
    """The states that a program sees.

    Args:
        guards: [(keys to include, keys to exclude)], by name.
        program: steps: ("look",), ("look in a thread",), ("raise",), ("with", number of a guard, steps), and
            ("try", steps), which catches what they raise.
    Returns:
        list, for each look (included, excluded): the keys by name that are there beside the default ones, and the
        default ones that are gone, as "-BackendSelect"; for each "try" "raised" or "not raised"; the last one is
        what a look at the end sees.
    Raises:
        NotImplementedError: a method is not written yet.
    """
    local, seen = engine.dispatch.local, []
    before = local.local.state
    try:
        made = [
            local.DispatchKeyGuard(_bits(engine, included), _bits(engine, excluded)) for included, excluded in guards
        ]
        _run(engine, made, program, seen)
        seen.append(_look(engine))
        return seen
    finally:
        local.local.state = before


def _run(engine, guards, program, seen):
    for kind, *arguments in program:
        if kind == "look":
            seen.append(_look(engine))
        elif kind == "look in a thread":
            thread = threading.Thread(target=lambda: seen.append(_look(engine)))
            thread.start()
            thread.join()
        elif kind == "raise":
            raise Planned
        elif kind == "with":
            with guards[arguments[0]]:
                _run(engine, guards, arguments[1], seen)
        else:
            try:
                _run(engine, guards, arguments[0], seen)
                seen.append("not raised")
            except Planned:
                seen.append("raised")


def _look(engine):
    local = engine.dispatch.local
    state = local.local.state
    pairs = (state.included, local.DEFAULT_INCLUDED), (state.excluded, local.DEFAULT_EXCLUDED)
    return tuple(_changes(engine, *pair) for pair in pairs)


def _changes(engine, bits, default):
    if type(bits) is not int:
        return type(bits).__name__
    now, before = ([key.name for key in engine.dispatch.keys.keys_of(key_set)] for key_set in (bits, default))
    return [name for name in now if name not in before] + [f"-{name}" for name in before if name not in now]


def _bits(engine, names):
    return engine.dispatch.keys.DispatchKeySet([engine.dispatch.keys.DispatchKey[name] for name in names]).raw_repr()
