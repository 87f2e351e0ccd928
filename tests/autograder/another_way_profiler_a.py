"""Right answers to the first half of lab 7, written another way."""

ANOTHER_WAY = {
    "profiler.recorder.around_call": """
def around_call(recorder, function, name, overload, has_autograd):
    def begun(buffer, arguments):
        sequence = peek_sequence_nr() if has_autograd and autograd_state.grad_mode else -1
        record = [name, CPU_OP, RecordScope.FUNCTION, sequence, 0, 0, None, None, overload, None]
        buffer.append(record)
        if recorder.describes:
            recorder.describe(record, arguments)
        record[START] = perf_counter_ns()
        return record

    def call(*arguments):
        buffer = recorder.buffer()
        record = begun(buffer, arguments) if buffer is not None else None
        try:
            result = function(*arguments)
        except BaseException:
            Recorder.end(record)
            raise
        Recorder.end(record)
        return result

    return call
""",
    "profiler.autograd_profiler.record_function": """
class record_function(contextlib.ContextDecorator):
    def __init__(self, name, args=None):
        self.name = name
        self.args = args
        self.open = []

    def _recreate_cm(self):
        return record_function(self.name, self.args)

    def __enter__(self):
        self.open.append(recorder.active.annotate(self.name) if recorder.active else None)
        return self

    def __exit__(self, kind, error, trace):
        Recorder.end(self.open.pop())
        return False
""",
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
    "profiler.averages.key_averages": """
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
    "profiler.event_tree.memory_of": """
def memory_of(events, allocations, device):
    own = sorted((one for one in allocations if one.device == device), key=lambda one: one.time)

    def contains(event, one):
        return event.thread == one.thread and event.start <= one.time <= event.end

    used = [sum(one.nbytes for one in own if contains(event, one)) for event in events]
    return used, [one for one in own if not any(contains(event, one) for event in events)]
""",
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
