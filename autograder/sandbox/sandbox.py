"""The trusted side: starts the sandbox, hands it one exercise after the other, believes nothing it says.

    with Sandbox("01-strides") as sandbox:
        with sandbox.run("strides.permute", source) as run:
            run.answer("", ((2, 3), (3, 1), (1, 0)))       # an Observation, or raises Stopped

Answers are only ever compared, outside. Whatever a worker does (crash, flood, forge, hang) ends its own
exercise with a verdict; whatever goes wrong before a student's code runs is our fault, a `BrokenSandbox`.
"""

import functools
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from autograder.examine import cell_rules, deaths, lab_file
from autograder.examine.questions import Observation, Stopped
from autograder.examine.student_error import as_caught, as_place
from autograder.examine.verdict import CRASHED, OUT_OF_MEMORY, REFUSED, TIMED_OUT
from autograder.sandbox import image, kernels, other_exercises
from autograder.sandbox.canary import NoIsolation, canary
from autograder.sandbox.guest_process import BrokenSandbox, Guest
from autograder.sandbox.isolation import REPOSITORY, Limits
from autograder.sandbox.worker_channel import FORGED, Channel

__all__ = ["BrokenSandbox", "Limits", "Run", "Sandbox"]

LONGEST_MESSAGE = 500  # characters of an error's text
Question = tuple[str, tuple]  # a probe's name and its arguments
Request = dict[str, Any]


class Sandbox:
    """The sandbox of one submission; it is not thread-safe.

    Args:
        lab: "01-strides".
        limits: what the submission may use; some labs need more, and have it.
        accept_no_isolation: run without isolation where the canary finds none.
        exercises: the lab's exercises, with the methods that a student writes of a class; by default as
            the lab's text says.
        isolation: the tier, "bwrap" or "landlock"; by default the strongest that holds here.
    Raises:
        NoIsolation: there is no isolation here, and that was not accepted.
        BrokenSandbox: it does not start.
    """

    def __init__(
        self,
        lab: str,
        limits: Limits | None = None,
        accept_no_isolation: bool = False,
        exercises: Mapping[str, tuple[str, ...]] | None = None,
        isolation: str = "",
    ):
        self.isolation = canary(isolation)
        if self.isolation.tier == "none" and not accept_no_isolation:
            raise NoIsolation(self.isolation)
        self.limits = (limits or Limits()).for_lab(lab)
        self.exercises = dict(_exercises(lab) if exercises is None else exercises)
        self._image: Path = image.build(lab, self.exercises)
        self._kernels: Path | None = None
        self._guest: Guest | None = None
        self._run: Run | None = None
        self._spent = 0.0
        self._seconds = 0.0  # of the exercises so far

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def tier(self) -> str:
        """The isolation tier, one of `isolation.TIERS`."""
        return self.isolation.tier

    @property
    def cpu_seconds(self) -> float:
        """The CPU seconds spent inside so far, measured from outside; final once the sandbox is closed."""
        return self._spent + (self._guest.cpu_seconds() if self._guest else 0.0)

    @property
    def seconds_left(self) -> float:
        """The total seconds left for the submission's remaining exercises."""
        if self.cpu_seconds > self.limits.submission_cpu_seconds:
            return 0.0
        return max(0.0, self.limits.submission_seconds - self._seconds)

    def spend(self, seconds: float) -> None:
        """Subtract an exercise's seconds from the submission's time."""
        self._seconds += seconds

    def run(self, exercise: str, source: str, is_fenced: bool = False) -> "Run":
        """Start a new worker in which the exercise is `source`, and all other exercises are the reference's.

        Args:
            is_fenced: whether the source runs without the builtins and names that an exercise may not use
                (`restricted_builtins.py`); the sandbox's own walls don't depend on it.
        """
        if self._run is not None:
            self._run.close()
        try:
            self._run = Run(self, exercise, source, is_fenced)
        except BrokenSandbox:
            # The last exercise may have wounded it without our noticing: once more, in a new one.
            self.discard()
            self._run = Run(self, exercise, source, is_fenced)
        return self._run

    def close(self) -> None:
        """Kill all processes inside."""
        if self._run is not None:
            self._run.close()
        self.discard()

    def guest(self) -> Guest:
        """Return the running guest; start one if there is none."""
        if self._guest is not None and not self._guest.is_alive():
            self.discard()
        if self._guest is None:
            self._kernels = kernels.kernels_of(self._image, self.tier)
            seen = self._kernels and kernels.shared(self._kernels, self.exercises)
            self._guest = Guest(self._image, self.limits, self.tier, seen)
        return self._guest

    def requests_before(self, exercise: str) -> Iterator[dict[str, Any]]:
        """Return the requests that prepare a worker for the exercise."""
        stub = _stub(exercise, self.exercises[exercise])
        return other_exercises.requests(self._image, self._kernels, self.exercises, exercise, stub)

    def discard(self) -> None:
        """End the guest process, so that the next exercise starts in a new one."""
        if self._guest is not None:
            self._spent += self._guest.close()
            self._guest = None


class Run:
    """One exercise in one worker: `answer` asks it a question, and `close` ends everything it has started."""

    def __init__(self, sandbox: Sandbox, exercise: str, source: str, is_fenced: bool):
        self._sandbox = sandbox
        self._limits = sandbox.limits
        self._granted = self._left = min(sandbox.limits.exercise_seconds, sandbox.seconds_left)
        self._stopped: Stopped | None = None
        self._sent: deque[Request] = deque()  # those without a reply
        self._guest = sandbox.guest()
        self._channel = Channel(*self._guest.fork_worker(), sandbox.limits, self._ended)
        self._begin(exercise, source, is_fenced)

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def answer(self, probe: str, args: tuple, following: Iterable[Question] = ()) -> Observation:
        """Return the probe's observation of a call to the student's code.

        Args:
            following: what is certainly asked next, in this order; some of it may be sent together with this question,
                so that the worker need not wait between answers.
        Raises:
            Stopped: no answer came, or none that counts; the same again for every further question.
        """
        later = (_request(*question) for question in following)
        reply = self._ask(_request(probe, args), self._limits.answer_seconds, later)
        raised, message = reply.get("raised"), reply.get("message", "")
        place = as_place(reply.get("place"))
        if "value" in reply and type(message) is str:
            earlier = as_caught(reply.get("earlier"), LONGEST_MESSAGE)
            return Observation(reply["value"], "", message[:LONGEST_MESSAGE], place, earlier)
        if type(raised) is not str or type(message) is not str or not raised:
            raise self._stop(CRASHED, FORGED)
        if raised == "MemoryError":
            raise self._stop(OUT_OF_MEMORY, "needed more memory than there is")
        return Observation(None, raised, message[:LONGEST_MESSAGE], place)

    @property
    def refused(self) -> str:
        """The reason that the cell was refused as part of the engine, or ""."""
        return self._stopped.message if self._stopped and self._stopped.kind == REFUSED else ""

    def close(self) -> None:
        """Kill all processes of this exercise, and empty its writable folder."""
        if not self._channel.is_open:
            return
        self._channel.close()
        self._sandbox.spend(self._granted - self._left)
        if not self._guest.end_exercise():
            self._sandbox.discard()

    def _begin(self, exercise: str, source: str, is_fenced: bool) -> None:
        for request in self._sandbox.requests_before(exercise):
            self._prepare(request)
        fence = cell_rules.fence_of(exercise, source) if is_fenced else None
        graft = {
            "operation": "cell",
            "source": source,
            "imports": sorted(cell_rules.importable(exercise)),
            "fence": fence,
        }
        try:
            reply = self._ask(graft, self._limits.answer_seconds)
            if "refused" in reply:
                raise self._stop(REFUSED, str(reply["refused"]))
            if reply.get("error") != "":
                raise self._stop(CRASHED, f"the cell does not run: {reply.get('error')}")
        except Stopped:
            return  # said again at the first question

    def _prepare(self, request: dict[str, Any]) -> None:
        """Send a request that has to succeed, because no student's code has run yet."""
        try:
            reply = self._channel.exchange(request, self._limits.start_seconds)
        except Stopped as stop:
            raise BrokenSandbox(f"a worker without a student's code: {stop.message}") from stop
        if reply.get("error") != "":
            raise BrokenSandbox(f"the exercise can't be blanked: {reply.get('error')}")

    def _ask(self, request: Request, seconds: float, following: Iterable[Request] = ()) -> dict[str, Any]:
        """Return the reply to a request; send it, with some of the following, unless an earlier one's was."""
        if self._stopped is not None:
            raise self._stopped
        if self._left <= 0:
            raise self._stop(TIMED_OUT, self._too_long())
        begun, limit = time.monotonic(), min(seconds, self._left)
        try:
            if not self._sent:
                self._sent.extend(self._channel.send(chain([request], following), limit))
            if self._sent.popleft().get("args") is not request.get("args"):
                raise RuntimeError("a question that was announced was not asked: its answer would count for another")
            return self._channel.reply(limit)
        except Stopped as stop:
            self._stopped = stop
            raise
        finally:
            self._left -= time.monotonic() - begun

    def _too_long(self) -> str:
        if self._granted == self._limits.exercise_seconds:
            return f"all cases together took longer than {self._limits.exercise_seconds:g} s"
        return (
            f"the exercises of the notebook together took longer than {self._limits.submission_seconds:g} s, or "
            f"{self._limits.submission_cpu_seconds:g} s of computing: find the one that is slow"
        )

    def _stop(self, kind: str, message: str) -> Stopped:
        self._stopped = Stopped(kind, message)
        return self._stopped

    def _ended(self) -> Stopped:
        if self._guest.out_of_memory:
            return Stopped(OUT_OF_MEMORY, f"needed more than {self._limits.memory / (1 << 30):g} GiB of memory")
        return deaths.of_signal(self._guest.signal_of_worker())


def _request(probe: str, args: tuple) -> Request:
    return {"operation": "ask", "probe": probe, "args": args}


@functools.cache
def _stub(exercise: str, methods: tuple[str, ...]) -> str:
    from autograder import overlay

    return image.stub(overlay.source_of(exercise), methods)


def _exercises(lab: str) -> dict[str, tuple[str, ...]]:
    return {exercise.name: exercise.methods for exercise in lab_file.load(REPOSITORY / "course" / lab).exercises}
