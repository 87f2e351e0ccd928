"""Right answers written in another way than the engine's."""

OTHER_SCHEDULE = """
def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    assert not (wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0)
    if warmup == 0:
        warnings.warn("no warm-up")
    length = wait + warmup + active

    def action(step):
        assert step >= 0
        if step < skip_first:
            return ProfilerAction.NONE
        step += (wait if skip_first_wait else 0) - skip_first
        if repeat > 0 and step >= repeat * length:
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action
"""

RIGHT_ANSWERS = {
    "profiler.actions.schedule": (
        """
def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    if min(wait, warmup, active - 1, repeat, skip_first) < 0:
        raise AssertionError("expected no negative numbers and at least one active step")
    if warmup == 0:
        warnings.warn("no step to warm up")
    none, warm, record = ProfilerAction.NONE, ProfilerAction.WARMUP, ProfilerAction.RECORD
    cycle = [none] * wait + [warm] * warmup + [record] * (active - 1) + [ProfilerAction.RECORD_AND_SAVE]

    def action(step):
        if step < 0:
            raise AssertionError("expected a step that is not negative")
        number, place = divmod(step - skip_first + (wait if skip_first_wait else 0), len(cycle))
        over = repeat != 0 and number >= repeat
        return none if step < skip_first or over else cycle[place]

    return action
""",
        """
class Plan:
    def __init__(self, wait, warmup, active, repeat, skip_first, skip_first_wait):
        self.borders = ((wait, "NONE"), (warmup, "WARMUP"), (active - 1, "RECORD"), (1, "RECORD_AND_SAVE"))
        self.first = skip_first - (wait if skip_first_wait != 0 else 0)
        self.behind = self.first + repeat * (wait + warmup + active) if repeat else None
        self.skip_first = skip_first

    def __call__(self, step):
        assert step >= 0, step
        if step < self.skip_first or (self.behind is not None and step >= self.behind):
            return ProfilerAction.NONE
        left = (step - self.first) % sum(length for length, _ in self.borders)
        for length, name in self.borders:
            if left < length:
                return ProfilerAction[name]
            left -= length


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    if warmup <= 0:
        warnings.warn("the first steps of the profiler are slow")
    for number in (wait, warmup, active, repeat, skip_first):
        assert number >= 0
    assert active
    return Plan(wait, warmup, active, repeat, skip_first, skip_first_wait)
""",
        OTHER_SCHEDULE,
    ),
}
