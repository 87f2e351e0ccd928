"""Wrong answers to profiler.actions.schedule."""

from autograder.labs.profiler.steps.right import OTHER_SCHEDULE
from autograder.made_up.wrong_answer import Equivalent, WrongAnswer, changed

SCHEDULE = "profiler.actions.schedule"
WARNS = 'warnings.warn("Profiler won\'t be using warmup, this can skew profiler results", stacklevel={})'

WRONG_ANSWERS = (
    WrongAnswer(SCHEDULE, "a place in a cycle by division", ("counted",),
        ("place = step % length", "place = step - int(step / length) * length"),
    ),
    WrongAnswer(SCHEDULE, "the number of cycles by division", ("counted",),
        ("if repeat and step >= repeat * length:", "if repeat and step / length >= repeat:"),
    ),
    WrongAnswer(SCHEDULE, "warns at each step, too", ("refusals",), (
        """
if step < 0:
    raise AssertionError(f"Step must be non-negative. Got {step}.")
""",
        """
if step < 0:
    raise AssertionError(f"Step must be non-negative. Got {step}.")
if not warmup:
    warnings.warn("no warm-up")
""",
    )),
    WrongAnswer(SCHEDULE, "refuses a negative skip_first_wait", ("counted", "refusals"),
        ("if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:",
         "if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0 or skip_first_wait < 0:"),
    ),
    WrongAnswer(SCHEDULE, "a negative step is skipped", ("refusals",), (
        """
if step < 0:
    raise AssertionError(f"Step must be non-negative. Got {step}.")
if step < skip_first:
    return ProfilerAction.NONE
""",
        """
if step < skip_first:
    return ProfilerAction.NONE
if step < 0:
    raise AssertionError(f"Step must be non-negative. Got {step}.")
""",
    )),
    WrongAnswer(SCHEDULE, "never warns", ("refusals",), """
def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    assert min(wait, warmup, active - 1, repeat, skip_first) >= 0
    none, warm, record = ProfilerAction.NONE, ProfilerAction.WARMUP, ProfilerAction.RECORD
    cycle = [none] * wait + [warm] * warmup + [record] * (active - 1) + [ProfilerAction.RECORD_AND_SAVE]

    def action(step):
        assert step >= 0
        number, place = divmod(step - skip_first + (wait if skip_first_wait else 0), len(cycle))
        return none if step < skip_first or 0 < repeat <= number else cycle[place]

    return action
"""),
    WrongAnswer(SCHEDULE, "a cycle that records one step is never saved", ("ordinary", "counted", "refusals"), changed(
        OTHER_SCHEDULE,
        "return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE",
        "return ProfilerAction.RECORD if place <= wait + warmup else ProfilerAction.RECORD_AND_SAVE",
    )),
    WrongAnswer(SCHEDULE, "repeat counts the skipped steps", ("counted",), changed(
        OTHER_SCHEDULE,
        """
if step < skip_first:
    return ProfilerAction.NONE
step += (wait if skip_first_wait else 0) - skip_first
if repeat > 0 and step >= repeat * length:
    return ProfilerAction.NONE
place = step % length
""",
        """
if step < skip_first or repeat > 0 and step >= repeat * length:
    return ProfilerAction.NONE
place = (step + (wait if skip_first_wait else 0) - skip_first) % length
""",
    )),
    WrongAnswer(SCHEDULE, "refuses when it is asked, not when it is made", ("refusals",), changed(
        OTHER_SCHEDULE,
        """
assert not (wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0)
if warmup == 0:
""",
        "if warmup == 0:",
        "assert step >= 0",
        """
if step < 0 or wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
    raise AssertionError("not such numbers")
""",
    )),
    WrongAnswer(SCHEDULE, "ValueError for AssertionError", ("refusals",), changed(
        OTHER_SCHEDULE,
        "assert not (wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0)",
        """
if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
    raise ValueError("not such numbers")
""",
        "assert step >= 0",
        """
if step < 0:
    raise ValueError("no such step")
""",
    )),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        "profiler.actions.schedule",
        "return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE",
        "return ProfilerAction.RECORD if place != length - 1 else ProfilerAction.RECORD_AND_SAVE",
        "a place in a cycle is never greater than length - 1",
    ),
    *(
        Equivalent(
            "profiler.actions.schedule", WARNS.format(2), WARNS.format(level),
            "whose line a warning names is not part of what is promised",
        )
        for level in (1, 3)
    ),
)  # fmt: skip
