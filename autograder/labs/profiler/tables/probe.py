"""Events as programs see them, made of plain data; their sums, and their table."""

from autograder.labs.profiler.modules import module


def sums(engine, events, *grouped_by):
    """Return the rows of `key_averages`, one dict each, and whether the events and their lists are unchanged.

    Args:
        events: (name, length in ns, own time in ns, entries): what else differs from what it is without, by name.
    """
    made = [_event(engine, *event) for event in events]
    before = [(event.stack, list(event.stack), event.input_shapes, event.overload_name) for event in made]
    given = list(made)
    groups = module(engine, "averages").key_averages(given, *grouped_by)
    is_same = list(map(id, given)) == list(map(id, made))
    unchanged = all(
        event.stack is stack and event.stack == entries and event.input_shapes is sizes and event.overload_name == name
        for event, (stack, entries, sizes, name) in zip(made, before, strict=True)
    )
    if type(groups) is not list:
        return type(groups).__name__
    shared = any(group.stack is event.stack for group in groups for event in made)
    return {
        "sums": [_sum(group) for group in groups],
        "the events and their lists": "as they were" if unchanged else "changed",
        "the stack of a sum": "the list of an event" if shared else "a list of its own",
        "the list that was given": "as it was" if is_same else "no longer as it was",
    }


def _sum(group):
    return {
        "key": group.key, "count": group.count, "total": group.cpu_time_total, "own": group.self_cpu_time_total,
        "average": group.cpu_time, "memory": group.cpu_memory_usage, "device": str(group.device_type),
        "annotation": group.is_user_annotation, "shapes": group.input_shapes, "stack": group.stack,
        "overload": group.overload_name,
    }  # fmt: skip


def table(engine, events, sort_by=None, options=None):
    """The lines of what `build_table` gives, and whether the events keep their order.

    Args:
        events: as of `sums`; an entry "lies_in" is the number of the event's parent.
        options: entries of `table.Options`.
    """
    made = [_event(engine, *event) for event in events]
    for event in made:
        event.cpu_parent = None if event.cpu_parent is None else made[event.cpu_parent]
    before = [id(event) for event in made]
    tables = module(engine, "table")
    text = tables.build_table(made, sort_by, tables.Options(**(options or {})))
    if type(text) is not str:
        return type(text).__name__
    is_same = [id(event) for event in made] == before
    lines = {f"line {number}": line for number, line in enumerate(text.split("\n"), 1)}
    return {**lines, "the list that was given": "as it was" if is_same else "no longer as it was"}


def _event(engine, name, length, own, entries=None):
    kinds = module(engine, "function_event")
    given = dict(entries or {})
    if given.pop("device", None):
        given["device_type"] = module(engine, "events").DeviceType.CUDA
    given["cpu_parent"] = given.pop("lies_in", None)
    interval = kinds.Interval(0.0, length / 1000)
    return kinds.FunctionEvent(1, name, 1, interval, self_cpu_time_total=own / 1000, **given)
