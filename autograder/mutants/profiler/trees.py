"""Wrong answers about events as a tree: parents_of, self_times, memory_of."""

from autograder.mutants.model import WrongAnswer

PARENTS = "profiler.event_tree.parents_of"
OWN = "profiler.event_tree.self_times"
MEMORY = "profiler.event_tree.memory_of"

WRONG_ANSWERS = (
    WrongAnswer(PARENTS, "children of another thread are attached", ("threads",), """
def parents_of(events):
    parents, stack = [None] * len(events), []
    for number in sorted(range(len(events)), key=lambda at: (events[at].start, -events[at].end)):
        event = events[number]
        while stack and (event.start >= events[stack[-1]].end or event.end > events[stack[-1]].end):
            stack.pop()
        if stack:
            parents[number] = stack[-1]
        stack.append(number)
    return parents
"""),
    WrongAnswer(PARENTS, "what begins when another ends lies in it", ("ties",), """
def parents_of(events):
    parents, stacks = [None] * len(events), {}
    for number in sorted(range(len(events)), key=lambda at: (events[at].start, -events[at].end)):
        event = events[number]
        stack = stacks.setdefault(event.thread, [])
        while stack and event.end > events[stack[-1]].end:
            stack.pop()
        if stack:
            parents[number] = stack[-1]
        stack.append(number)
    return parents
"""),
    WrongAnswer(PARENTS, "an event that ends later lies in the one that it overlaps", ("ties",), """
def parents_of(events):
    parents, stacks = [None] * len(events), {}
    for number in sorted(range(len(events)), key=lambda at: (events[at].start, -events[at].end)):
        event = events[number]
        stack = stacks.setdefault(event.thread, [])
        while stack and event.start >= events[stack[-1]].end:
            stack.pop()
        if stack:
            parents[number] = stack[-1]
        stack.append(number)
    return parents
"""),
    WrongAnswer(PARENTS, "of two that begin together the shorter comes first", ("ties",), """
def parents_of(events):
    parents, stacks = [None] * len(events), {}
    for number in sorted(range(len(events)), key=lambda at: events[at].start):
        event = events[number]
        stack = stacks.setdefault(event.thread, [])
        while stack and (event.start >= events[stack[-1]].end or event.end > events[stack[-1]].end):
            stack.pop()
        if stack:
            parents[number] = stack[-1]
        stack.append(number)
    return parents
"""),
    WrongAnswer(PARENTS, "takes the events to be in order", ("ordinary", "ties", "threads"), """
def parents_of(events):
    parents, stacks = [None] * len(events), {}
    for number, event in enumerate(events):
        stack = stacks.setdefault(event.thread, [])
        while stack and (event.start >= events[stack[-1]].end or event.end > events[stack[-1]].end):
            stack.pop()
        if stack:
            parents[number] = stack[-1]
        stack.append(number)
    return parents
"""),
    WrongAnswer(PARENTS, "the outermost event holds all", ("ordinary", "ties", "threads"), """
def parents_of(events):
    parents, stacks = [None] * len(events), {}
    for number in sorted(range(len(events)), key=lambda at: (events[at].start, -events[at].end)):
        event = events[number]
        stack = stacks.setdefault(event.thread, [])
        while stack and (event.start >= events[stack[-1]].end or event.end > events[stack[-1]].end):
            stack.pop()
        if stack:
            parents[number] = stack[0]
        stack.append(number)
    return parents
"""),
    WrongAnswer(PARENTS, "the shortest of those that hold an event", ("ties",), """
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
    WrongAnswer(OWN, "grandchildren are subtracted too", ("ordinary", "edge"), """
def self_times(events, parents):
    times = [event.end - event.start for event in events]
    for number, event in enumerate(events):
        above = parents[number]
        while above is not None:
            times[above] -= event.end - event.start
            above = parents[above]
    return times
"""),
    WrongAnswer(OWN, "self time is the whole time: counted twice in a sum", ("ordinary", "edge"), """
def self_times(events, parents):
    return [event.end - event.start for event in events]
"""),
    WrongAnswer(OWN, "what is left of a child is subtracted", ("ordinary", "edge"), """
def self_times(events, parents):
    times = [event.end - event.start for event in events]
    for number, parent in enumerate(parents):
        if parent is not None:
            times[parent] -= times[number]
    return times
"""),
    WrongAnswer(OWN, "event 0 is taken for no parent", ("ordinary", "edge"), """
def self_times(events, parents):
    times = [event.end - event.start for event in events]
    for event, parent in zip(events, parents):
        if parent:
            times[parent] -= event.end - event.start
    return times
"""),
    WrongAnswer(OWN, "works out the parents itself", ("edge",), """
def self_times(events, parents):
    parents = parents_of(events)
    times = [event.end - event.start for event in events]
    for event, parent in zip(events, parents):
        if parent is not None:
            times[parent] -= event.end - event.start
    return times
"""),
    WrongAnswer(MEMORY, "memory of children counts for the parent twice", ("ordinary", "edge"), """
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
    WrongAnswer(MEMORY, "only the innermost event counts it", ("ordinary", "edge"), """
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
    WrongAnswer(MEMORY, "does not ask for the thread, as PyTorch", ("edge",), """
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
    WrongAnswer(MEMORY, "the end of an event is no part of it", ("edge",), """
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
    WrongAnswer(MEMORY, "what is given back does not count", ("ordinary", "edge"), """
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
