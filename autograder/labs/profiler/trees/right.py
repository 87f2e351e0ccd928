"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "profiler.event_tree.parents_of": """
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
""",
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
