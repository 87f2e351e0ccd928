"""A worker of a cluster: `python -m autograder.department.worker tls://host:8786`, then dask's own options.

It judges what it is sent in a process with a budget, behind the same walls as a run on one machine, and refuses work
where nothing shuts students' code in, or where its own code is not the sender's.
"""

import functools
import json
import sys
import threading

from autograder import sandbox
from autograder.grading import code_digest, pool
from autograder.grading.pool import Job, Single
from autograder.grading.submission_record import Settings
from autograder.sandbox.canary import how_to_install

REFUSES = "refuses"
OF_THREAD = threading.local()


def main(arguments: list[str] | None = None) -> None:
    """Start a dask worker, but only if this machine can isolate students' code."""
    found = sandbox.canary()
    if found.tier == "none":
        sys.exit(f"Not a worker: {found.reason}.\n\n{how_to_install()}")
    import dask
    from distributed.cli import dask_worker

    dask.config.set({"distributed.worker.daemon": False})  # a daemon may start no processes, and the pool is one
    dask_worker.main(arguments, prog_name="python -m autograder.department.worker")


def judged(text: str) -> str:
    """Judge the work in a JSON text, and return the verdicts as JSON text.

    Args:
        text: {"work": as `Work.to_json` gives it, "seed", "code": digests of all that decides a verdict}.
    Returns:
        {"verdicts"}, {"too_much": what is more than the budget}, {"failures"} or {"refuses": why, "worker": address}.
    """
    given = json.loads(text)
    if reason := refusal(given["work"]["lab"], given["code"]):
        return json.dumps({REFUSES: reason, "worker": _address()})
    outcome = _single().run(Job(given["work"]["lab"], "", None, ("verdict",), given))
    return json.dumps({"failures": outcome.failures} | outcome.made)


@functools.cache
def _isolation() -> sandbox.Isolation:
    return sandbox.canary()


def refusal(lab: str, code: list[str]) -> str:
    """Return the reason to refuse work from a sender whose code has these digests, or "" to accept it."""
    if _isolation().tier == "none":
        return f"nothing shuts students' code in there ({_isolation().reason})"
    if code != [code_digest.for_all(), code_digest.of_lab(lab)]:
        return "its checks, its engine, or its Python, NumPy or numba are other than here: install the same wheel there"
    return ""


def _single() -> Single:
    """Return this thread's process."""
    if not hasattr(OF_THREAD, "single"):
        pool.warm_up()
        OF_THREAD.single = Single(Settings())
    return OF_THREAD.single


def _address() -> str:
    from distributed import get_worker

    return get_worker().address


if __name__ == "__main__":
    main()
