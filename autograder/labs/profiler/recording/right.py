"""Right answers written in another way than the engine's."""

OTHER_RECORD_FUNCTION = """
class record_function(contextlib.ContextDecorator):
    def __init__(self, name, args=None):
        self.name, self.args = name, args
        self._record = None

    def _recreate_cm(self):
        return type(self)(self.name, self.args)

    def __enter__(self):
        now = recorder.active
        self._record = now.annotate(self.name) if now is not None else None
        return self

    def __exit__(self, *error):
        Recorder.end(self._record)
"""

RIGHT_ANSWERS = {
    "profiler.recorder.around_call": (
        """
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
        """
class Ending:
    def __init__(self, record):
        self.record = record

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.record[END] = perf_counter_ns()


class Call:
    def __init__(self, recorder, function, head, overload, has_autograd):
        self.recorder, self.function, self.head = recorder, function, head
        self.overload, self.has_autograd = overload, has_autograd

    def __call__(self, *arguments):
        buffer = self.recorder.buffer()
        if buffer is None:
            return self.function(*arguments)
        buffer.append([*self.head, -1, 0, 0, None, None, self.overload, None])
        record = buffer[-1]
        if self.recorder.describes:
            self.recorder.describe(record, arguments)
        number = peek_sequence_nr()
        record[SEQUENCE] = number if self.has_autograd and autograd_state.grad_mode else -1
        with Ending(record):
            record[START] = perf_counter_ns()
            return self.function(*arguments)


def around_call(recorder, function, name, overload, has_autograd):
    return Call(recorder, function, (name, CPU_OP, RecordScope.FUNCTION), overload, has_autograd)
""",
    ),
    "profiler.autograd_profiler.record_function": (
        """
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
        OTHER_RECORD_FUNCTION,
    ),
}
