"""Right answers to the second half of lab 3 that are written another way than the reference."""

ANOTHER_WAY = {
    "aten.codegen.wrapper_source": r"""
def wrapper_source(f, group, method, cls, runs_impl, before="", after_meta=""):
    given = given_outputs(f.func)
    read = [a for a in f.func.arguments if not a.is_out]
    fills = ["op.maybe_get_output(%d)" % k if given else "op.outputs[%d]" % k for k in range(len(f.func.returns))]

    def values(item):
        return [f"declared['{d.name}']" for d in item.declarations]

    passes = []
    for argument in read:
        instead = [item for item in group.out.precomputed if item.replaces == argument.name]
        passes += values(instead[0]) if instead else [parameter(argument)]
    for item in group.out.precomputed:
        if not item.replaces:
            passes += values(item)
    body = [
        "op = " + cls + "(" + ", ".join(given) + ")",
        "declared = op.meta(" + names_of(read) + ")",
    ]
    rest = []
    if runs_impl:
        rest.append("op.impl(" + ", ".join(passes + fills) + ")")
    if runs_impl and given:
        rest.append("op.copy_back()")
    rest.append("return " + results_of(f.func, given or fills))
    head = f"def {method}({names_of(f.func.arguments)}):\n"
    body, rest = ["".join(f"    {line}\n" for line in lines) for lines in (body, rest)]
    return head + before + body + after_meta + rest
""",
    "aten.structured.GivenOutputs": r"""
class GivenOutputs(MetaBase):
    __slots__ = ()
    has_given_outputs = True
    resizes = False

    def __init__(self, *outputs):
        self.outputs = list(outputs)
        self.proxy_outputs = None

    def set_output_raw_strided(self, index, sizes, strides, dtype, device):
        given = self.outputs[index]
        if given.dtype != dtype or given.device != device:
            raise RuntimeError("dtype or device of the output is wrong")
        if given._sizes == sizes:
            return
        if not self.resizes:
            raise RuntimeError("an in-place output can't change its sizes")
        resize_output(given, sizes, strides)

    def set_output_strided(self, index, sizes, strides, dtype, device):
        self.set_output_raw_strided(index, sizes, strides, dtype, device)
        if tuple(self.outputs[index].stride()) == tuple(strides):
            return
        self.set_proxy_output(index, new_tensor(sizes, strides, dtype, device))

    def set_proxy_output(self, index, proxy):
        proxies = dict(self.proxy_outputs) if self.proxy_outputs else {}
        proxies[index] = proxy
        self.proxy_outputs = proxies

    def maybe_get_output(self, index=0):
        try:
            return self.proxy_outputs[index]
        except (TypeError, KeyError):
            return self.outputs[index]

    def copy_back(self):
        if not self.proxy_outputs:
            return
        for index, output in enumerate(self.outputs):
            filled = self.maybe_get_output(index)
            if filled is not output:
                at.copy_(output, filled)
        self.proxy_outputs = None
""",
    "aten.native.layer_norm.rms_norm_composite": r"""
def rms_norm_composite(input, ndim, weight, eps):
    n = len(input._sizes)
    eps = epsilon(input._dtype) if eps is None else eps
    mean = at.mean_dim(at.mul_Tensor(input, input), tuple([n - 1 - d for d in range(ndim)]), True)
    y = at.mul_Tensor(at.rsqrt(at.add_Scalar(mean, eps)), input)
    if weight is None:
        return y
    return at.mul_Tensor(weight, y)
""",
    "aten.python_arg_parser.match": r"""
def match(signature, args, kwargs):
    params = signature.parameters
    if signature.spreads and len(args) > 0:
        alone = params[0].accepts(args[0], params[0]) or (params[0].allow_none and args[0] is None)
        together = params[0].accepts(args, params[0])
        positional = [args] if together and not alone else list(args)
    else:
        positional = list(args)
    if len(positional) > signature.max_pos_args:
        return extra_args(signature, args)
    result, used = [], set()
    for i in range(len(params)):
        if i < len(positional):
            value = positional[i]
        elif keyword_value(params[i], kwargs) is not ABSENT:
            value = keyword_value(params[i], kwargs)
            used.add(i)
        elif params[i].default is not ABSENT:
            result.append(params[i].default)
            continue
        else:
            return missing_args(signature, i)
        if not params[i].accepts(value, params[i]):
            if value is not None or not params[i].allow_none:
                return wrong_type(signature, params[i], value, None if i in used else i + 1)
        result.append(value)
    return result if len(used) == len(kwargs) else extra_kwargs(signature, args, kwargs)
""",
    "aten.stubs.DispatchSwitch": r"""
class DispatchSwitch:
    __slots__ = ("name", "functions")

    def __init__(self, name, cases):
        pairs = [(kind, function) for kinds, function in cases for kind in kinds]
        self.functions = dict(pairs)
        self.name = name
        if len(self.functions) < len(pairs):
            raise ValueError(f"{name}: a dtype stands in two cases")

    def function_for(self, kind):
        function = self.functions.get(kind)
        if function is None:
            message = '"{}" not implemented for {!r}'.format(self.name, SCALAR_TYPE_NAMES[kind])
            raise NotImplementedError(message)
        return function

    def __call__(self, iter, *scalars):
        function = self.function_for(iter.plan.common_dtype)
        strides = iter.plan.loop_strides
        places = [x._storage_offset for x in iter.operands]
        arrays = [x._flat() for x in iter.operands]

        def walk(d, places):
            if d == len(iter.plan.loop_sizes):
                values = [array[place] for array, place in zip(arrays, places)]
                arrays[0][places[0]] = function(*values[1:], *scalars)
                return
            for i in range(iter.plan.loop_sizes[d]):
                walk(d + 1, [place + i * steps[d] for place, steps in zip(places, strides)])

        walk(0, places)
""",
    "aten.native_functions.parse_entry": r"""
def parse_entry(fields, file):
    entry = {}
    for number, (name, value, line) in enumerate(fields):
        if name not in READERS or name in entry:
            raise ValueError(f"{file}:{line}: {name} is unknown, or given a second time")
        read, problem = _try(READERS[name], value)
        if problem:
            raise ValueError(f"{file}:{line}: {problem}")
        entry[name] = read
    line_of = {name: line for name, _, line in fields}
    if "func" not in line_of:
        raise ValueError("%s:%d: where is func?" % (file, fields[0][2]))
    location = Location(file, line_of["func"])
    made = NativeFunction(written=tuple(name for name, _, _ in fields), location=location, **entry)
    broken = [(name, reason) for name, is_refused, reason in CHECKS if is_refused(made)]
    if broken:
        raise ValueError(f"{file}:{line_of.get(broken[0][0], location.line)}: {broken[0][1]}")
    return made


def _try(reader, value):
    try:
        return reader(value), ""
    except ValueError as error:
        return None, f"can't be read: {error}"
    except RuntimeError as error:
        return None, f"can't be read: {error}"
""",
}
