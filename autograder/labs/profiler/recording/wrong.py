"""Wrong answers to profiler.recorder.around_call, profiler.autograd_profiler.record_function."""

from autograder.labs.profiler.recording.right import OTHER_RECORD_FUNCTION
from autograder.made_up.wrong_answer import WrongAnswer, changed

AROUND_CALL = "profiler.recorder.around_call"
RECORD_FUNCTION = "profiler.autograd_profiler.record_function"

WRONG_ANSWERS = (
    WrongAnswer(AROUND_CALL, "asks for grad mode when the function is wrapped", ("notes",), """
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
    WrongAnswer(AROUND_CALL, "errors of one kind end an event", ("errors",), """
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
    WrongAnswer(AROUND_CALL, "notes arguments that nobody asked for", ("notes",), """
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
    WrongAnswer(AROUND_CALL, "an event is lost when the body raises", ("errors",), """
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
        result = function(*arguments)
        record[END] = perf_counter_ns()
        return result

    return call
"""),
    WrongAnswer(AROUND_CALL, "an error is swallowed", ("errors",), """
def around_call(recorder, function, name, overload, has_autograd):
    def call(*arguments):
        buffer = recorder.buffer()
        if buffer is None:
            try:
                return function(*arguments)
            except Exception:
                return None
        record = [name, CPU_OP, RecordScope.FUNCTION, -1, 0, 0, None, None, overload, None]
        buffer.append(record)
        if has_autograd and autograd_state.grad_mode:
            record[SEQUENCE] = peek_sequence_nr()
        if recorder.describes:
            recorder.describe(record, arguments)
        record[START] = perf_counter_ns()
        try:
            return function(*arguments)
        except Exception:
            return None
        finally:
            record[END] = perf_counter_ns()

    return call
"""),
    WrongAnswer(
        AROUND_CALL, "a record enters the buffer when its call ends", ("ordinary", "notes", "errors", "threads"), """
def around_call(recorder, function, name, overload, has_autograd):
    def call(*arguments):
        buffer = recorder.buffer()
        if buffer is None:
            return function(*arguments)
        record = [name, CPU_OP, RecordScope.FUNCTION, -1, 0, 0, None, None, overload, None]
        if has_autograd and autograd_state.grad_mode:
            record[SEQUENCE] = peek_sequence_nr()
        if recorder.describes:
            recorder.describe(record, arguments)
        record[START] = perf_counter_ns()
        try:
            return function(*arguments)
        finally:
            record[END] = perf_counter_ns()
            buffer.append(record)

    return call
"""),
    WrongAnswer(AROUND_CALL, "one record for all calls of a function", ("ordinary", "notes", "errors", "threads"), """
def around_call(recorder, function, name, overload, has_autograd):
    record = [name, CPU_OP, RecordScope.FUNCTION, -1, 0, 0, None, None, overload, None]

    def call(*arguments):
        buffer = recorder.buffer()
        if buffer is None:
            return function(*arguments)
        buffer.append(record)
        if has_autograd and autograd_state.grad_mode:
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
    WrongAnswer(AROUND_CALL, "the buffer of the thread that made it", ("threads",), (
        "buffer_of, describe = recorder.buffer, recorder.describe if recorder.describes else None",
        "buffer = recorder.buffer()",
        """
buffer = buffer_of()
if buffer is None:
    return function(*arguments)
record = [name, CPU_OP, RecordScope.FUNCTION, -1, 0, 0, None, None, overload, None]
""",
        "record = [name, CPU_OP, RecordScope.FUNCTION, -1, 0, 0, None, None, overload, None]",
        """
if describe is not None:
    describe(record, arguments)
""",
        """
if recorder.describes:
    recorder.describe(record, arguments)
""",
    )),
    WrongAnswer(AROUND_CALL, "what noting costs counts as the operator's time", ("notes",), """
def around_call(recorder, function, name, overload, has_autograd):
    def call(*arguments):
        buffer = recorder.buffer()
        if buffer is None:
            return function(*arguments)
        record = [name, CPU_OP, RecordScope.FUNCTION, -1, perf_counter_ns(), 0, None, None, overload, None]
        buffer.append(record)
        if has_autograd and autograd_state.grad_mode:
            record[SEQUENCE] = peek_sequence_nr()
        if recorder.describes:
            recorder.describe(record, arguments)
        try:
            return function(*arguments)
        finally:
            record[END] = perf_counter_ns()

    return call
"""),
    WrongAnswer(AROUND_CALL, "the sequence number is read when the call is over", ("notes",), """
def around_call(recorder, function, name, overload, has_autograd):
    def call(*arguments):
        buffer = recorder.buffer()
        if buffer is None:
            return function(*arguments)
        record = [name, CPU_OP, RecordScope.FUNCTION, -1, 0, 0, None, None, overload, None]
        buffer.append(record)
        if recorder.describes:
            recorder.describe(record, arguments)
        record[START] = perf_counter_ns()
        try:
            return function(*arguments)
        finally:
            record[END] = perf_counter_ns()
            if has_autograd and autograd_state.grad_mode:
                record[SEQUENCE] = peek_sequence_nr()

    return call
"""),
    WrongAnswer(AROUND_CALL, "a KeyboardInterrupt leaves the event open", ("errors",), (
        """
try:
    return function(*arguments)
finally:
    record[END] = perf_counter_ns()
""",
        """
try:
    result = function(*arguments)
except Exception:
    record[END] = perf_counter_ns()
    raise
record[END] = perf_counter_ns()
return result
""",
    )),
    WrongAnswer(AROUND_CALL, "the sequence number 0 is taken for none", ("notes",),
        ("record[SEQUENCE] = peek_sequence_nr()", "record[SEQUENCE] = peek_sequence_nr() or -1"),
    ),
    WrongAnswer(AROUND_CALL, "the buffer of a thread is kept", ("threads",), (
        "buffer_of, describe = recorder.buffer, recorder.describe if recorder.describes else None",
        """
buffers, describe = {}, recorder.describe if recorder.describes else None
""",
        "buffer = buffer_of()",
        """
thread = get_ident()
if thread not in buffers:
    buffers[thread] = recorder.buffer()
buffer = buffers[thread]
""",
    )),
    WrongAnswer(AROUND_CALL, "START is read before the sequence number is known", ("notes",), (
        """
if has_autograd and autograd_state.grad_mode:
    record[SEQUENCE] = peek_sequence_nr()
if describe is not None:
    describe(record, arguments)
record[START] = perf_counter_ns()
""",
        """
if describe is not None:
    describe(record, arguments)
record[START] = perf_counter_ns()
if has_autograd and autograd_state.grad_mode:
    record[SEQUENCE] = peek_sequence_nr()
""",
    )),
    WrongAnswer(AROUND_CALL, "END is filled in beforehand", ("notes",),
        ("record[START] = perf_counter_ns()", "record[START] = record[END] = perf_counter_ns()"),
    ),
    WrongAnswer(AROUND_CALL, "describes the list of all arguments as one", ("notes",),
        ("describe(record, arguments)", "describe(record, (arguments,))"),
    ),
    WrongAnswer(AROUND_CALL, "swallows a KeyboardInterrupt of a thread that is not looked at", ("errors",), (
        """
if buffer is None:
    return function(*arguments)
""",
        """
if buffer is None:
    try:
        return function(*arguments)
    except (KeyboardInterrupt, Exception) as error:
        raise error
    except BaseException:
        return None
""",
    )),
    WrongAnswer(RECORD_FUNCTION, "ends without looking whether there is an event", ("off",),
        ("Recorder.end(self._record)", """
if recorder.active is None and self._record is None:
    return
self._record[5] = recorder.perf_counter_ns()
"""),
    ),
    WrongAnswer(RECORD_FUNCTION, "the record of the time before is kept", ("off",), (
        "self._record = now.annotate(self.name) if now is not None else None",
        """
if now is not None:
    self._record = now.annotate(self.name)
""",
    )),
    WrongAnswer(RECORD_FUNCTION, "a KeyboardInterrupt does not end the block", ("ordinary", "decorator", "off"),
        ("Recorder.end(self._record)", """
if error[0] is not KeyboardInterrupt:
    Recorder.end(self._record)
"""),
    ),
    WrongAnswer(RECORD_FUNCTION, "an empty name is none", ("ordinary", "decorator", "off"),
        ("self._record = now.annotate(self.name) if now is not None else None",
         "self._record = now.annotate(self.name or 'block') if now is not None else None"),
    ),
    WrongAnswer(RECORD_FUNCTION, "args are forgotten", ("ordinary", "decorator", "off"),
        ("self.name, self.args = name, args", "self.name, self.args = name, None"),
    ),
    WrongAnswer(RECORD_FUNCTION, "a block is entered once only", ("off",), (
        "self._record = now.annotate(self.name) if now is not None else None",
        """
if self._record is None:
    self._record = now.annotate(self.name) if now is not None else None
""",
    )),
    WrongAnswer(RECORD_FUNCTION, "the block that began last ends", ("ordinary", "decorator", "off"), (
        "_record: Record | None = None",
        "begun = []",
        "self._record = now.annotate(self.name) if now is not None else None",
        "self.begun.append(now.annotate(self.name) if now is not None else None)",
        "Recorder.end(self._record)",
        "Recorder.end(self.begun.pop())",
    )),
    WrongAnswer(
        RECORD_FUNCTION, "the recorder is looked up when the block is made", ("ordinary", "decorator", "off"), changed(
        OTHER_RECORD_FUNCTION,
        "self._record = None",
        "self._now, self._record = recorder.active, None",
        """
now = recorder.active
self._record = now.annotate(self.name) if now is not None else None
""",
        "self._record = self._now.annotate(self.name) if self._now is not None else None",
    )),
    WrongAnswer(RECORD_FUNCTION, "the event begins when the block is made", ("ordinary", "decorator", "off"), changed(
        OTHER_RECORD_FUNCTION,
        "self._record = None",
        """
now = recorder.active
self._record = now.annotate(name) if now is not None else None
""",
        """
now = recorder.active
self._record = now.annotate(self.name) if now is not None else None
return self
""",
        "return self",
    )),
    WrongAnswer(RECORD_FUNCTION, "a function that calls itself has one block", ("decorator",), changed(
        OTHER_RECORD_FUNCTION,
        "return type(self)(self.name, self.args)",
        "return self",
    )),
    WrongAnswer(RECORD_FUNCTION, "the block of a call has no args", ("decorator",), changed(
        OTHER_RECORD_FUNCTION,
        "return type(self)(self.name, self.args)",
        "return type(self)(self.name)",
    )),
    WrongAnswer(RECORD_FUNCTION, "no event ends when the block raises", ("ordinary", "decorator", "off"), changed(
        OTHER_RECORD_FUNCTION,
        "Recorder.end(self._record)",
        """
if error[0] is None:
    Recorder.end(self._record)
""",
    )),
    WrongAnswer(RECORD_FUNCTION, "the error of a block is swallowed", ("ordinary", "decorator", "off"), changed(
        OTHER_RECORD_FUNCTION,
        "Recorder.end(self._record)",
        """
Recorder.end(self._record)
return True
""",
    )),
    WrongAnswer(RECORD_FUNCTION, "an event ends only while a profile is on", ("off",), changed(
        OTHER_RECORD_FUNCTION,
        "Recorder.end(self._record)",
        """
if recorder.active is not None:
    Recorder.end(self._record)
""",
    )),
)  # fmt: skip
