"""Probe of the table of compiled kernels: what it asks numba for, with a stand-in for numba; or a kernel that runs."""


def table(engine, observed, name, kinds, asked, fastmath):
    """What happens when a `Compiled` for `kinds` is asked for some dtypes, one after the other.

    Args:
        observed: "calls", or "compiled": then numba compiles, and the kernels are called.
        kinds, asked: names of dtypes.
        fastmath: as of `Compiled`.
    Returns:
        for each dtype what came back and which calls were made for it, in order of the alphabet; then what is kept.
    """
    if observed == "compiled":
        return _compiled(engine, name, kinds, asked)
    log: list = []
    loops = engine.cpu.loops

    def function(kind):
        log.append(f"function of {kind}")
        return f"loop of {kind}"

    def signature(kind):
        log.append(f"signature of {kind}")
        return f"types of {kind}"

    made = loops.Compiled(name, [getattr(engine, kind) for kind in kinds], function, signature, fastmath)
    real, loops.njit = loops.njit, lambda *args, **options: _decorator(log, args, options)
    try:
        answers = []
        for kind in asked:
            log.clear()
            answers.append((*_asked(made, getattr(engine, kind)), sorted(log)))
    finally:
        loops.njit = real
    kept = sorted((str(kind), str(entry)) for kind, entry in made.items())
    return answers, kept, sorted((str(kind), _name(found)) for kind, found in made.dispatchers.items())


def _decorator(log, args, options):
    said = ", ".join(f"{name}={sorted(value) if type(value) is set else value}" for name, value in options.items())
    log.append(f"njit({', '.join((*map(str, args), said))})")
    return lambda loop: _Dispatcher(log, loop)


class _Dispatcher:
    def __init__(self, log, loop):
        self.log, self.loop = log, loop

    def compile(self, types):
        self.log.append(f"compile({types}) of {self.loop}")
        return f"{self.loop} for {types}"


def _name(found):
    return f"dispatcher of {found.loop}" if isinstance(found, _Dispatcher) else type(found).__name__


def _asked(made, kind):
    try:
        return str(made[kind]), ""
    except NotImplementedError as error:
        return "NotImplementedError", str(error)


def _compiled(engine, name, kinds, asked):
    import numpy as np
    from numba import from_dtype

    def doubled(cells):
        for i in range(cells.size):
            cells[i] += cells[i]

    made = engine.cpu.loops.Compiled(
        name,
        [getattr(engine, kind) for kind in kinds],
        lambda kind: doubled,
        lambda kind: (from_dtype(kind.numpy)[::1],),
    )
    made.options["cache"] = False
    results = []
    for kind in asked:
        cells = np.arange(3).astype(getattr(engine, kind).numpy)
        made[getattr(engine, kind)](cells)
        results.append((kind, cells.tolist()))
    return results
