"""Events as programs see them, made of plain data; their sums, and their table."""

from autograder.examine.error_data import type_name
from autograder.labs.profiler.modules import module

FIELDS = {
    "keys": "key", "count": "count", "total": "cpu_time_total", "own": "self_cpu_time_total", "average": "cpu_time",
    "memory": "cpu_memory_usage", "device": "device_type", "annotation": "is_user_annotation", "scope": "scope",
    "shapes": "input_shapes", "overload": "overload_name", "stack": "stack",
}  # fmt: skip


def sums(engine, events, *grouped_by):
    """Return the rows of `key_averages`, as one list per attribute, and whether the arguments are unchanged.

    Args:
        events: (name, length in ns, own time in ns, entries): what else differs from what it is without, by name.
    """
    made = [_event(engine, *event) for event in events]
    before = [(event.stack, list(event.stack), event.input_shapes, event.overload_name) for event in made]
    given = list(made)
    averages = module(engine, "averages")
    groups = averages.key_averages(given, *grouped_by)
    is_same = list(map(id, given)) == list(map(id, made))
    unchanged = all(
        event.stack is stack and event.stack == entries and event.input_shapes is sizes and event.overload_name == name
        for event, (stack, entries, sizes, name) in zip(made, before, strict=True)
    )
    if type(groups) is not list:
        return type(groups).__name__
    others = [type(one).__name__ for one in groups if not isinstance(one, averages.FunctionEventAvg)]
    if others:
        return f"a list in which there is a {others[0]}"
    given, stacks = {id(event.stack) for event in made}, [id(group.stack) for group in groups]
    shared = len(set(stacks)) < len(stacks) or not given.isdisjoint(stacks)
    columns = {title: [getattr(group, name) for group in groups] for title, name in FIELDS.items()}
    return {
        "number of sums": len(groups),
        **columns,
        "device": list(map(str, columns["device"])),
        "the events and their lists": "as they were" if unchanged else "changed",
        "the stack of a sum": "the list of an event, or of another sum" if shared else "a list of its own",
        "the list that was given": "as it was" if is_same else "no longer as it was",
    }


def table(engine, events, sort_by=None, options=None):
    """Return the lines that `build_table` writes, and whether the list of events keeps its order.

    Args:
        events: as of `sums`; an entry "lies_in" is the number of the event's parent; "kernel" the microseconds of a
            kernel that it launched, or None.
        options: entries of `table.Options`.
    """
    made = [_event(engine, *event) for event in events]
    for event in made:
        event.cpu_parent = None if event.cpu_parent is None else made[event.cpu_parent]
    before = [id(event) for event in made]
    tables = module(engine, "table")
    try:
        text = tables.build_table(made, sort_by, tables.Options(**(options or {})))
    except (AttributeError, RuntimeError) as error:
        return {"raised": type_name(error)}
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
    if "kernel" in given:
        given.update(kernels=[kinds.Kernel("k", 0, given.pop("kernel"))], use_device="cuda")
    interval = kinds.Interval(0.0, length / 1000)
    return kinds.FunctionEvent(1, name, 1, interval, self_cpu_time_total=own / 1000, **given)
