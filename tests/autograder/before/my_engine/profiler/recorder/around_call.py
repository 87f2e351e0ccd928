def around_call(recorder: Recorder, function: Function, name: str, overload: str, has_autograd: bool) -> Function:
    """`function`, so that each call of it is an event of `recorder`.

    Args:
        recorder: `recorder.buffer()` is the list of this thread's records; None: this thread is not looked at, and
            the call leaves no record. Asked at each call, since a call may come from any thread.
            `recorder.describe(record, arguments)` notes what is asked for of the arguments and the callers; it is
            called if `recorder.describes`.
        function: takes positional arguments.
        name, overload: "aten::add" and "Tensor".
        has_autograd: whether the call may record a node for the backward pass.
    Returns:
        call(*arguments): what `function(*arguments)` returns or raises. It appends a Record to the buffer,
        `[name, CPU_OP, RecordScope.FUNCTION, -1, 0, 0, None, None, overload, None]`, before any that calls inside it
        append. `record[SEQUENCE]` becomes `peek_sequence_nr()` if it has autograd and `autograd_state.grad_mode` is
        on. `record[START]` is what `perf_counter_ns()` says just before `function` begins, when all else is noted;
        `record[END]` what it says just after `function` has ended, also by an error. Until then both are 0.

    Source: Dispatcher::callWithDispatchKeySlowPath, RecordFunction (aten/src/ATen/record_function.h).
    """
    buffer_of, describe = recorder.buffer, recorder.describe if recorder.describes else None

    def call(*arguments: Any) -> Any:
        buffer = buffer_of()
        if buffer is None:
            return function(*arguments)
        record = [name, CPU_OP, RecordScope.FUNCTION, -1, 0, 0, None, None, overload, None]
        buffer.append(record)
        if has_autograd and autograd_state.grad_mode:
            record[SEQUENCE] = peek_sequence_nr()
        if describe is not None:
            describe(record, arguments)
        record[START] = perf_counter_ns()
        try:
            return function(*arguments)
        finally:
            record[END] = perf_counter_ns()

    return call
