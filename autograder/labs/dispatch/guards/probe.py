"""Probes of the guards: a program of nested blocks, and the thread's state at each place that it looks at."""

import threading

PLANNED = {
    kind.__name__: kind
    for kind in (
        Exception,
        KeyboardInterrupt,
        SystemExit,
        GeneratorExit,
        KeyError,
        OSError,
        RuntimeError,
        StopIteration,
    )
}


def states(engine, guards, program, *, guard=None):
    """Run a program of nested guards and return the thread-local states that it sees.

    Args:
        guards: [(keys to include, keys to exclude)], by name, or the name of a class that is derived from the guard.
        guard: a class, instead of the engine's.
        program: steps: ("look",), ("look in a thread",), ("raise", kind of error), ("with", number of a guard, steps),
            ("try", steps), which catches what they raise, and ("set", keys to include, keys to exclude), which makes
            the thread's state another one.
    Returns:
        {place: what is seen}: at each look the keys by name that are included and excluded beside the default ones, and
        the default ones that are gone, as "-BackendSelect"; at the end of each "try" whether something was raised; and
        a look at the end.
    Raises:
        NotImplementedError: a method is not written yet.
    """
    return _seen(engine, guards, program, _look, guard)


def kept_states(engine, guards, program):
    """Run `states`, but report only whether each state is the object that `state_of` returns for its two sets."""
    return _seen(engine, guards, program, _is_kept, None)


def _seen(engine, guards, program, look, kind):
    local, seen = engine.dispatch.local, {}
    before = local.local.state
    local.local.state = state = local.state_of(before.included, before.excluded)
    numbers = {name: getattr(state, name) for name in state.__slots__}
    try:
        _run(engine, [_guard(engine, guard, kind) for guard in guards], program, seen, look, (), [])
        seen["look at the end"] = look(engine)
        return seen
    finally:
        local.local.state = before
        if any(getattr(state, name) != number for name, number in numbers.items()):  # whoever writes into a state
            for name, number in numbers.items():
                setattr(state, name, number)
            local.state_of.cache_clear()
            local._only_state.cache_clear()


def _guard(engine, guard, kind):
    local = engine.dispatch.local
    if type(guard) is str:
        made = getattr(local, guard)()
        return kind(made.included, made.excluded) if kind else made
    return (kind or local.DispatchKeyGuard)(*(_bits(engine, names) for names in guard))


def _run(engine, guards, program, seen, look, inside, planned):
    """Take the steps; `planned` collects the errors that they raise."""

    def place(word):
        where = f"inside {', '.join(map(str, inside))}" if inside else "outside"
        return f"{len(seen) + 1}. {word}, {where}"

    for kind, *arguments in program:
        if kind == "look":
            seen[place("look")] = look(engine)
        elif kind == "look in a thread":
            found = []
            thread = threading.Thread(target=lambda found=found: found.append(look(engine)))
            thread.start()
            thread.join()
            seen[place("look in a thread")] = found[0] if found else "nothing: the thread has stopped"
        elif kind == "raise":
            planned.append(PLANNED[arguments[0]]("planned"))
            raise planned[-1]
        elif kind == "set":
            local = engine.dispatch.local
            masks = [_bits(engine, names) for names in arguments]
            local.local.state = local.ThreadState(local.DEFAULT_INCLUDED | masks[0], local.DEFAULT_EXCLUDED | masks[1])
        elif kind == "with":
            with guards[arguments[0]]:
                _run(engine, guards, arguments[1], seen, look, (*inside, arguments[0]), planned)
        else:
            caught = "nothing was raised"
            try:
                _run(engine, guards, arguments[0], seen, look, inside, planned)
            except BaseException as error:
                name = type(error).__name__
                if not planned or name not in PLANNED:
                    raise
                caught = f"{name} was raised" if error is planned[-1] else f"another {name} was raised"
            seen[place("end of try")] = caught


def _look(engine):
    local = engine.dispatch.local
    state = local.local.state
    if type(state) is not local.ThreadState:
        return "no state: " + type(state).__name__
    pairs = (state.included, local.DEFAULT_INCLUDED), (state.excluded, local.DEFAULT_EXCLUDED)
    included, excluded = (_changes(engine, *pair) for pair in pairs)
    return {"included": included, "excluded": excluded}


def _is_kept(engine):
    local = engine.dispatch.local
    state = local.local.state
    is_kept = type(state) is local.ThreadState and state is local.state_of(state.included, state.excluded)
    return "the state that state_of gives" if is_kept else "another object"


def _changes(engine, bits, default):
    if type(bits) is not int:
        return type(bits).__name__
    now, before = ([key.name for key in engine.dispatch.keys.keys_of(key_set)] for key_set in (bits, default))
    return [name for name in now if name not in before] + [f"-{name}" for name in before if name not in now]


def _bits(engine, names):
    return engine.dispatch.keys.DispatchKeySet([engine.dispatch.keys.DispatchKey[name] for name in names]).raw_repr()
