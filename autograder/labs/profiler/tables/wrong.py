"""Wrong answers to profiler.averages.key_averages, profiler.table.build_table."""

from autograder.labs.profiler.tables.right import OTHER_KEY_AVERAGES
from autograder.made_up.wrong_answer import WrongAnswer, changed

KEY_AVERAGES = "profiler.averages.key_averages"
BUILD_TABLE = "profiler.table.build_table"

WRONG_ANSWERS = (
    WrongAnswer(KEY_AVERAGES, "uses the list of events up", ("stacks",), changed(
        OTHER_KEY_AVERAGES,
        "for event in events:",
        """
while events:
    event = events.pop(0)
""",
    )),
    WrongAnswer(KEY_AVERAGES, "a short stack is the event's own list", ("stacks",), changed(
        OTHER_KEY_AVERAGES,
        "group.stack = group.stack[:group_by_stack_n]",
        """
if len(group.stack) > group_by_stack_n:
    group.stack = group.stack[:group_by_stack_n]
""",
    )),
    WrongAnswer(KEY_AVERAGES, "grouping ignores shapes and overloads", ("shapes",), (
        """
key = (
    event.key,
    event.device_type,
    event.is_user_annotation,
    str(event.input_shapes) if group_by_input_shapes else "",
    event.overload_name if group_by_overload_name else "",
    *event.stack[:group_by_stack_n],
)
""",
        "key = (event.key, event.device_type, event.is_user_annotation, *event.stack[:group_by_stack_n])",
    )),
    WrongAnswer(KEY_AVERAGES, "shapes always divide", ("ordinary", "shapes", "stacks"), (
        """
key = (
    event.key,
    event.device_type,
    event.is_user_annotation,
    str(event.input_shapes) if group_by_input_shapes else "",
    event.overload_name if group_by_overload_name else "",
    *event.stack[:group_by_stack_n],
)
""",
        """
overload = event.overload_name if group_by_overload_name else ""
stack = event.stack[:group_by_stack_n]
key = (event.key, event.device_type, event.is_user_annotation, str(event.input_shapes), overload, *stack)
""",
    )),
    WrongAnswer(KEY_AVERAGES, "the first event of a group counts twice", ("ordinary", "shapes", "stacks"), changed(
        OTHER_KEY_AVERAGES,
        "groups.setdefault(key, FunctionEventAvg()).add(event)",
        """
if key not in groups:
    groups[key] = FunctionEventAvg().add(event)
groups[key].add(event)
""",
    )),
    WrongAnswer(KEY_AVERAGES, "by the name alone", ("ordinary", "shapes", "stacks"), (
        """
key = (
    event.key,
    event.device_type,
    event.is_user_annotation,
    str(event.input_shapes) if group_by_input_shapes else "",
    event.overload_name if group_by_overload_name else "",
    *event.stack[:group_by_stack_n],
)
""",
        """
shapes = str(event.input_shapes) if group_by_input_shapes else ""
overload = event.overload_name if group_by_overload_name else ""
key = (event.key, shapes, overload, *event.stack[:group_by_stack_n])
""",
    )),
    WrongAnswer(KEY_AVERAGES, "the stack of an event is cut itself", ("stacks",), changed(
        OTHER_KEY_AVERAGES,
        "group.stack = group.stack[:group_by_stack_n]",
        "del group.stack[group_by_stack_n:]",
    )),
    WrongAnswer(KEY_AVERAGES, "the outermost callers instead of the innermost", ("stacks",), changed(
        OTHER_KEY_AVERAGES,
        "groups = {}",
        "groups, last = {}, slice(-group_by_stack_n if group_by_stack_n else 1 << 60, None)",
        """
stack = event.stack[:group_by_stack_n]
key = (event.key, event.device_type, event.is_user_annotation, shapes, overload, *stack)
""",
        "key = (event.key, event.device_type, event.is_user_annotation, shapes, overload, *event.stack[last])",
        "group.stack = group.stack[:group_by_stack_n]",
        "group.stack = group.stack[last]",
    )),
    WrongAnswer(KEY_AVERAGES, "the stack is joined to one text", ("stacks",),
        ("*event.stack[:group_by_stack_n],", '"".join(event.stack[:group_by_stack_n]),'),
    ),
    WrongAnswer(KEY_AVERAGES, "the stack is joined by semicolons", ("stacks",),
        ("*event.stack[:group_by_stack_n],", '";".join(event.stack[:group_by_stack_n]),'),
    ),
    WrongAnswer(KEY_AVERAGES, "the numbers of all shapes in a row", ("shapes",),
        ('str(event.input_shapes) if group_by_input_shapes else "",',
         'tuple(n for sizes in event.input_shapes for n in sizes) if group_by_input_shapes else "",'),
    ),
    WrongAnswer(KEY_AVERAGES, "empty shapes become a text", ("shapes",),
        ('group.input_shapes = group.input_shapes if group_by_input_shapes else ""',
         'group.input_shapes = group.input_shapes or "" if group_by_input_shapes else ""'),
    ),
    WrongAnswer(KEY_AVERAGES, "shapes that nobody asked for stay", ("shapes",),
        ('group.input_shapes = group.input_shapes if group_by_input_shapes else ""', "pass"),
    ),
    WrongAnswer(KEY_AVERAGES, "all sums share an empty stack", ("stacks",), (
        "groups: dict[tuple[Any, ...], FunctionEventAvg] = {}",
        """
groups: dict[tuple[Any, ...], FunctionEventAvg] = {}
nothing = []
""",
        "group.stack = group.stack[:group_by_stack_n]",
        "group.stack = group.stack[:group_by_stack_n] or nothing",
    )),
    WrongAnswer(KEY_AVERAGES, "the last event first", ("ordinary", "shapes", "stacks"),
        ("for event in events:", "for event in reversed(list(events)):"),
    ),
    WrongAnswer(BUILD_TABLE, "a number that is not there is taken for 0", ("sorted",), (
        "rows.sort(key=lambda row: number_of(row, sort_by), reverse=True)",
        """
try:
    rows.sort(key=lambda row: number_of(row, sort_by), reverse=True)
except (AttributeError, RuntimeError):
    pass
""",
    )),
    WrongAnswer(BUILD_TABLE, "the attribute itself, not number_of", ("sorted",),
        ("rows.sort(key=lambda row: number_of(row, sort_by), reverse=True)",
         "rows.sort(key=lambda row: getattr(row, sort_by), reverse=True)"),
    ),
    WrongAnswer(BUILD_TABLE, "no line feed at the end", ("ordinary", "sorted", "top"),
        ('return "\\n".join([*lines, rule, *totals_of(rows, options)])',
         'return "\\n".join([*lines, rule, *totals_of(rows, options)]).strip()'),
    ),
    WrongAnswer(BUILD_TABLE, "the double line as long as a rule", ("ordinary", "sorted", "top"),
        ('double = "=" * (len(rule) - SPACING)', 'double = "=" * len(rule)'),
    ),
    WrongAnswer(BUILD_TABLE, "one line for each row", ("ordinary", "sorted", "top"),
        ("lines += lines_of(row, columns)", "lines.append(lines_of(row, columns)[0])"),
    ),
    WrongAnswer(BUILD_TABLE, "sorted ascending", ("sorted", "top"),
        ("rows.sort(key=lambda row: number_of(row, sort_by), reverse=True)",
         "rows.sort(key=lambda row: number_of(row, sort_by))"),
    ),
    WrongAnswer(BUILD_TABLE, "sorted, then turned round: equal rows too", ("sorted",),
        ("rows.sort(key=lambda row: number_of(row, sort_by), reverse=True)",
         "rows = sorted(rows, key=lambda row: number_of(row, sort_by))[::-1]"),
    ),
    WrongAnswer(BUILD_TABLE, "sorts the list of the caller", ("sorted", "top"),
        ("rows = list(events)", "rows = events"),
    ),
    WrongAnswer(BUILD_TABLE, "totals of the rows that are shown", ("sorted", "top"), (
        "for row in shown if options.row_limit < 0 else shown[: options.row_limit]:",
        """
shown = shown if options.row_limit < 0 else shown[: options.row_limit]
for row in shown:
""",
        'return "\\n".join([*lines, rule, *totals_of(rows, options)])',
        'return "\\n".join([*lines, rule, *totals_of(shown, options)])',
    )),
    WrongAnswer(BUILD_TABLE, "the limit first, then the top level", ("top",), (
        """
shown = [row for row in rows if row.cpu_parent is None] if options.top_level_events_only else rows
for row in shown if options.row_limit < 0 else shown[: options.row_limit]:
    lines += lines_of(row, columns)
""",
        """
for row in rows if options.row_limit < 0 else rows[: options.row_limit]:
    if not (options.top_level_events_only and row.cpu_parent is not None):
        lines += lines_of(row, columns)
""",
    )),
    WrongAnswer(BUILD_TABLE, "a negative limit cuts from the end", ("sorted",),
        ("for row in shown if options.row_limit < 0 else shown[: options.row_limit]:",
         "for row in shown[: None if options.row_limit == -1 else options.row_limit]:"),
    ),
)  # fmt: skip
