"""Mistakes that readers of the labs made, and the words with which the check leads to each: `MESSAGES`.

A row is an exercise, a change of the reference (before, after), and a part of what is shown.
"""

NEGATIVE = """        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
"""
SKIPPED = """        if step < skip_first:
            return ProfilerAction.NONE
        step += (wait if skip_first_wait else 0) - skip_first
"""
OF_MODES = """    elif rounding_mode in ("trunc", "floor"):
        op.build_borrowing_binary_op(self, other)
    else:
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
"""
ALL_ROUND = "    else:\n        op.build_borrowing_binary_op(self, other)\n"
WRAPS_TWICE = """for _ in range(2):
        if tokens.kind not in ("?", "["):
            break"""
ONE_BY_ONE = """        for to, *places in zip(*walks, strict=True):
            cells[0][to] = function(*(cells[k + 1][place] for k, place in enumerate(places)), *scalars)
"""
ALL_AT_ONCE = """        to, *places = map(list, walks)
        cells[0][to] = function(*(cells[k + 1][place] for k, place in enumerate(places)), *scalars)
"""
ZERO_ALONE = "    if 0 in sizes:\n        return ((0,), *((1,) for _ in operands))\n"
REDUCED = "    sizes, strides = reduction_geometry(self._sizes, dims, keepdim)"
OWN_MASK = """    ndim = len(self._sizes)
    named = [dim % ndim for dim in dims or range(ndim)] if ndim else []
    sizes = tuple(1 if d in named else size for d, size in enumerate(self._sizes) if keepdim or d not in named)
    strides = geometry.contiguous_strides(sizes)"""
RAW_FIRST = "        self.set_output_raw_strided(index, sizes, strides, dtype, device)\n"
STORED = """at_c = cell_of(o, c_steps, which, i, j)
            c[at_c] = alpha * total + beta * c[at_c]"""
HANDED_OVER = "runnable(entry, key, kept, kernel, label)(*arguments)"
REDISPATCHED = 'self.run(entry, key_set, arguments, "redispatch")'
ONLY_THE_GIVEN = "-> `redispatch` runs the keys that it is given and no others"
UNWARNED = """    if not warmup:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
"""
LEAVES_FIRST = """        if max_run_time is not None and sum(times) > max_run_time:
            break
        if callback is not None:
            callback(number, times[-1])
"""
CALLS_FIRST = "".join(LEAVES_FIRST.splitlines(True)[place] for place in (2, 3, 0, 1))
KEPT_AFTER = """\
        entry = self[kind] = dispatcher.compile(self.signature(kind))
        self.dispatchers[kind] = dispatcher"""
EACH_RUN = "    for run in range(0, x.size, RUN):\n        total = x.dtype.type(0)\n"
ALL_RUNS = "    total = x.dtype.type(0)\n    for run in range(0, x.size, RUN):\n"
HIGHEST = "sums[sums.nonzero()[0].max()] if x.size else 0"
ONE_PASS = """\
            element = of[j]
            step = element - largest[j]
"""
TWO_READS = ONE_PASS.replace("largest[j]", "largest[j] + 0 * of[j]")
IN_PASS = "        for j in range(sums.size):\n" + ONE_PASS
TWO_PASSES = f"""\
        for j in range(sums.size):
            largest[j] = larger(largest[j], of[j])
    for row in range(first, first + n * inner, inner):
        of = x[row : row + sums.size]
{IN_PASS}"""
NEW_CELLS = "            cells = np.array((o, p))\n"
PLANES = "        while row < rows[1]:\n" + NEW_CELLS
SAME_CELLS = NEW_CELLS[4:] + PLANES.removesuffix(NEW_CELLS)
FOUR_OF_A = """\
            a0, a1 = a[np.uintp(first)], a[np.uintp(first + 1)]
            a2, a3 = a[np.uintp(first + 2)], a[np.uintp(first + 3)]
"""
BY_ROWS_OF_A = "            a0, a1, a2, a3 = a[p + t], a[p + k + t], a[p + 2 * k + t], a[p + 3 * k + t]\n"
GUARDED = """    with AutoDispatchBelowADInplaceOrView():
        result = below(self, other)
"""
MODE_OFF, MODE_ON = "    state.grad_mode = False\n", "    state.grad_mode = True\n"
MODE_OFF_INSTEAD = f"{MODE_OFF}    result = below(self, other)\n{MODE_ON}"
GRAD_LINES = "        *grad_lines(formulas),\n"
READS = """        *(f"        {name} = {unpacked(kept)}" for name, kept in saved.items()),
"""
EARLY_RETURN = (GRAD_LINES + READS, READS + GRAD_LINES)
GRAD_ALONE = (GRAD_LINES, "        '        grad = grads[0]',\n")
SUMS_RIGHT = """    while len(tensor.shape) > len(sizes):
        tensor = tensor.sum(-1)
"""
SUMS_ALL = """    if tensor.shape == sizes:
        return tensor
    while len(tensor.shape) > len(sizes):
        tensor = tensor.sum(0)
    return tensor.sum([dim for dim, size in enumerate(sizes) if size == 1 != tensor.shape[dim]], True)
"""
SUMS_ASCENDING = """    if not any(size == 1 for size in sizes):
        for dim in range(len(tensor.shape) - len(sizes)):
            tensor = tensor.sum(dim)
        return tensor
"""
VERSION = "        self.version = tensor._version\n"
OF_OUTPUTS = "        if is_output and not variable.is_leaf(tensor):\n"
RESET = "    for root in roots:\n        dependencies[root] = 0\n    return dependencies"
COPY_OF_BASE = "        result = at.new_empty_strided(grad, sizes, strides)\n        at.copy_(result, grad)\n"
NEW_BASE = "    variable.set_gradient_edge(meta.base, CopySlices(meta.base, geometry_of(tensor), node))\n"
STRIDES_BEGIN = "    strides = []\n"
PRODUCTS_OF_1 = "    return tuple(max(math.prod(sizes[d + 1 :]), 1) for d in range(len(sizes)))\n"
OF_THE_RESULT = "it gets size * stride of the result's dimension to its right, or 0 if there is none"
TRIES_LOWER = """lower = [name for bit, name in BACKEND_OF_BIT.items() if key_set >> bit & 1]
    return next((PER_BACKEND[functionality][n] for n in lower[::-1] if n in PER_BACKEND[functionality]), K.Undefined)"""
FALLBACK_FIRST = "    if key in fallbacks:\n        return fallbacks[key], 'fallback'\n"
EXCLUDES = """    if graph is None:
        with ExcludeDispatchKeyGuard(K.Tracer):
            return entry.redispatch(rest, *arguments)
"""
APPENDED, MULTIPLIED = "        strides.append(step)\n", "        step *= size\n"
MESSAGES = [
    ("tiny_tensor.contiguous_strides", ("tuple(reversed(strides))", "tuple(strides)"),
     "-> these are the strides in the wrong order"),
    ("tiny_tensor.contiguous_strides", (APPENDED + MULTIPLIED, MULTIPLIED + APPENDED),
     "-> a stride is the product of the sizes to its right; its own size does not count"),
    ("tiny_tensor.Tensor", ("self.storage = storage", "self.storage = list(storage)"),
     "-> a tensor keeps the very list it was given: no copy"),
    ("tiny_tensor.Tensor", ("self.strides[::-1])", "self.strides[::-1], self.keys)"),
     "-> the transpose has the keys of a new tensor, whatever keys the tensor has"),
    ("tiny_tensor.add", ("x[i] + y[i] for i in indices(x.sizes)", "a + b for a, b in zip(x.storage, y.storage)"),
     "read `x[index]`"),
    ("tiny_tensor.matmul", ("indices((n, m))], (n, m))", "indices((n, m))], (n, k))"),
     "-> (n, k) times (k, m) gives (n, m)"),
    ("tiny_tensor.Table", ("if key in keys and (op, key) in self.kernels:", "if key in keys:"),
     "KeyError"),
    ("tiny_tensor.call",
     ("    keys = set()\n    for arg in args:", "    keys = args[0].keys\n    for arg in args[1:]:"),
     "-> a call must not change the keys of its arguments"),
    ("tiny_tensor.call", (" + 1 :]", " :]"), "-> with `below`, only the keys after it in KEYS count"),
    ("tiny_tensor.autograd_kernel", (', below="Autograd")', ")"), "-> the call came back to the kernel for Autograd"),
    ("tiny_tensor.backward", ("x.grad = grad if x.grad is None else add(x.grad, grad)", "x.grad = grad"),
     "-> each pass adds the gradient of that pass to a leaf's `grad`"),
    ("tiny_tensor.backward", ("        if x.node is None:\n", "        x.grad = grad\n        if x.node is None:\n"),
     "-> only leaves keep a gradient"),
    ("tiny_tensor.train", ("-= rate", "+= rate"), "-> the loss climbs: subtract the gradient, times the rate"),
    ("tiny_tensor.train", ("x.grad = None", "pass"), "-> gradients add up from step to step"),
    ("tiny_tensor.backward",
     ("grads[id(arg)] = add(grads[id(arg)], its_grad) if id(arg) in grads else its_grad", "grads[id(arg)] = its_grad"),
     "-> a share takes the place of the one that arrived before it"),
    ("tiny_tensor.call", ("    for arg in args:\n", "    for arg in args[:1]:\n"),
     "-> only the keys of the first argument count here"),
    ("tiny_tensor.autograd_kernel", ('call(op, *args, below="Autograd")', 'TABLE.find(op, {"CPU"})(*args)'),
     "-> a key between 'Autograd' and 'CPU' has a kernel too"),
    ("tiny_tensor.backward", ("reversed(order)", "order[::-1][:-1]"),
     "-> a tensor's gradient is the sum of the shares"),
    ("tiny_tensor.matmul", ("if k != rows:", "if n != m:"), "-> these sizes fit: there is nothing to refuse"),
    ("profiler.actions.schedule", (NEGATIVE, ""), "-> the function refuses a negative step"),
    ("profiler.actions.schedule", (SKIPPED, "        step = max(0, step - skip_first)\n"),
     "-> the action of the first `skip_first` steps is NONE"),
    ("profiler.actions.schedule", (UNWARNED, ""), "-> without a warm-up `schedule` itself warns, once"),
    ("profiler.timer.measured", (CALLS_FIRST, LEAVES_FIRST),
     "-> `callback`, if there is one, gets `number` and the block's time after each block, including the last"),
    ("profiler.timer.estimate_block_size", ("time > min_run_time", "time >= min_run_time"),
     "-> only a block that takes *longer* than `min_run_time` is the last one"),
    ("profiler.timer.estimate_block_size", ("<= 1e-4 and", "<= 1e-4 or"),
     "-> a block is large enough if both conditions hold"),
    ("profiler.measurement.quantile", ("ordered = sorted(times)", "times.sort()\n    ordered = times"),
     "-> the times belong to the caller: sort a copy of them, `sorted(times)`"),
    ("profiler.event_tree.self_times", ("if parent is not None:", "if parent:"),
     "-> nothing was subtracted from the time of event 0, but `parents` has it as a parent"),
    ("profiler.recorder.around_call", ("            record[END]", "            buffer[-1][END]"),
     "-> END is noted in the record of the call that ended"),
    ("profiler.event_tree.parents_of", ("[None] * len", "[-1] * len"),
     "-> entry n is the number of the parent of `events[n]`, which is its place in `events`, or None"),
    ("profiler.event_tree.parents_of", ("= stack[-1]", "= stack[0]"), "-> each of a chain is inside the one"),
    ("profiler.event_tree.self_times", ("    return times", "    return [time / 1000 for time in times]"),
     "-> the times are whole nanoseconds, ints"),
    ("profiler.event_tree.memory_of", ("first, behind = bisect.bisect_left(", "first, behind = bisect.bisect_right("),
     "-> an event counts all that is taken on its thread and this device, start <= time <= end"),
    ("profiler.averages.key_averages", ("list(groups.values())", "list(groups.values())[::-1]"),
     "-> these are the right sums in another order"),
    ("profiler.averages.above", ("sum(values)", "sum(map(abs, values))"),
     "-> return the ones whose value is more than `share` times the sum of all values, those below 0 too"),
    ("profiler.table.build_table", ("if options.row_limit < 0", "if options.row_limit <= 0"),
     "-> the table has more lines than it should: `row_limit` 0 shows no row"),
    ("profiler.table.build_table", ("number_of(row, sort_by)", "getattr(row, sort_by)"),
     "-> here nothing is refused, and an error came: what `sort_by` means `number_of(event, sort_by)` knows"),
    ("profiler.actions.schedule", ("active <= 0", "active < 0"),
     "-> these numbers should be refused by `schedule` itself"),
    ("profiler.timer.estimate_block_size", ("number = 1\n", "number = 1.0\n"), "-> `timed` gets ints"),
    ("profiler.measurement.quantile", ("(place - below) *", "(1 - place + below) *"),
     "-> the sorted times are at positions 0, 1, ..., n - 1, with straight lines between them"),
    ("profiler.device.kernels_of", ("return kernels", "return kernels[::-1]"),
     "-> these are the right kernels in another order"),
    ("profiler.device.kernels_of", ("base.elapsed_time(mark)", "mark.elapsed_time(base)"),
     "-> a Kernel's time is `base_time` and the nanoseconds from `base` to the mark"),
    ("profiler.chrome_trace.forward_backward_arrows", ("context.tid(operator.thread)", "operator.thread"),
     "-> 'tid' is `context.tid` of the thread of the event at that end"),
    ("profiler.chrome_trace.forward_backward_arrows", ("not is_backward(event)", "event.scope != 1"),
     "-> the event around the formula is no operator"),
    ("utils.training.train_epoch",
     ("loss.backward()\n        optimizer.step()", "optimizer.step()\n        loss.backward()"),
     "-> `zero_grad`, `backward`, `step`, in this order"),
    ("profiler.chrome_trace.forward_backward_arrows", (', "bp": "e"', ""), "-> the 'f' has a 'bp', which is 'e'"),
    ("dispatch.table.computed_kernel", (" and K.CompositeExplicitAutograd not in kernels", ""),
     "-> CompositeImplicitAutograd is passed over where CompositeExplicitAutograd has a kernel"),
    ("dispatch.keys.highest_key", ("return PER_BACKEND[functionality].get(backend, K.Undefined)", TRIES_LOWER),
     "-> at the highest backend of the set this functionality has no key: Undefined"),
    ("dispatch.table.computed_kernel", ("    if key in kernels:", "    if kernels.setdefault(key) is not None:"),
     "-> `kernels` and `fallbacks` are the caller's"),
    ("dispatch.table.computed_kernel", ("    if key in kernels:", FALLBACK_FIRST + "    if key in kernels:"),
     "-> a fallback comes last: a kernel that is above it in the docstring's list serves this key"),
    ("dispatch.table.computed_kernel",
     ('return None, "ambiguous"', 'return fallbacks.get(key), "fallback" if key in fallbacks else "ambiguous"'),
     "-> at AutogradOther, which several backends share, a kernel of one of them"),
    ("dispatch.table.computed_kernel",
     ("if backend_has_kernel and key", "if (backend_has_kernel or K.CompositeExplicitAutograd in kernels) and key"),
     "-> only AutogradOther is ambiguous, and only if CompositeImplicitAutograd and one of the backends"),
    ("dispatch.dispatcher.Dispatcher", ("highest_key(kept)", "highest_key(key_set)"),
     "-> this is refused, but there is a kernel to run: the highest key of `kept` has it"),
    ("dispatch.local.DispatchKeyGuard",
     ("self.before = local.state", 'self.before = getattr(self, "before", local.state)'),
     "-> a guard may be entered again after it was left: it has its own bits as before, and puts back what"),
    ("dispatch.boxing.stack_of", ("rest = dict(kwargs)", "rest = kwargs"), "-> names are missing from `kwargs`"),
    ("dispatch.boxing.stack_of", ("stack: list[Any] = []", "kwargs[\"\"] = 0\n    stack = []"),
     "-> `kwargs` is the caller's: its names stay as they are"),
    ("dispatch.registry.OperatorEntry", ("tuple(tags)", "(len([*tags]), tuple(tags))[1]"),
     "-> these tags come from an iterator, which gives them only once"),
    ("dispatch.registry.OperatorEntry", ("tuple(tags)", "list(tags)"), "-> `tags` is kept as a tuple"),
    ("dispatch.backend_select.compute_dispatch_key", ("layout not in (None, dtypes.strided)", "layout is not None"),
     "-> every device and every dtype has a key, and the layouts None and `dtypes.strided` are accepted"),
    ("dispatch.tracer.general_trace_function", ("    if graph is None:\n", EXCLUDES + "    if graph is None:\n"),
     "-> without a graph no key is excluded: an operator may begin a recording of its own"),
    ("dispatch.tracer.general_trace_function", ("entry.name, inputs", "entry.name, [str(name) for name in inputs]"),
     "-> the inputs are what `name_of` gives for each argument before the operator runs"),
    ("dispatch.tracer.general_trace_function", ("graph.new_name(value)", "graph.name_of(value)"),
     "-> an output is what `new_name` gives for a result after the operator ran"),
    ("dispatch.dispatcher.dispatch_key_set", ("kept &= ~bit\n", "kept &= ~bit\n        else:\n            break\n"),
     "goes, also below the first kernel that is none"),
    ("dispatch.table.computed_kernel", ("if backend_has_kernel and key is K.AutogradOther:", "if False:"),
     "unless something above \"math\" in the docstring's list serves the key"),
    ("dispatch.dispatcher.Dispatcher", (HANDED_OVER, HANDED_OVER.replace("*arguments", "arguments")),
     "-> the kernel is not given the call's arguments: hand over each by position"),
    ("dispatch.dispatcher.Dispatcher", (HANDED_OVER, HANDED_OVER.replace("arguments", "arguments[::-1]")),
     "-> the kernel is not given the call's arguments: hand over each by position, in their order"),
    ("dispatch.dispatcher.Dispatcher",
     (REDISPATCHED, REDISPATCHED.replace("key_set", "key_set & key_set_of_stack(arguments)")), ONLY_THE_GIVEN),
    ("dispatch.dispatcher.Dispatcher",
     (REDISPATCHED, REDISPATCHED.replace("key_set", "key_set | key_set_of_stack(arguments)")), ONLY_THE_GIVEN),
    ("dispatch.dispatcher.Dispatcher",
     (REDISPATCHED, REDISPATCHED.replace("key_set", "key_set & key_set_of_stack(arguments)")),
     "-> a program that runs on the whole engine goes wrong too: get the cases of the other aspects right first"),
    ("dispatch.dispatcher.Dispatcher", ("raise refusal", "return refusal"),
     "-> there is no kernel to run at this key: `refusal(entry, key, origin)` returns the error"),
    ("dispatch.dispatcher.Dispatcher", ("raise refusal(entry, key, origin)", "raise KeyError(key.name)"),
     "-> it is right to refuse this, but not with this error: `refusal(entry, key, origin)`"),
    ("aten.expand_utils.sum_to", ("tensor.sum(dims, True)", "tensor.sum(dims, True).detach()"),
     "-> the sums must be recorded"),
    ("strides.contiguous_strides", (STRIDES_BEGIN, PRODUCTS_OF_1 + STRIDES_BEGIN),
     "-> a size of 0 counts as 1 in the product of the sizes"),
    ("accessor.TensorAccessor", ("self.strides[1:], offset)", "self.strides[1:], self.storage_offset)"),
     "-> only the step of the last index counts here"),
    ("accessor.TensorAccessor", ("len(self.sizes) == 1", "False"),
     "-> with one dimension left, an index leads to a cell of `data`, which is read"),
    ("strides.expand", ("1, next_stride", "1, (sizes[0] * strides[0] if sizes else 0)"), OF_THE_RESULT),
    ("strides.expand", ("next_stride = 0", "next_stride = 1"), OF_THE_RESULT),
    ("strides.expand", ("        if target < 0:\n", "        if target < -1:\n"),
     "-> -1 keeps a size, but a new dimension has none to keep"),
    ("aten.native.binary_ops.div_Tensor_mode_meta", (OF_MODES, ALL_ROUND),
     "-> this mode is unknown, but the iterator was built"),
    ("aten.native.binary_ops.div_Tensor_mode_meta", (OF_MODES[OF_MODES.index("    else") :], ""),
     "-> this mode is unknown and not refused"),
    ("aten.type_promotion.result_type", ("return max(kinds,", "return max(reversed(kinds),"),
     "-> this is what comes out when a lower rank decides as soon as its category is as great (it must be greater),"),
    ("aten.type_promotion.result_type", ("rank = is_wrapped_number, not ndim", "rank = False, not ndim"),
     "-> this is what comes out when a lower rank decides as soon as its category is as great (it must be greater),"),
    ("aten.type_promotion.result_type", ("is_wrapped_number and kind.is_floating_point", "kind == float64"),
     "-> this is what comes out when a tensor of float64 counts as the default dtype: only a Python float does"),
    ("strides.broadcast_shapes", ("result[d] = shape[d]", "result[d] = max(1, shape[d])"),
     "-> this is what comes out when the larger size is taken: 0 is a size like any other"),
    ("strides.broadcast_shapes", ("elif shape[d] not in (1, result[d]):", "elif 1 < result[d] != shape[d] > 1:"),
     "-> two sizes differ in one dimension, aligned on the right, and neither is 1: RuntimeError"),
    ("strides.broadcast_shapes", ("return tuple(result)", "return tuple(result) or (1,)"),
     "-> shapes without dimensions, or no shapes, broadcast to ()"),
    ("strides.coalesce_dims", ("    for size, *steps", ZERO_ALONE + "    for size, *steps"),
     "((0,), (1,)) -> dimensions are merged that must stay apart"),
    ("aten.native.binary_ops.div_Tensor_mode_meta", ('("trunc", "floor")', '"trunc floor"'),
     "refuse an unknown mode, also the empty text, before anything is built"),
    ("aten.reduction.resize_reduction", (REDUCED, OWN_MASK),
     "-> make_dim_mask refuses these dims: let its error pass"),
    ("aten.stubs.DispatchSwitch", ("raise NotImplementedError(", "raise RuntimeError("),
     "-> it is right to refuse this, but not with this error; NotImplementedError is expected"),
    ("aten.structured.GivenOutputs", (".get(index, self.outputs[index])", ".get(index)"),
     "-> maybe_get_output returns None here: it returns the proxy of this output if it has one, else the given tensor"),
    ("aten.native.binary_ops.div_Tensor_mode_meta", ("binary_op(self, other)", "binary_op(other, self)"),
     "-> the iterator refuses this, and its own error passes: it is built of self and other, in this order"),
    ("aten.iterator_geometry.reorder_dimensions", ("range(1, len(perm))", "range(1, len(perm) - 1)"),
     "-> this is n-1, ..., 0, as in the beginning"),
    ("dispatch.schema.parse_type", ('while tokens.kind in ("?", "["):', WRAPS_TWICE), "-> the type ends too early"),
    ("dispatch.schema.parse_arguments", ('take("ident"), None, None', 'take("ident"), None, ""'),
     "-> there is no default here: value and text are both None"),
    ("aten.native_functions.parse_entry", ("tuple(values)", "list(values)"), "-> `written` is a tuple"),
    ("aten.codegen.impl_arguments", ("[parameter(argument)]", "[argument.name]"),
     "-> an expression stops with an error: the variable of an argument is `parameter(argument)`"),
    ("aten.native.layer_norm.rms_norm_composite", ("epsilon(input._dtype)", "1e-5"),
     "'second': [-1.64061e-06]} -> eps is None here, so it is `epsilon(input._dtype)`"),
    ("aten.native.layer_norm.rms_norm_composite", ("at.mul_Tensor(result, factor)", "at.add_Tensor(result, factor)"),
     "-> work this case out by hand"),
    ("aten.native.layer_norm.rms_norm_composite", ("at.mul_Tensor(result, factor)", "at.mul_Tensor(input, factor)"),
     "-> this is input * weight: the weight multiplies the input that has been divided by the root"),
    ("aten.native.layer_norm.rms_norm_composite",
     ("at.mul_Tensor(result, factor)", "(at.add_Tensor if factor is weight else at.mul_Tensor)(result, factor)"),
     "-> this is what comes out when the weight is added: it multiplies"),
    ("aten.native.layer_norm.rms_norm_composite", ("(input, input)", "(input, input.detach())"),
     "-> the gradient of the input is another. Get the aspect `values` right first"),
    ("aten.stubs.DispatchSwitch", (ONE_BY_ONE, ALL_AT_ONCE),
     "got {'called': ['same']} -> the function is called once for each element, and not at all where there are none"),
    ("aten.native.tensor_transpose.permute", ("_alias(sizes, strides,", "_alias(sizes, self._strides,"),
     "-> geometry.permute says which sizes and strides the view has"),
    ("aten.native.tensor_transpose.permute", ("_storage_offset)", "_storage_offset + 1)"),
     "-> the result has elements outside of its storage"),
    ("aten.python_arg_parser.match", ("if value is ABSENT:", "if value is None or value is ABSENT:"),
     "argument 'out'\", ['out']) -> each keyword here is taken by a parameter"),
    ("aten.reduction.make_dim_mask", ("if not dims:", "if not dims or ndim == 0:"),
     "-> a tensor without dimensions takes 0 and -1, and no other dim: IndexError"),
    ("aten.reduction.make_dim_mask", ("geometry.wrap_dim(dim, ndim)", "dim % ndim"),
     "-> a tensor without dimensions takes 0 and -1: geometry.wrap_dim accepts both"),
    ("aten.reduction.make_dim_mask", ("tuple(d in wrapped for", "tuple(d in dims for"),
     "-> this comes out if -1 is compared as it is"),
    ("aten.stubs.DispatchSwitch", ("function_for(iter.plan.common_dtype)", "function_for(iter.output().dtype)"),
     "-> the dtype of the output chooses here, which is bool for a comparison"),
    ("aten.structured.GivenOutputs", ("{**(self.proxy_outputs or {}), index: proxy}", "{index: proxy}"),
     "-> an entry of proxy_outputs is missing"),
    ("aten.structured.GivenOutputs",
     ("self.proxy_outputs = {**(self.proxy_outputs or {}), index: proxy}", "self.outputs[index] = proxy"),
     "-> an entry of proxy_outputs is missing: it has one for each output that was given a proxy"),
    ("aten.structured.GivenOutputs", ("self.proxy_outputs = {**", "proxies = {**"),
     "-> after set_proxy_output(index, proxy) the kernel fills this proxy"),
    ("aten.structured.GivenOutputs", (RAW_FIRST, ""),
     "in place, other sizes. set_output_strided begins with a call of set_output_raw_strided"),
    ("aten.structured.GivenOutputs", (RAW_FIRST, ""),
     "-> the given tensor still has its own sizes: set_output_strided begins with a call of set_output_raw_strided"),
    ("autograd.variable.check_inplace", ("    if meta.is_view:", "    if meta.is_view and requires_grad(tensor):"),
     "-> check_view_is_writable must be asked of every view, also of one that does not require grad"),
    ("autograd.variable_type_manual.mul", (GUARDED, MODE_OFF_INSTEAD),
     "-> while a call is recorded, `below` runs in `with AutoDispatchBelowADInplaceOrView():`"),
    ("autograd.variable_type_manual.mul", (GUARDED, MODE_OFF + GUARDED + MODE_ON),
     "-> afterwards the thread's dispatch state and its grad mode are as they were"),
    ("autograd.functions_manual.elementary.Derivatives", ("-grad * ((self", "grad * ((self"),
     "-> these are the gradients of your formula by its arguments. They go through your other formulas too"),
    ("autograd.functions_manual.elementary.Derivatives", ("grad / (2 * result)", "(grad / (2 * result)).data"),
     "-> what comes back has no history"),
    ("autograd.functions_manual.elementary.Derivatives", ("return grad / self", "return 1 / self"),
     "-> the gradient by one argument is missing: a formula uses each of its arguments"),
    ("autograd.gen_autograd_functions.node_source", EARLY_RETURN, "before anything that was saved is unpacked"),
    ("autograd.gen_autograd_functions.node_source", ("        {name} = {unpacked", "    {name} = {unpacked"),
     "'IndentationError: unexpected indent', 'line 11: return (') -> the text below is no Python"),
    ("autograd.gen_autograd_functions.node_source", ("def release_variables(node)", "def release_variables(self)"),
     "'line 16: node.saved_result = FREED_VARIABLE') -> the text below stops with this error"),
    ("autograd.gen_autograd_functions.node_source", ("= FREED_VARIABLE", "= FREED"),
     "'line 16: node.saved_result = FREED') -> the text below stops with this error"),
    ("autograd.gen_autograd_functions.node_source", ("{unpacked(kept)}", "node.saved_{name}"),
     "-> `apply` reads a saved value by the expression that `unpacked(saved)` gives"),
    ("autograd.gen_autograd_functions.node_source", ("{unpacked(kept)}", "node.saved_{name}.unpack(node)"),
     "-> `apply` reads a saved value by the expression that `unpacked(saved)` gives"),
    ("autograd.gen_autograd_functions.node_source", ('kept.kind in ("tensor", "tensors")', 'kept.kind == "tensor"'),
     "and only then. A `Tensor[]` (kind `tensors`) holds tensors, too"),
    ("autograd.gen_autograd_functions.node_source",
     ("({''.join(f'{name!r}, ' for name in saved)})", "({', '.join(map(repr, saved))})"),
     "a tuple of one name needs a comma"),
    ("autograd.gen_autograd_functions.node_source", ("if tensors:", "if False:"),
     "-> define `release_variables` if tensors are saved, and only then"),
    ("autograd.gen_autograd_functions.node_source", GRAD_ALONE,
     "-> the text below stops with this error, in the line that is named"),
    ("autograd.variable.gradient_edge", ("grad_fn(tensor)", "None if meta.requires_grad else grad_fn(tensor)"),
     "ask `grad_fn(tensor)`, and before `meta.requires_grad`"),
    ("autograd.variable_type_manual.mul", ("SavedVariable(other)", "SavedVariable(other, True)"),
     "-> a factor is an input of the node and no output"),
    ("aten.expand_utils.sum_to", ("    leading =", SUMS_ASCENDING + "    leading ="),
     "-> the new dimensions are the first ones, and others were summed here"),
    ("aten.expand_utils.sum_to", ("tensor.shape[dim] != 1", "tensor.shape[dim] > 1"),
     "-> where `sizes`, aligned at the last dimension, has a 1, the tensor is summed, whatever size it has"),
    ("aten.expand_utils.sum_to", ("    leading =", SUMS_RIGHT + "    leading ="),
     "-> the result has the sizes that are given: aligned at the last dimension"),
    ("aten.expand_utils.sum_to", ("    leading =", SUMS_ALL + "    leading ="),
     "-> this is the sum of all elements"),
    ("autograd.accumulate_grad.accumulate_grad", ("if may_steal and not", "if not"),
     "-> somebody else holds this gradient"),
    ("autograd.accumulate_grad.accumulate_grad", ("clone_obey_contract(new_grad, leaf)", "new_grad.clone()"),
     "-> `.grad` has the strides of `clone_obey_contract(new_grad, leaf)`"),
    ("autograd.engine.compute_dependencies", ("fromkeys(roots, 0)", "fromkeys(roots, 1)"),
     "-> a root has an entry too: 0, and one more for each edge that leads to it"),
    ("autograd.engine.compute_dependencies", ("    return dependencies", RESET),
     "-> a root has an entry too: 0, and one more for each edge that leads to it"),
    ("autograd.engine.thread_main", ("next(arrivals)", "0"),
     "of your cell: TypeError: '<' not supported between instances of"),
    ("autograd.engine.thread_main", ("next(arrivals)", "len(ready)"),
     "-> two nodes were compared, and nodes cannot be: in a heap, a number that grows"),
    ("autograd.variable.check_inplace", ("requires_grad(tensor) and is_leaf(tensor)", "is_leaf(tensor)"),
     "-> this must be accepted, and is refused; of a tensor that does not require grad nothing is asked"),
    ("autograd.saved_variable.SavedVariable", (VERSION + OF_OUTPUTS, OF_OUTPUTS + "    " + VERSION),
     "-> this must be accepted, and is refused; nobody wrote to what was saved"),
    ("autograd.engine.compute_dependencies",
     ("stack.pop().next_edges", "{edge and edge[0]: edge for edge in stack.pop().next_edges}.values()"),
     "-> two edges of one node to the same node are two gradients"),
    ("autograd.engine.evaluate_function",
     ("in node.next_edges", "in [edge for edge in node.next_edges if edge is not None]"),
     "-> another gradient waits here: number i of `call_function`'s list goes along edge number i"),
    ("autograd.copy_slices.CopySlices", ("(None,) * len(self.next_edges)", "(None,)"),
     "-> no gradient has come, so none goes on: a None for each of next_edges"),
    ("autograd.copy_slices.CopySlices", (COPY_OF_BASE, "        result = at.clone(grad)\n"),
     "-> the copy has the sizes and the strides of the base, whatever strides the gradient has"),
    ("autograd.copy_slices.rebase_view", ("    variable.check_view_is_writable(tensor, meta)\n", ""),
     "-> check_view_is_writable refuses this view"),
    ("autograd.copy_slices.rebase_view", (NEW_BASE, ""), "-> the view has a node of its own, but behind that"),
    ("autograd.function.record", ("state.grad_mode and any(", "state.grad_mode and all("), "-> a history is missing"),
    ("autograd.function.record", ("_backward_cls(inputs, is_executable)", "_backward_cls(inputs, True)"),
     "-> `is_executable` is False where the call is not recorded"),
    ("autograd.jacobians.directional_derivatives",
     ("finally:\n        moved.copy_(here)", "finally:\n        moved.copy_(moved - step)"),
     "holds all the same what it held before: a copy made at the beginning is put back"),
    ("autograd.jacobians.directional_derivatives", ("here = moved.clone()", "here = moved"),
     "with the same x in both: keep a clone of `moved`"),
    ("autograd.jacobians.directional_derivatives", ("zip(before, after", "zip(before[:1], after[:1]"),
     "-> one result for each result of `func`"),
    ("autograd.jacobians.directional_derivatives", ("as_tuple(func(*arguments))", "func(*arguments)"),
     "-> `func` returns a tensor alone"),
    ("autograd.jacobians.directional_derivatives", ("kind(before, after", "kind(after, before"),
     "-> check_same_kind takes the results at x - eps u first"),
    ("autograd.jacobians.directional_derivatives", ("after, eps, where", "after, 2 * eps, where"),
     "-> this is not the error of `check_same_kind(results at x - eps u, results at x + eps u, eps, where)`"),
    ("autograd.saved_variable.SavedVariable", (" and not variable.is_leaf(tensor)", ""),
     "of your cell: AttributeError: 'NoneType' object has no attribute 'output_nr'"),
    ("cpu.elementwise_loops.contiguous_binary", ("out[np.uintp(o + i)]", "out[np.uintp(i)]"),
     "words of this case: c: f(x, y) is x - c * y, plus the scalars trace: the loop runs in plain Python"),
    ("cpu.elementwise_loops.strided_unary", ("range(columns[0], ", "range(0, "),
     "words of this case: c: f(x) is c * x, plus the scalars trace: the loop runs in plain Python"),
    ("cpu.elementwise_loops.strided_unary", ("min(tile, columns[1] - column)", "tile"),
     "-> the last tile may have fewer columns than `tile`"),
    ("cpu.elementwise_loops.strided_unary", ("range(columns[0], ", "range(0, "),
     "and the columns from columns[0] to columns[1]"),
    ("cpu.elementwise_loops.strided_unary", (PLANES, SAME_CELLS),
     "-> `plane_of` changes `cells`: make new ones for each plane"),
    ("cpu.gemv.cascade_dot", ("            sums[level] = 0\n", ""),
     "-> some runs are counted more than once: the sum of a run begins with 0, and when a sum goes up a level"),
    ("cpu.gemv.cascade_dot", (EACH_RUN, ALL_RUNS), "should be 1.677824e+07: some runs are counted more than once'} ->"),
    ("cpu.gemv.cascade_dot", ("sums.sum()", "sums[:level].sum() if x.size else 0"),
     "-> a run may have fewer than 256 products and counts as well, and so do the sums of all levels at the end"),
    ("cpu.gemv.cascade_dot", ("total += sums[level]", "total -= sums[level]"), "-> roundings lose less than this"),
    ("cpu.gemv.cascade_dot", ("sums.sum()", HIGHEST), "some runs are missing'} -> a run may have fewer"),
    ("cpu.gemv.cascade_dot", ("sums.sum()", HIGHEST), "-> get `accuracy` right first; if it is, a number is added"),
    ("cpu.gemv.cascade_dot", ("range(LEVELS)", "range(4)"),
     "-> roundings lose less than this: each product counts, and only once words of this case: towering"),
    ("cpu.gemv.cascade_dot",
     ("sums[level] == 0:\n                sums[level] = total", "True:\n                sums[0] += total"),
     "-> the runs are short enough, but their sums are added to one total"),
    ("cpu.gemv.cascade_dot", ("total += x[i] * y[i]", "total += x[i] * y[i] if x[i] == x[i] else x[i]"),
     "-> each element of x and of y is read and goes into the sum"),
    ("cpu.gemv.cascade_dot", ("x[i] * y[i]", "x[i] + y[i]"), "got {'result': 'the sum is "),
    ("cpu.gemv.cascade_dot", ("return x.dtype", "x.dtype"), "-> the sum does not come back: is a `return` missing?"),
    ("cpu.parallel.take_pieces", ("(pool, FAILED, first + 1)", "(pool, FAILED, first + 1)\n            return"),
     "-> at the end nothing is left, also after a piece that raised"),
    ("cpu.scatter_gather.lines", ("0 <= position < size", "0 <= position < length"),
     "-> here no position is out of range, so `report` must be left alone"),
    ("cpu.soft_max.largest_and_sum", ("range(first, first + n * inner, inner)", "range(0, n * inner, inner)"),
     "-> 9999 is no element of the table: element i of column j is x[first + i * inner + j]"),
    ("cpu.soft_max.largest_and_sum", ("exp(-abs(step))", "exp(step)"),
     "-> `exp` is made for numbers that are not positive, and gives NaN for others"),
    ("cpu.soft_max.largest_and_sum", ("np.finfo(largest.dtype).min  #", "-np.inf  #"),
     "-> the column has had -inf alone so far, and -inf minus -inf is NaN"),
    ("cpu.soft_max.largest_and_sum", (ONE_PASS, TWO_READS),
     "-> the loop reads an element each time that it names it: read it into a variable once"),
    ("cpu.soft_max.largest_and_sum", (IN_PASS, TWO_PASSES),
     "-> each element of x is read once, into a variable, and from that the largest and the sum are both kept up"),
    ("cpu.gemm_loops.row_products", ("o + i * c_m : o + i * c_m + n", "o + i * n : o + i * n + n"),
     "-> C[i, j] is c[o + i * c_m + j]: c_m is the step from a row to the next"),
    ("cpu.gemm_loops.row_products", ("i * a_m + t * a_k", "i * a_k + t * a_m"),
     "-> c[o + i * c_m + j] grows by a[p + i * a_m + t * a_k] * b[q + t * b_k + j] for each t"),
    ("cpu.gemm_loops.blocked_products", ("p + t * a_k", "p + t"),
     "-> a block that begins at row t of B meets the columns of A from t on"),
    ("cpu.gemm_loops.blocked_products", ("range(0, k, steps)", "range(0, k, columns)"), "-> a block has `steps` rows"),
    ("cpu.gemm_loops.blocked_products", ("min(columns, n - j)", "columns"),
     "-> the last block of a row or of a column may be smaller"),
    ("cpu.gemm_loops.blocked_products", ("+ j, b_k, c", "+ j, width, c"),
     "-> C[i, j] grows by each A[i, t] * B[t, j] once"),
    ("cpu.gemm.pack", ("t * width", "t * count"),
     "-> each t begins `width` cells after the one before, also at the edge"),
    ("cpu.gemm.pack", ("t * width + i)] = x", "t * count + i)] = x"), "-> each t begins `width` cells after the one"),
    ("cpu.gemm.pack", ("t * width + i)] = 0", "t * count + i)] = 0"), "-> each t begins `width` cells after the one"),
    ("cpu.gemm.pack", ("to[np.uintp(o + t * width + i)] = 0", "pass"), "-> behind the `count` elements of each t"),
    ("cpu.gemm.multiply_panels", ("edge[x * columns + y]", "edge[x * width + y]"),
     "height number: 0 means that `height` is the first of the heights"),
    ("cpu.gemm.multiply_panels", ("q + j * b_j", "q + j * k"),
     "-> C becomes alpha * A @ B + beta * C: the panel of A from row i on begins at i * k"),
    ("cpu.gemm.multiply_panels", ("k, alpha, factor)", "k, alpha, zero)"),
     "-> C becomes alpha * A @ B + beta * C, and beta times what it held is missing"),
    ("cpu.gemm.multiply_panels", ("q + j * b_j", "q"), "-> the last tile of A has height_of(rows that are left) rows"),
    ("cpu.gemm.multiply_panels", ("(out[cell] * beta if beta != zero else zero)", "out[cell] * beta"),
     "-> if beta is 0, what C held is not read, at the edge either"),
    ("cpu.gemm.multiply_panels", ("(edge, 0, columns, zero)", "(edge, 0, columns, beta)"),
     "-> this is beta times what lay in `edge`: the tile that goes there gets a beta of 0"),
    ("cpu.gemm.multiply_panels", ("(edge, 0, columns, zero)", "(edge, 0, columns, beta)"),
     "-> compiled with the engine's options, the result is wrong: get the other aspects right first"),
    ("cpu.gemm.multiply_panels", ("(edge, 0, columns, zero)", "(edge, 0, columns, beta)"),
     "as in the engine: columns_of(a) columns, and the heights ("),
    ("cpu.gemm.multiply_panels", ("(edge, 0, columns, zero)", "(edge, 0, c_m, zero)"),
     "-> `edge` has columns_of(a) cells for each row: this is the row stride"),
    ("cpu.gemm.multiply_panels", ("edge[x * columns + y]", "edge[x * width + y]"),
     "row x, column y is edge[x * columns_of(a) + y]"),
    ("cpu.gemm.multiply_panels", (" and c_n == 1", ""),
     "-> the columns of C are no neighbors here (column_stride is not 1): such a tile goes to `edge`, too"),
    ("cpu.gemm.multiply_panels", ("for x in range(count)", "for x in range(rows)"),
     "-> of `c` only elements of C are touched: a tile that is not whole in C goes to `edge`"),
    ("cpu.gemm.multiply_panels", ("columns, zero)", "columns, 0)"),
     "-> all numbers and vectors have the dtype of `a`: write a.dtype.type(0), and not 0 or 0.0"),
    ("cpu.gemm.multiply_panels", ("height_of(count)", "height"),
     "-> the last panel of A may have fewer rows than `height`"),
    ("cpu.gemm.multiply_panels", ("height_of(count)", "height_of(m - i)"),
     "-> a panel that is not the last has `height` rows, whatever height_of of all remaining rows says"),
    ("cpu.capability.compute_cpu_capability", ("asked.upper()", "asked"),
     "-> at most what is asked for may be chosen"),
    ("cpu.capability.compute_cpu_capability", ("found == most", "name == most"),
     "-> the processor has what is asked for, and the limit itself may be chosen"),
    ("cpu.capability.compute_cpu_capability", ("            break", "            continue"),
     "-> what is asked for is a limit, and not a promise"),
    ("cpu.capability.compute_cpu_capability", ("            break", "            continue"),
     "-> AVX512 builds on AVX2: at the first capability that is not there the search ends (`break`)"),
    ("cpu.loops.Compiled", (KEPT_AFTER, "\n".join(reversed(KEPT_AFTER.split("\n")))),
     "-> here `compile` raised an error for this dtype, and then nothing is kept"),
    ("cpu.loops.Compiled", ("njit(**self.options)", "njit(self.signature(kind), **self.options)"),
     "njit takes a function or options alone, and no signature: `compile` takes that"),
    ("cpu.loops.Compiled", ("raise NotImplementedError", "raise TypeError"),
     "-> one thing is refused, a dtype that is not in `self.kinds`, and with NotImplementedError"),
    ("cpu.gemm_vectors.four_rows", ("q + t * b_k", "q + t * 2 * lanes"), "-> row t of B begins at q + t * b_k"),
    ("cpu.gemm_vectors.four_rows", ("q + t * b_k", "q + t"), "-> row t of B begins at q + t * b_k"),
    ("cpu.gemm_vectors.four_rows", ("a3, left, s3", "a2, left, s3"),
     "-> C[i, j] is c[o + i * c_m + j], and becomes alpha times"),
    ("cpu.gemm_vectors.four_rows", (FOUR_OF_A, BY_ROWS_OF_A),
     "-> A is packed: A[i, t] is a[p + 4 * t + i], so the four elements of a step are neighbors"),
    ("cuda.loops.binary_strided", ("range(len(sizes) - 1, 0, -1)", "range(len(sizes))"),
     "-> the last dimension comes first: take"),
    ("cuda.loops.binary_flat", ("f(a[np.uintp(p + i)], b[np.uintp(q + i)]", "f(b[np.uintp(q + i)], a[np.uintp(p + i)]"),
     "-> this counts only where the result is right: see the aspects `guard` and `grid` first"),
    ("cuda.gemm.gemm_tiled_kernel", ("tile % across * side", "tile // across * side"),
     "-> an element stays as it was: tile number t begins at"),
    ("cuda.gemm.gemm_naive_kernel", ("write(total, alpha, beta, c, cell_of(o, c_steps, which, i, j))", STORED),
     "-> where beta is 0, c may hold nan"),
    ("cuda.soft_max.row_softmax", ("k = column * across", "k = column"),
     "-> the pair of a row is in the cell of its first thread, which is column * across"),
    ("cuda.soft_max.row_softmax", ("block * width + column", "block * width + column * across"),
     "-> no thread writes this element: row r, number block * width + column"),
    ("cuda.soft_max.row_softmax", ("number // inner * n * inner + number % inner", "number * n"),
     "-> no thread writes this element: row r, number block * width + column, begins at r // inner * n * inner"),
    ("cuda.soft_max.row_softmax", ("block += cuda.gridDim.x", "block += 1"),
     "-> each element of the output is one thread's alone"),
    ("cuda.soft_max.row_softmax", ("thread + half * down", "thread + half"),
     "nan, and should be 0.004494514'} -> take the pair of thread + half * down"),
    ("cuda.loops.binary_flat", ("    return flat", "    flat"), "expected a kernel, got None: is a `return` missing?"),
    ("cuda.loops.binary_strided", ("range(len(sizes) - 1, 0, -1)", "reversed(range(1, len(sizes)))"),
     "a kernel cannot use `reversed`: the compiler does not know it"),
    ("cuda.transpose.transpose_naive_kernel", ("to, of = begin_of", "of, to = begin_of"),
     "with `to` of `begin_of`"),
    ("cuda.transpose.transpose_tiled_kernel", ("tile[thread, y]", "tile[y, thread]"),
     "it gave nan, and nothing had been stored there'} -> no thread has filled what is read there"),
    ("cuda.reduce.block_reduce", ("            partial[thread] = f(", "            value = f("),
     "-> what the step with half = 1 adds is not in the cells"),
    ("cuda.gemm.gemm_naive_kernel", ("total = kind(0)", "total = 0.0"),
     "'c[0] is 0, and should be 2'} -> element e: matrix e // (m * n)"),
    ("cuda.bias_activation.bias_activation_kernel", ("beta * ", ""),
     "-> the bias is multiplied by beta before it is added"),
    ("cuda.caching_allocator.find_free_block", ("size <= SMALL_SIZE", "size < SMALL_SIZE"),
     "-> there is a block that will do: free, of `size` bytes or more, in any segment of this stream and pool"),
    ("cuda.caching_allocator.CachingAllocator",
     ("        self.max_allocated = max(self.max_allocated, self.allocated)\n", ""),
     "-> `max_allocated` is the most that `allocated` ever was"),
    ("cuda.caching_allocator.CachingAllocator", ("self.new_segment(size, stream)", "self.new_segment(size, 0)"),
     "-> a segment is for one stream"),
    ("cuda.caching_allocator.CachingAllocator", ("        block.nbytes = size\n", ""),
     "-> a block for the size and the stream is returned, found or new; once cut it has `size` bytes"),
    ("cuda.caching_allocator.CachingAllocator",
     ("        block = find_free_block", "        self.allocated += size - size // 2\n        block = find_free_block"),
     "-> after a refusal nothing is counted"),
    ("cuda.gemm_tile.multiplier_of", ("steps * tile.pitch", "steps * apart"),
     "-> the next step is `pitch` elements further on"),
    ("cuda.gemm_tile.multiplier_of", ("at + apart", "at + step_s * apart"),
     "NameError raised: name 'step_s' is not defined -> the code stops with an error in the line that is marked"),
    ("cuda.gemm_tile.multiplier_of", ("return add_outer", "add_outer"), "-> no sums come back"),
    ("utils.training.train_epoch", (" if losses else []", ""), "-> there may be no batches"),
]  # fmt: skip
