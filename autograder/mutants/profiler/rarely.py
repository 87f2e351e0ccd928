"""Wrong answers of lab 7 that are right in most programs: errors of one kind, doubles, equal events, what was given."""

from autograder.mutants.model import WrongAnswer

WRONG_ANSWERS = (
    WrongAnswer("profiler.recorder.around_call", "asks for grad mode when the function is wrapped", ("notes",), """
def around_call(recorder, function, name, overload, has_autograd):
    may_record = has_autograd and autograd_state.grad_mode

    def call(*arguments):
        buffer = recorder.buffer()
        if buffer is None:
            return function(*arguments)
        record = [name, CPU_OP, RecordScope.FUNCTION, -1, 0, 0, None, None, overload, None]
        buffer.append(record)
        if may_record:
            record[SEQUENCE] = peek_sequence_nr()
        if recorder.describes:
            recorder.describe(record, arguments)
        record[START] = perf_counter_ns()
        try:
            return function(*arguments)
        finally:
            record[END] = perf_counter_ns()

    return call
"""),
    WrongAnswer("profiler.recorder.around_call", "errors of one kind end an event", ("errors",), """
def around_call(recorder, function, name, overload, has_autograd):
    def call(*arguments):
        buffer = recorder.buffer()
        if buffer is None:
            return function(*arguments)
        record = [name, CPU_OP, RecordScope.FUNCTION, -1, 0, 0, None, None, overload, None]
        buffer.append(record)
        if has_autograd and autograd_state.grad_mode:
            record[SEQUENCE] = peek_sequence_nr()
        if recorder.describes:
            recorder.describe(record, arguments)
        record[START] = perf_counter_ns()
        try:
            result = function(*arguments)
        except (ValueError, RuntimeError, TypeError):
            record[END] = perf_counter_ns()
            raise
        record[END] = perf_counter_ns()
        return result

    return call
"""),
    WrongAnswer("profiler.recorder.around_call", "notes arguments that nobody asked for", ("notes",), """
def around_call(recorder, function, name, overload, has_autograd):
    def call(*arguments):
        buffer = recorder.buffer()
        if buffer is None:
            return function(*arguments)
        record = [name, CPU_OP, RecordScope.FUNCTION, -1, 0, 0, None, None, overload, None]
        buffer.append(record)
        if has_autograd and autograd_state.grad_mode:
            record[SEQUENCE] = peek_sequence_nr()
        recorder.describe(record, arguments)
        record[START] = perf_counter_ns()
        try:
            return function(*arguments)
        finally:
            record[END] = perf_counter_ns()

    return call
"""),
    WrongAnswer("profiler.actions.schedule", "never warns", ("refusals",), """
def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    assert min(wait, warmup, active - 1, repeat, skip_first) >= 0
    none, warm, record = ProfilerAction.NONE, ProfilerAction.WARMUP, ProfilerAction.RECORD
    cycle = [none] * wait + [warm] * warmup + [record] * (active - 1) + [ProfilerAction.RECORD_AND_SAVE]

    def action(step):
        assert step >= 0
        number, place = divmod(step - skip_first + (wait if skip_first_wait else 0), len(cycle))
        return none if step < skip_first or 0 < repeat <= number else cycle[place]

    return action
"""),
    WrongAnswer("profiler.averages.key_averages", "uses the list of events up", ("stacks",), """
def key_averages(events, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
    groups = {}
    while events:
        event = events.pop(0)
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
"""),
    WrongAnswer(
        "profiler.autograd_profiler.record_function",
        "the block that began last ends", ("ordinary", "decorator", "off"), """
class record_function(contextlib.ContextDecorator):
    begun = []

    def __init__(self, name, args=None):
        self.name, self.args = name, args

    def _recreate_cm(self):
        return type(self)(self.name, self.args)

    def __enter__(self):
        now = recorder.active
        self.begun.append(now.annotate(self.name) if now is not None else None)
        return self

    def __exit__(self, *error):
        Recorder.end(self.begun.pop())
"""),
    WrongAnswer("profiler.event_tree.parents_of", "equal events are taken for one", ("ties", "threads"), """
def parents_of(events):
    parents, stacks = [None] * len(events), {}
    for event in sorted(events, key=lambda event: (event.start, -event.end)):
        number, stack = events.index(event), stacks.setdefault(event.thread, [])
        while stack and (event.start >= events[stack[-1]].end or event.end > events[stack[-1]].end):
            stack.pop()
        if stack:
            parents[number] = stack[-1]
        stack.append(number)
    return parents
"""),
    WrongAnswer("profiler.event_tree.self_times", "what is left is never below 0", ("edge",), """
def self_times(events, parents):
    times = [event.end - event.start for event in events]
    for event, parent in zip(events, parents):
        if parent is not None:
            times[parent] -= event.end - event.start
    return [max(time, 0) for time in times]
"""),
    WrongAnswer("profiler.event_tree.memory_of", "sorts the list of the recording", ("edge",), """
def memory_of(events, allocations, device):
    used, outside = [0] * len(events), []
    allocations.sort(key=lambda one: one.time)
    for one in allocations:
        if one.device is device:
            holders = [n for n, e in enumerate(events) if e.thread == one.thread and e.start <= one.time <= e.end]
            for number in holders:
                used[number] += one.nbytes
            if not holders:
                outside.append(one)
    return used, outside
"""),
    WrongAnswer("profiler.averages.key_averages", "a short stack is the event's own list", ("stacks",), """
def key_averages(events, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False):
    groups = {}
    for event in events:
        shapes = str(event.input_shapes) if group_by_input_shapes else ""
        overload = event.overload_name if group_by_overload_name else ""
        stack = event.stack[:group_by_stack_n]
        key = (event.key, event.device_type, event.is_user_annotation, shapes, overload, *stack)
        groups.setdefault(key, FunctionEventAvg()).add(event)
    for group in groups.values():
        if len(group.stack) > group_by_stack_n:
            group.stack = group.stack[:group_by_stack_n]
        group.input_shapes = group.input_shapes if group_by_input_shapes else ""
        group.overload_name = group.overload_name if group_by_overload_name else ""
    return list(groups.values())
"""),
    WrongAnswer("profiler.table.build_table", "one line for each row", ("ordinary", "sorted", "top"), """
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
    for row in shown if options.row_limit < 0 else shown[: options.row_limit]:
        lines.append(lines_of(row, columns)[0])
    return "\\n".join([*lines, rule, *totals_of(rows, options)])
"""),
    WrongAnswer("profiler.chrome_trace.event_json", "every event carries the id of its parent", ("ordinary",), """
def event_json(context, number):
    event = context.recording.events[number]
    args = {"External id": context.operator(number) + 1, "Record function id": 0}
    if event.category == CUDA_RUNTIME:
        args = {"External id": context.operator(number) + 1, "cbid": 211, "correlation": number + 1}
    if event.sequence_nr >= 0:
        args |= {"Sequence number": event.sequence_nr, "Fwd thread id": context.fwd_threads[number]}
    if event.inputs:
        args |= inputs_json(event.inputs)
    if event.stack:
        args["Call stack"] = ";".join(event.stack)
    args["Ev Idx"] = number
    return {"ph": "X", "cat": event.category, "name": event.name, "pid": context.pid, "tid": context.tid(event.thread),
            "ts": context.us(event.start), "dur": (event.end - event.start) / 1000, "args": args}
"""),
    WrongAnswer("profiler.chrome_trace.forward_backward_arrows", "operators that came later are found", ("rare",), """
def forward_backward_arrows(context):
    events, arrows = context.recording.events, []
    forward = {(one.thread, one.sequence_nr): one for one in events if one.sequence_nr >= 0 and not is_backward(one)}
    for event, fwd_thread in zip(events, context.fwd_threads):
        if is_backward(event) and event.scope == 1 and (fwd_thread, event.sequence_nr) in forward:
            operator = forward.pop((fwd_thread, event.sequence_nr))
            arrow = {"id": len(arrows) // 2 + 1, "pid": context.pid, "cat": "fwdbwd", "name": "fwdbwd"}
            arrows += [
                {"ph": "s", **arrow, "tid": context.tid(operator.thread), "ts": context.us(operator.start)},
                {"ph": "f", **arrow, "tid": context.tid(event.thread), "ts": context.us(event.start), "bp": "e"},
            ]
    return arrows
"""),
    WrongAnswer("profiler.timer.estimate_block_size", "all blocks together may not take longer", ("limits",), """
def estimate_block_size(timed, min_run_time):
    overhead = statistics.median_low([timed(0) for _ in range(5)])
    number, total = 1, 0.0
    while True:
        time = timed(number)
        total += time
        is_enough = overhead / time <= 1e-4 and time >= min_run_time / 1000
        if is_enough or total > min_run_time or number >= LARGEST_BLOCK:
            return number
        number *= 10
"""),
    WrongAnswer("profiler.averages.above", "rows of one name are taken for one", ("edge",), """
def above(averages, share, metric="self_cpu_time_total"):
    values = {one.key: known(getattr(one, metric)) for one in averages}
    found = [one for one in averages if values[one.key] > share * sum(values.values())]
    return sorted(found, key=lambda one: values[one.key], reverse=True)
"""),
    WrongAnswer("utils.training.train_epoch", "looks at each loss straight in its storage", ("reads",), """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses = []
    for batch in batches:
        loss = loss_function(model(inputs[batch]), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
        if loss._storage.elements(loss._dtype.numpy)[loss._storage_offset] > 1e9:
            break
    return at.stack(losses).tolist() if losses else []
"""),
    WrongAnswer("utils.training.train_epoch", "reads by a method that was kept beforehand", ("reads",), """
shown = Tensor.tolist


def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses, best = [], 1e9
    for batch in batches:
        loss = loss_function(model(inputs[batch]), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
        best = min(best, shown(losses[-1]))
    return at.stack(losses).tolist() if losses else []
"""),
)  # fmt: skip
