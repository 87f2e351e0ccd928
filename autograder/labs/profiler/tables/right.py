"""Right answers written in another way than the engine's."""

OTHER_KEY_AVERAGES = """
def key_averages(events, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
    groups = {}
    for event in events:
        shapes = str(event.input_shapes) if group_by_input_shapes else ""
        overload = event.overload_name if group_by_overload_name else ""
        stack = event.stack[:group_by_stack_n]
        key = (event.key, event.device_type, event.is_user_annotation, shapes, overload, *stack)
        groups.setdefault(key, FunctionEventAvg()).add(event)
    for group in groups.values():
        group.stack = group.stack[:group_by_stack_n]
        group.input_shapes = group.input_shapes if group_by_input_shapes else ""
        group.overload_name = group.overload_name if group_by_overload_name else ""
    return list(groups.values())
"""

RIGHT_ANSWERS = {
    "profiler.averages.key_averages": (
        """
def key_averages(events, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
    def key_of(event):
        shapes = event.input_shapes if group_by_input_shapes else ""
        overload = event.overload_name if group_by_overload_name else ""
        stack = event.stack[:group_by_stack_n]
        return [event.key, event.device_type, event.is_user_annotation, shapes, overload, stack]

    keys = []
    for event in events:
        if key_of(event) not in keys:
            keys.append(key_of(event))
    sums = []
    for key in keys:
        total = FunctionEventAvg()
        for event in events:
            if key_of(event) == key:
                total.add(event)
        total.input_shapes, total.overload_name, total.stack = key[3:]
        sums.append(total)
    return sums
""",
        OTHER_KEY_AVERAGES,
    ),
    "profiler.table.build_table": """
def build_table(events, sort_by, options):
    if len(events) == 0:
        return ""
    rows = sorted(events, key=lambda row: -number_of(row, sort_by)) if sort_by else list(events)
    columns = columns_of(rows, options)
    text = ""
    width = sum(column.width for column in columns) + SPACING * (len(columns) - 1)
    if options.header is not None:
        text += "=" * width + "\\n" + options.header + "\\n"
    if options.top_level_events_only:
        text += "=" * width + "\\nThis report only display top-level ops statistics\\n"
    rule = "".join(column.cell("-" * column.width) for column in columns) + "\\n"
    text += rule + "".join(column.cell(column.header) for column in columns) + "\\n" + rule
    left = options.row_limit
    for row in rows:
        if left == 0:
            break
        if not options.top_level_events_only or row.cpu_parent is None:
            text += "".join(line + "\\n" for line in lines_of(row, columns))
            left -= 1
    return text + rule + "\\n".join(totals_of(rows, options))
""",
}
