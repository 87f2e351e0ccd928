"""Wrong answers to profiler.event_tree.parents_of, profiler.event_tree.self_times, profiler.event_tree.memory_of."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

PARENTS_OF = "profiler.event_tree.parents_of"
SELF_TIMES = "profiler.event_tree.self_times"
MEMORY_OF = "profiler.event_tree.memory_of"
HOLDS = "while stack and (event.start {} events[stack[-1]].end or event.end > events[stack[-1]].end):"
ORDER = "for number in sorted(range(len(events)), key=lambda at: (events[at].start, {}events[at].end)):"

WRONG_ANSWERS = (
    WrongAnswer(PARENTS_OF, "equal events are taken for one", ("ties", "threads", "large"), (
        """
parents: list[int | None] = [None] * len(events)
open_events: dict[int, list[int]] = {}
for number in sorted(range(len(events)), key=lambda at: (events[at].start, -events[at].end)):
    event = events[number]
    stack = open_events.setdefault(event.thread, [])
""",
        """
parents, stacks = [None] * len(events), {}
for event in sorted(events, key=lambda event: (event.start, -event.end)):
    number, stack = events.index(event), stacks.setdefault(event.thread, [])
""",
    )),
    WrongAnswer(PARENTS_OF, "children of another thread are attached", ("threads",), (
        """
parents: list[int | None] = [None] * len(events)
open_events: dict[int, list[int]] = {}
""",
        "parents, stack = [None] * len(events), []",
        """
event = events[number]
stack = open_events.setdefault(event.thread, [])
""",
        "event = events[number]",
    )),
    WrongAnswer(PARENTS_OF, "what begins when another ends lies in it", ("ties",), (
        """
parents: list[int | None] = [None] * len(events)
open_events: dict[int, list[int]] = {}
""",
        "parents, stacks = [None] * len(events), {}",
        """
stack = open_events.setdefault(event.thread, [])
while stack and (event.start >= events[stack[-1]].end or event.end > events[stack[-1]].end):
""",
        """
stack = stacks.setdefault(event.thread, [])
while stack and event.end > events[stack[-1]].end:
""",
    )),
    WrongAnswer(PARENTS_OF, "an event that ends later lies in the one that it overlaps", ("ties",), (
        """
parents: list[int | None] = [None] * len(events)
open_events: dict[int, list[int]] = {}
""",
        "parents, stacks = [None] * len(events), {}",
        """
stack = open_events.setdefault(event.thread, [])
while stack and (event.start >= events[stack[-1]].end or event.end > events[stack[-1]].end):
""",
        """
stack = stacks.setdefault(event.thread, [])
while stack and event.start >= events[stack[-1]].end:
""",
    )),
    WrongAnswer(PARENTS_OF, "of two that begin together the shorter comes first", ("ties",), (
        """
parents: list[int | None] = [None] * len(events)
open_events: dict[int, list[int]] = {}
for number in sorted(range(len(events)), key=lambda at: (events[at].start, -events[at].end)):
""",
        """
parents, stacks = [None] * len(events), {}
for number in sorted(range(len(events)), key=lambda at: events[at].start):
""",
        "stack = open_events.setdefault(event.thread, [])",
        "stack = stacks.setdefault(event.thread, [])",
    )),
    WrongAnswer(PARENTS_OF, "takes the events to be in order", ("ordinary", "ties", "threads", "large"), (
        """
parents: list[int | None] = [None] * len(events)
open_events: dict[int, list[int]] = {}
for number in sorted(range(len(events)), key=lambda at: (events[at].start, -events[at].end)):
    event = events[number]
    stack = open_events.setdefault(event.thread, [])
""",
        """
parents, stacks = [None] * len(events), {}
for number, event in enumerate(events):
    stack = stacks.setdefault(event.thread, [])
""",
    )),
    WrongAnswer(PARENTS_OF, "the outermost event holds all", ("ordinary", "ties", "threads", "large"), (
        """
parents: list[int | None] = [None] * len(events)
open_events: dict[int, list[int]] = {}
""",
        "parents, stacks = [None] * len(events), {}",
        "stack = open_events.setdefault(event.thread, [])",
        "stack = stacks.setdefault(event.thread, [])",
        "parents[number] = stack[-1]",
        "parents[number] = stack[0]",
    )),
    WrongAnswer(PARENTS_OF, "compares all pairs", ("large",), """
def parents_of(events):
    def place(number):
        return events[number].start, -events[number].end, number

    def holds(outer, inner):
        one, other = events[outer], events[inner]
        return (
            one.thread == other.thread
            and place(outer) < place(inner)
            and one.end >= other.end
            and other.start < one.end
        )

    numbers = range(len(events))
    return [max((at for at in numbers if holds(at, number)), key=place, default=None) for number in numbers]
"""),
    WrongAnswer(PARENTS_OF, "calls itself for what is inside an event", ("large",), """
def parents_of(events):
    parents = [None] * len(events)

    def walk(order, place, holder):
        while place < len(order):
            number = order[place]
            inside = holder is None or (
                events[number].start < events[holder].end and events[number].end <= events[holder].end
            )
            if not inside:
                return place
            parents[number] = holder
            place = walk(order, place + 1, number)
        return place

    for thread in {event.thread for event in events}:
        own = [number for number, event in enumerate(events) if event.thread == thread]
        walk(sorted(own, key=lambda at: (events[at].start, -events[at].end)), 0, None)
    return parents
"""),
    WrongAnswer(PARENTS_OF, "looks through the whole stack", ("large",), (
        """
while stack and (event.start >= events[stack[-1]].end or event.end > events[stack[-1]].end):
    stack.pop()
""",
        "stack[:] = [at for at in stack if events[at].end > event.start and events[at].end >= event.end]",
    )),
    WrongAnswer(PARENTS_OF, "sorts the list of the caller", ("ordinary", "ties", "threads", "large"), (
        "parents: list[int | None] = [None] * len(events)",
        """
before = list(events)
parents: list[int | None] = [None] * len(events)
""",
        "return parents",
        """
events.sort(key=lambda event: event.start)
return parents
""",
    )),
    WrongAnswer(PARENTS_OF, "the shortest of those that hold an event", ("ties", "large"), """
def parents_of(events):
    def holder(at):
        event = events[at]
        found = [
            number for number, one in enumerate(events)
            if one.thread == event.thread and event.start < one.end and event.end <= one.end
            and ((one.start, -one.end, number) < (event.start, -event.end, at))
        ]
        return min(found, key=lambda number: (events[number].end - events[number].start, -number), default=None)

    return [holder(number) for number in range(len(events))]
"""),
    WrongAnswer(SELF_TIMES, "what is left is never below 0", ("edge",), (
        "for event, parent in zip(events, parents, strict=True):",
        "for event, parent in zip(events, parents):",
        "return times",
        "return [max(time, 0) for time in times]",
    )),
    WrongAnswer(SELF_TIMES, "grandchildren are subtracted too", ("ordinary", "edge"), """
def self_times(events, parents):
    times = [event.end - event.start for event in events]
    for number, event in enumerate(events):
        above = parents[number]
        while above is not None:
            times[above] -= event.end - event.start
            above = parents[above]
    return times
"""),
    WrongAnswer(SELF_TIMES, "self time is the whole time: counted twice in a sum", ("ordinary", "edge"), """
def self_times(events, parents):
    return [event.end - event.start for event in events]
"""),
    WrongAnswer(SELF_TIMES, "what is left of a child is subtracted", ("ordinary", "edge"), (
        "for event, parent in zip(events, parents, strict=True):",
        "for number, parent in enumerate(parents):",
        "times[parent] -= event.end - event.start",
        "times[parent] -= times[number]",
    )),
    WrongAnswer(SELF_TIMES, "event 0 is taken for no parent", ("ordinary", "edge"), (
        """
for event, parent in zip(events, parents, strict=True):
    if parent is not None:
""",
        """
for event, parent in zip(events, parents):
    if parent:
""",
    )),
    WrongAnswer(SELF_TIMES, "works out the parents itself", ("edge",), (
        "times = [event.end - event.start for event in events]",
        """
parents = parents_of(events)
times = [event.end - event.start for event in events]
""",
        "for event, parent in zip(events, parents, strict=True):",
        "for event, parent in zip(events, parents):",
    )),
    WrongAnswer(SELF_TIMES, "of several children only the last counts", ("ordinary", "edge"),
        ("times[parent] -= event.end - event.start",
         "times[parent] = events[parent].end - events[parent].start - (event.end - event.start)"),
    ),
    WrongAnswer(MEMORY_OF, "what is left is in the order of threads", ("edge",),
        ("return used, [allocations[at] for at in order if at in outside]",
         "return used, sorted((allocations[at] for at in outside), key=lambda one: (one.time, one.thread))"),
    ),
    WrongAnswer(MEMORY_OF, "a list of two lists", ("ordinary", "edge"),
        ("return used, [allocations[at] for at in order if at in outside]",
         "return [used, [allocations[at] for at in order if at in outside]]"),
    ),
    WrongAnswer(MEMORY_OF, "sorts the list of the recording", ("edge",), """
def memory_of(events, allocations, device):
    used, outside = [0] * len(events), []
    allocations.sort(key=lambda one: one.time)
    for one in allocations:
        if one.device is device:
            holders = [n for n, e in enumerate(events) if e.thread == one.thread and e.start <= one.time <= e.end]
            for number in holders:
                used[number] += one.nbytes
            if not holders:
                outside.append(one)
    return used, outside
"""),
    WrongAnswer(MEMORY_OF, "memory of children counts for the parent twice", ("ordinary", "edge"), """
def memory_of(events, allocations, device):
    used, outside = [0] * len(events), []
    parents = parents_of(events)
    for one in sorted(allocations, key=lambda one: one.time):
        if one.device is device:
            holders = [n for n, e in enumerate(events) if e.thread == one.thread and e.start <= one.time <= e.end]
            for number in holders:
                used[number] += one.nbytes
                if parents[number] is not None:
                    used[parents[number]] += one.nbytes
            if not holders:
                outside.append(one)
    return used, outside
"""),
    WrongAnswer(MEMORY_OF, "only the innermost event counts it", ("ordinary", "edge"), """
def memory_of(events, allocations, device):
    used, outside = [0] * len(events), []
    for one in sorted(allocations, key=lambda one: one.time):
        if one.device is device:
            holders = [n for n, e in enumerate(events) if e.thread == one.thread and e.start <= one.time <= e.end]
            if holders:
                used[min(holders, key=lambda n: events[n].end - events[n].start)] += one.nbytes
            else:
                outside.append(one)
    return used, outside
"""),
    WrongAnswer(MEMORY_OF, "does not ask for the thread, as PyTorch", ("edge",), """
def memory_of(events, allocations, device):
    used, outside = [0] * len(events), []
    for one in sorted(allocations, key=lambda one: one.time):
        if one.device is device:
            holders = [number for number, event in enumerate(events) if event.start <= one.time <= event.end]
            for number in holders:
                used[number] += one.nbytes
            if not holders:
                outside.append(one)
    return used, outside
"""),
    WrongAnswer(MEMORY_OF, "the end of an event is no part of it", ("edge",), """
def memory_of(events, allocations, device):
    used, outside = [0] * len(events), []
    for one in sorted(allocations, key=lambda one: one.time):
        if one.device is device:
            holders = [n for n, e in enumerate(events) if e.thread == one.thread and e.start <= one.time < e.end]
            for number in holders:
                used[number] += one.nbytes
            if not holders:
                outside.append(one)
    return used, outside
"""),
    WrongAnswer(MEMORY_OF, "what is given back does not count", ("ordinary", "edge"), """
def memory_of(events, allocations, device):
    used, outside = [0] * len(events), []
    for one in sorted(allocations, key=lambda one: one.time):
        if one.device is device:
            holders = [n for n, e in enumerate(events) if e.thread == one.thread and e.start <= one.time <= e.end]
            for number in holders:
                used[number] += max(one.nbytes, 0)
            if not holders:
                outside.append(one)
    return used, outside
"""),
)  # fmt: skip

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
        "profiler.event_tree.memory_of",
        "own = [at for at in order if allocations[at].thread == thread and allocations[at].device is device]",
        "own = [at for at in order if allocations[at].thread == thread and allocations[at].device == device]",
        "members of an Enum are equal if they are the same",
    ),
    Equivalent(
        "profiler.event_tree.memory_of", "changes = [0] * (len(own) + 1)", "changes = [0] * (len(own) + 2)",
        "one more than is needed is never read",
    ),
)  # fmt: skip
