"""Probes of how a kernel is chosen: the processor's capability; the table of compiled kernels.

The table is asked with a stand-in for numba, which notes how it was called; or a kernel is compiled and runs.
"""

from autograder.examine.error_data import type_name


def capability(engine, features, asked):
    """Return what `compute_cpu_capability` returns, in a tuple with `features` if the call has changed them."""
    given = dict(features)
    answer = engine.cpu.capability.compute_cpu_capability(given, asked)
    return answer if given == features else (answer, given)


ERRORS = {"float64": KeyError, "bool": KeyboardInterrupt}  # of the compiler, by dtype; for others it is a TypeError


def table(engine, observed, name, kinds, asked, fastmath, failing=()):
    """Call a `Compiled` for `kinds` with several dtypes, one after the other, and return what happens.

    Args:
        observed: "calls", or "compiled": then numba compiles, and the kernels are called.
        kinds, asked: names of dtypes.
        fastmath: as of `Compiled`.
        failing: names of dtypes for which the compiler raises an error of `ERRORS`, the first time.
    Returns:
        "returned" and "calls" for each question, the calls in order of the alphabet; then what is "kept" in the table,
        and in its "dispatchers".
    """
    if observed == "compiled":
        return _compiled(engine, name, kinds, asked)
    log: list = []
    left = list(failing)
    loops = engine.cpu.loops

    def function(kind):
        log.append(f"function of {kind}")
        return f"loop of {kind}"

    def signature(kind):
        log.append(f"signature of {kind}")
        return (f"types of {kind}",)

    made = loops.Compiled(name, [getattr(engine, kind) for kind in kinds], function, signature, fastmath)
    real = {name: found for name, found in vars(loops).items() if found is loops.njit}  # a cell may import it, too
    for name in real:
        setattr(loops, name, lambda function=None, **options: _compiler(log, left, function, options))
    try:
        answers, calls = [], []
        for kind in asked:
            log.clear()
            answers.append(_asked(made, getattr(engine, kind)))
            calls.append(sorted(log))
    finally:
        vars(loops).update(real)
    kept = sorted((str(kind), str(entry)) for kind, entry in made.items())
    dispatchers = sorted((str(kind), _name(found)) for kind, found in made.dispatchers.items())
    return {"returned": answers, "calls": calls, "kept": kept, "dispatchers": dispatchers}


def _compiler(log, left, function, options):
    said = (f"{name}={sorted(value) if type(value) is set else value}" for name, value in sorted(options.items()))
    log.append(f"njit({', '.join(said)})")
    if not str(function or "loop of").startswith("loop of"):
        raise TypeError("njit takes a function or options alone, and no signature: `compile` takes that")
    return (lambda loop: _Dispatcher(log, left, loop)) if function is None else _Dispatcher(log, left, function)


class _Dispatcher:
    def __init__(self, log, left, loop):
        self.log, self.left, self.loop = log, left, loop

    def compile(self, sig):
        self.log.append(f"compile({sig}) of {self.loop}")
        kind = self.loop.rpartition("torch.")[2]
        if kind in self.left:
            self.left.remove(kind)
            raise ERRORS.get(kind, TypeError)(f"numba cannot compile {self.loop}")
        return f"{self.loop} for {sig}"

    def disable_compile(self, val=True):
        """Do nothing: nothing else is compiled here in any case."""


def _name(found):
    if isinstance(found, _Dispatcher):
        return f"dispatcher of {found.loop}"
    return found if type(found) is str else type(found).__name__


def _asked(made, kind):
    try:
        return _name(made[kind])
    except NotImplementedError as error:
        if not str(error) or str(error).isidentifier():  # a stub's
            raise
        type_name(error)
        return f"NotImplementedError: {error}"
    except (Exception, KeyboardInterrupt) as error:
        said = str(error.args[0]) if error.args else ""
        if not said.startswith("numba cannot compile"):
            raise
        return f"raised {type(error).__name__}: {said}"


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
