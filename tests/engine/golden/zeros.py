impl("zeros", "CompositeExplicitAutograd", zeros)

def BackendSelect_zeros(size, dtype, layout, device, pin_memory):
    key_set = key_set_of_options(dtype, layout, device)
    return redispatches["zeros"][key_set](size, dtype, layout, device, pin_memory)

impl("zeros", "BackendSelect", BackendSelect_zeros)

impl("zeros.out", "CompositeExplicitAutograd", zeros_out)

def ADInplaceOrView_zeros_out(size, out, below):
    state = local.state
    local.state = state.below
    try:
        below(size, out)
    finally:
        local.state = state
    (out._version_counter or out._shared_version()).value += 1
    return out

impl("zeros.out", "ADInplaceOrView", ADInplaceOrView_zeros_out, below=AFTER_ADINPLACEORVIEW)

def Autograd_zeros_out(size, out, below):
    state = local.state
    local.state = state.below
    try:
        return below(size, out)
    finally:
        local.state = state

# aten::zeros
def call(size, dtype=default_1, layout=default_2, device=default_3, pin_memory=default_4):
    """aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"""
    return calls[local.state][0](size, dtype, layout, device, pin_memory)

def redispatch(key_set, size, dtype=default_1, layout=default_2, device=default_3, pin_memory=default_4):
    """aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor, from a kernel, to the highest key of a set."""
    return redispatches[key_set](size, dtype, layout, device, pin_memory)

# aten::zeros.out
def call(size, out):
    """aten::zeros.out(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)"""
    return calls[local.state][out._key_set](size, out)

def redispatch(key_set, size, out):
    """aten::zeros.out(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!), from a kernel, to the highest key of a set."""
    return redispatches[key_set](size, out)

# zeros
def zeros(*args, **kwargs):
    if not kwargs:
        _given = len(args)
        if _given == 1:
            (size,) = args
            if type(size) is int and MIN <= size < END:
                return below_autograd(at_zeros, (size,), None, None, CPU, False)
            if (_size := as_ints(size)) is not None:
                return below_autograd(at_zeros, _size, None, None, CPU, False)
        if args and (_size := as_ints(args)) is not None:
            return below_autograd(at_zeros, _size, None, None, CPU, False)
    _form, _values = zeros_parser.parse(args, kwargs)
    if _form < 0:
        return zeros(*args, **kwargs)
    size, out, dtype, layout, device, pin_memory, requires_grad = _values
    if out is None:
        return with_requires_grad(below_autograd(at_zeros, size, dtype, layout, device or CPU, pin_memory), requires_grad)
    check_out_type_matches(out, dtype, layout, device)
    return with_requires_grad(at_zeros_out(size, out), requires_grad)
