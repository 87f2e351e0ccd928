"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "profiler.event_tree.parents_of": (
        """
def parents_of(events):
    parents = [None] * len(events)
    for thread in {event.thread for event in events}:
        own = [(event.start, -event.end, number) for number, event in enumerate(events) if event.thread == thread]
        holders = []
        for start, end, number in sorted(own):
            ends = -end
            while holders and not (holders[-1][0] >= ends and holders[-1][0] > start):
                holders.pop()
            parents[number] = holders[-1][1] if holders else None
            holders.append((ends, number))
    return parents
""",
        """
class Open:
    def __init__(self, number, event, below):
        self.number, self.event, self.below = number, event, below


def parents_of(events):
    order = list(range(len(events)))
    order.sort(key=lambda number: events[number].end, reverse=True)
    order.sort(key=lambda number: events[number].start)
    tops, found = {}, {}
    for number in order:
        event, top = events[number], tops.get(events[number].thread)
        while top is not None and (top.event.end <= event.start or top.event.end < event.end):
            top = top.below
        found[number] = None if top is None else top.number
        tops[event.thread] = Open(number, event, top)
    return [found[number] for number in range(len(events))]
""",
    ),
    "profiler.event_tree.self_times": """
import collections


def self_times(events, parents):
    inside = collections.defaultdict(list)
    for number, parent in enumerate(parents):
        inside[parent].append(number)

    def length(number):
        return events[number].end - events[number].start

    return [length(number) - sum(map(length, inside[number])) for number in range(len(events))]
""",
    "profiler.event_tree.memory_of": """
def memory_of(events, allocations, device):
    own = sorted((one for one in allocations if one.device == device), key=lambda one: one.time)

    def contains(event, one):
        return event.thread == one.thread and event.start <= one.time <= event.end

    used = [sum(one.nbytes for one in own if contains(event, one)) for event in events]
    return used, [one for one in own if not any(contains(event, one) for event in events)]
""",
}
