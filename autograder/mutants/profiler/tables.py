"""Wrong answers about sums and tables: key_averages, build_table; and about steps: schedule."""

from autograder.mutants.model import WrongAnswer

SUMS = "profiler.averages.key_averages"
TABLE = "profiler.table.build_table"
SCHEDULE = "profiler.actions.schedule"

WRONG_ANSWERS = (
    WrongAnswer(SUMS, "grouping ignores shapes and overloads", ("shapes", "stacks"), """
def key_averages(events, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
    groups = {}
    for event in events:
        key = (event.key, event.device_type, event.is_user_annotation, *event.stack[:group_by_stack_n])
        groups.setdefault(key, FunctionEventAvg()).add(event)
    for group in groups.values():
        group.stack = group.stack[:group_by_stack_n]
        group.input_shapes = group.input_shapes if group_by_input_shapes else ""
        group.overload_name = group.overload_name if group_by_overload_name else ""
    return list(groups.values())
"""),
    WrongAnswer(SUMS, "shapes always divide", ("ordinary", "shapes", "stacks"), """
def key_averages(events, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
    groups = {}
    for event in events:
        overload = event.overload_name if group_by_overload_name else ""
        stack = event.stack[:group_by_stack_n]
        key = (event.key, event.device_type, event.is_user_annotation, str(event.input_shapes), overload, *stack)
        groups.setdefault(key, FunctionEventAvg()).add(event)
    for group in groups.values():
        group.stack = group.stack[:group_by_stack_n]
        group.input_shapes = group.input_shapes if group_by_input_shapes else ""
        group.overload_name = group.overload_name if group_by_overload_name else ""
    return list(groups.values())
"""),
    WrongAnswer(SUMS, "the first event of a group counts twice", ("ordinary", "shapes", "stacks"), """
def key_averages(events, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
    groups = {}
    for event in events:
        shapes = str(event.input_shapes) if group_by_input_shapes else ""
        overload = event.overload_name if group_by_overload_name else ""
        stack = event.stack[:group_by_stack_n]
        key = (event.key, event.device_type, event.is_user_annotation, shapes, overload, *stack)
        if key not in groups:
            groups[key] = FunctionEventAvg().add(event)
        groups[key].add(event)
    for group in groups.values():
        group.stack = group.stack[:group_by_stack_n]
        group.input_shapes = group.input_shapes if group_by_input_shapes else ""
        group.overload_name = group.overload_name if group_by_overload_name else ""
    return list(groups.values())
"""),
    WrongAnswer(SUMS, "by the name alone", ("ordinary", "shapes", "stacks"), """
def key_averages(events, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
    groups = {}
    for event in events:
        shapes = str(event.input_shapes) if group_by_input_shapes else ""
        overload = event.overload_name if group_by_overload_name else ""
        key = (event.key, shapes, overload, *event.stack[:group_by_stack_n])
        groups.setdefault(key, FunctionEventAvg()).add(event)
    for group in groups.values():
        group.stack = group.stack[:group_by_stack_n]
        group.input_shapes = group.input_shapes if group_by_input_shapes else ""
        group.overload_name = group.overload_name if group_by_overload_name else ""
    return list(groups.values())
"""),
    WrongAnswer(SUMS, "the stack of an event is cut itself", ("stacks",), """
def key_averages(events, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
    groups = {}
    for event in events:
        shapes = str(event.input_shapes) if group_by_input_shapes else ""
        overload = event.overload_name if group_by_overload_name else ""
        stack = event.stack[:group_by_stack_n]
        key = (event.key, event.device_type, event.is_user_annotation, shapes, overload, *stack)
        groups.setdefault(key, FunctionEventAvg()).add(event)
    for group in groups.values():
        del group.stack[group_by_stack_n:]
        group.input_shapes = group.input_shapes if group_by_input_shapes else ""
        group.overload_name = group.overload_name if group_by_overload_name else ""
    return list(groups.values())
"""),
    WrongAnswer(SUMS, "the outermost callers in place of the innermost", ("stacks",), """
def key_averages(events, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
    groups, last = {}, slice(-group_by_stack_n if group_by_stack_n else 1 << 60, None)
    for event in events:
        shapes = str(event.input_shapes) if group_by_input_shapes else ""
        overload = event.overload_name if group_by_overload_name else ""
        key = (event.key, event.device_type, event.is_user_annotation, shapes, overload, *event.stack[last])
        groups.setdefault(key, FunctionEventAvg()).add(event)
    for group in groups.values():
        group.stack = group.stack[last]
        group.input_shapes = group.input_shapes if group_by_input_shapes else ""
        group.overload_name = group.overload_name if group_by_overload_name else ""
    return list(groups.values())
"""),
    WrongAnswer(TABLE, "sorted ascending", ("sorted", "top"), """
def build_table(events, sort_by, options):
    if not events:
        return ""
    rows = list(events)
    if sort_by is not None:
        rows.sort(key=lambda row: number_of(row, sort_by))
    columns = columns_of(rows, options)
    rule = "".join("-" * column.width + " " * SPACING for column in columns)
    double = "=" * (len(rule) - SPACING)
    lines = [double, options.header] if options.header is not None else []
    if options.top_level_events_only:
        lines += [double, "This report only display top-level ops statistics"]
    lines += [rule, "".join(column.cell(column.header) for column in columns), rule]
    shown = [row for row in rows if row.cpu_parent is None] if options.top_level_events_only else rows
    for row in shown if options.row_limit < 0 else shown[: options.row_limit]:
        lines += lines_of(row, columns)
    return "\\n".join([*lines, rule, *totals_of(rows, options)])
"""),
    WrongAnswer(TABLE, "sorted, then turned round: equal rows too", ("sorted",), """
def build_table(events, sort_by, options):
    if not events:
        return ""
    rows = list(events)
    if sort_by is not None:
        rows = sorted(rows, key=lambda row: number_of(row, sort_by))[::-1]
    columns = columns_of(rows, options)
    rule = "".join("-" * column.width + " " * SPACING for column in columns)
    double = "=" * (len(rule) - SPACING)
    lines = [double, options.header] if options.header is not None else []
    if options.top_level_events_only:
        lines += [double, "This report only display top-level ops statistics"]
    lines += [rule, "".join(column.cell(column.header) for column in columns), rule]
    shown = [row for row in rows if row.cpu_parent is None] if options.top_level_events_only else rows
    for row in shown if options.row_limit < 0 else shown[: options.row_limit]:
        lines += lines_of(row, columns)
    return "\\n".join([*lines, rule, *totals_of(rows, options)])
"""),
    WrongAnswer(TABLE, "sorts the list of the caller", ("sorted", "top"), """
def build_table(events, sort_by, options):
    if not events:
        return ""
    rows = events
    if sort_by is not None:
        rows.sort(key=lambda row: number_of(row, sort_by), reverse=True)
    columns = columns_of(rows, options)
    rule = "".join("-" * column.width + " " * SPACING for column in columns)
    double = "=" * (len(rule) - SPACING)
    lines = [double, options.header] if options.header is not None else []
    if options.top_level_events_only:
        lines += [double, "This report only display top-level ops statistics"]
    lines += [rule, "".join(column.cell(column.header) for column in columns), rule]
    shown = [row for row in rows if row.cpu_parent is None] if options.top_level_events_only else rows
    for row in shown if options.row_limit < 0 else shown[: options.row_limit]:
        lines += lines_of(row, columns)
    return "\\n".join([*lines, rule, *totals_of(rows, options)])
"""),
    WrongAnswer(TABLE, "totals of the rows that are shown", ("sorted", "top"), """
def build_table(events, sort_by, options):
    if not events:
        return ""
    rows = list(events)
    if sort_by is not None:
        rows.sort(key=lambda row: number_of(row, sort_by), reverse=True)
    columns = columns_of(rows, options)
    rule = "".join("-" * column.width + " " * SPACING for column in columns)
    double = "=" * (len(rule) - SPACING)
    lines = [double, options.header] if options.header is not None else []
    if options.top_level_events_only:
        lines += [double, "This report only display top-level ops statistics"]
    lines += [rule, "".join(column.cell(column.header) for column in columns), rule]
    shown = [row for row in rows if row.cpu_parent is None] if options.top_level_events_only else rows
    shown = shown if options.row_limit < 0 else shown[: options.row_limit]
    for row in shown:
        lines += lines_of(row, columns)
    return "\\n".join([*lines, rule, *totals_of(shown, options)])
"""),
    WrongAnswer(TABLE, "the limit first, then the top level", ("top",), """
def build_table(events, sort_by, options):
    if not events:
        return ""
    rows = list(events)
    if sort_by is not None:
        rows.sort(key=lambda row: number_of(row, sort_by), reverse=True)
    columns = columns_of(rows, options)
    rule = "".join("-" * column.width + " " * SPACING for column in columns)
    double = "=" * (len(rule) - SPACING)
    lines = [double, options.header] if options.header is not None else []
    if options.top_level_events_only:
        lines += [double, "This report only display top-level ops statistics"]
    lines += [rule, "".join(column.cell(column.header) for column in columns), rule]
    for row in rows if options.row_limit < 0 else rows[: options.row_limit]:
        if not (options.top_level_events_only and row.cpu_parent is not None):
            lines += lines_of(row, columns)
    return "\\n".join([*lines, rule, *totals_of(rows, options)])
"""),
    WrongAnswer(TABLE, "a negative limit cuts from the end", ("sorted",), """
def build_table(events, sort_by, options):
    if not events:
        return ""
    rows = list(events)
    if sort_by is not None:
        rows.sort(key=lambda row: number_of(row, sort_by), reverse=True)
    columns = columns_of(rows, options)
    rule = "".join("-" * column.width + " " * SPACING for column in columns)
    double = "=" * (len(rule) - SPACING)
    lines = [double, options.header] if options.header is not None else []
    if options.top_level_events_only:
        lines += [double, "This report only display top-level ops statistics"]
    lines += [rule, "".join(column.cell(column.header) for column in columns), rule]
    shown = [row for row in rows if row.cpu_parent is None] if options.top_level_events_only else rows
    for row in shown[: None if options.row_limit == -1 else options.row_limit]:
        lines += lines_of(row, columns)
    return "\\n".join([*lines, rule, *totals_of(rows, options)])
"""),
    WrongAnswer(SCHEDULE, "a cycle that records one step is never saved", ("ordinary", "counted", "refusals"), """
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
        return ProfilerAction.RECORD if place <= wait + warmup else ProfilerAction.RECORD_AND_SAVE

    return action
"""),
    WrongAnswer(SCHEDULE, "repeat counts the skipped steps", ("counted",), """
def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    assert not (wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0)
    if warmup == 0:
        warnings.warn("no warm-up")
    length = wait + warmup + active

    def action(step):
        assert step >= 0
        if step < skip_first or repeat > 0 and step >= repeat * length:
            return ProfilerAction.NONE
        place = (step + (wait if skip_first_wait else 0) - skip_first) % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action
"""),
    WrongAnswer(SCHEDULE, "refuses when it is asked, not when it is made", ("refusals",), """
def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    if warmup == 0:
        warnings.warn("no warm-up")
    length = wait + warmup + active

    def action(step):
        if step < 0 or wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
            raise AssertionError("not such numbers")
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
"""),
    WrongAnswer(SCHEDULE, "ValueError for AssertionError", ("refusals",), """
def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise ValueError("not such numbers")
    if warmup == 0:
        warnings.warn("no warm-up")
    length = wait + warmup + active

    def action(step):
        if step < 0:
            raise ValueError("no such step")
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
"""),
)  # fmt: skip
