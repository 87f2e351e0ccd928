"""A short program that is profiled, on the whole engine: the parts of lab 7 in combination, and no clock in the result.

Each check has it in its first aspect, so it asks only for what is ordinary: structure and counts.
"""

from autograder.labs.profiler.modules import module

STEPS = 4


def run(engine):
    """Profile one of several training steps; return facts about the profile, and a Timer's results on a fake clock."""
    profiler = module(engine, "stepwise")
    plan = module(engine, "actions").schedule(wait=1, warmup=1, active=1, repeat=1)
    w = engine.ones(3, requires_grad=True)

    def step():
        with engine.profiler.record_function("step"):
            with engine.no_grad():
                w.grad = None
            with engine.profiler.record_function("forward"):
                loss = (w * w).sum()
            loss.backward()

    with profiler.profile(activities=[engine.profiler.ProfilerActivity.CPU], schedule=plan) as prof:
        for _ in range(STEPS):
            step()
            prof.step()
    return {"gradient": w.grad.tolist(), **_of_profile(engine, prof), **_of_timer(engine)}


def _of_profile(engine, prof):
    averages = prof.key_averages()
    names = ("step", "forward", "aten::mul", "aten::sum")
    counts = {row.key: row.count for row in averages if row.key in names}
    inside = {event.name: event.cpu_parent and event.cpu_parent.name for event in prof.events()}
    own = sum(event.self_cpu_time_total for event in prof.events())
    whole = sum(event.cpu_time_total for event in prof.events() if event.cpu_parent is None)
    table = averages.table(sort_by="count", row_limit=2).splitlines()
    return {
        "calls": sorted(counts.items()),
        "forward is in": inside.get("forward"),
        "sum is in": inside.get("aten::sum"),
        "own times add up": abs(own - whole) < 0.01,
        "lines of the table": len(table),
        "above nothing": len(module(engine, "averages").above(averages, 0.0, "count")) == len(averages),
    }


def _of_timer(engine):
    class Clock:
        now = 0.0

        def __call__(self):
            Clock.now += 2.0**-20
            return Clock.now

        def work(self):
            Clock.now += 2.0**-14

    clock = Clock()
    found = module(engine, "timer").Timer(clock.work, timer=clock).blocked_autorange(min_run_time=0.5)
    return {"runs of a block": found.number_per_run, "median, us": round(found.median * 1e6, 3)}
