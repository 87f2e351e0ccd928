"""Mutants of the first half's exercises that are not mistakes."""

from autograder.mutants.model import Equivalent

HOLDS = "while stack and (event.start {} events[stack[-1]].end or event.end > events[stack[-1]].end):"
ORDER = "for number in sorted(range(len(events)), key=lambda at: (events[at].start, {}events[at].end)):"
WARNS = 'warnings.warn("Profiler won\'t be using warmup, this can skew profiler results", stacklevel={})'

EQUIVALENT = (
    Equivalent(
        "profiler.event_tree.parents_of", HOLDS.format(">="), HOLDS.format("=="),
        "an event that begins after another has ended also ends later, which the second condition asks",
    ),
    Equivalent(
        "profiler.event_tree.parents_of", ORDER.format("-"), ORDER.format("~"),
        "~n is -n - 1: both turn the order of the numbers round",
    ),
    Equivalent(
        "profiler.actions.schedule",
        "return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE",
        "return ProfilerAction.RECORD if place != length - 1 else ProfilerAction.RECORD_AND_SAVE",
        "a place in a cycle is never greater than length - 1",
    ),
    Equivalent(
        "profiler.event_tree.memory_of",
        "own = [at for at in order if allocations[at].thread == thread and allocations[at].device is device]",
        "own = [at for at in order if allocations[at].thread == thread and allocations[at].device == device]",
        "members of an Enum are equal if they are the same",
    ),
    Equivalent(
        "profiler.event_tree.memory_of", "changes = [0] * (len(own) + 1)", "changes = [0] * (len(own) + 2)",
        "one more than is needed is never read",
    ),
    *(
        Equivalent(
            "profiler.actions.schedule", WARNS.format(2), WARNS.format(level),
            "whose line a warning names is not part of what is promised",
        )
        for level in (1, 3)
    ),
)  # fmt: skip
