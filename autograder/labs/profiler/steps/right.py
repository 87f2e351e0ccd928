"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "profiler.actions.schedule": """
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
}
