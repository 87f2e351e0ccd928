impl("sum", "CompositeExplicitAutograd", sum)

class structured_sum_dim_IntList(Functional):
    __slots__ = ()
    meta = sum_dim_IntList_meta
    impl = sum_out
    device_type = "cpu"

plans_of_sum_dim_IntList = plan_memo()

def wrapper_CPU_sum_dim_IntList(self, dim, keepdim, dtype):
    key = (self._sizes, self._strides, self._dtype, self._wrapped_number, dim, keepdim, dtype)
    declared = plans_of_sum_dim_IntList.get(key)
    if declared is not None:
        geometry, _ = declared
        out = new_dense(*geometry)
        sum_out(structured_sum_dim_IntList, self, dim, keepdim, dtype, out)
        return out
    op = structured_sum_dim_IntList()
    op.meta(self, dim, keepdim, dtype)
    remember_declared(plans_of_sum_dim_IntList, key, op.outputs[0], None)
    op.impl(self, dim, keepdim, dtype, op.outputs[0])
    return op.outputs[0]

impl("sum.dim_IntList", "CPU", wrapper_CPU_sum_dim_IntList)

class structured_sum_dim_IntList_CUDA(structured_sum_dim_IntList):
    __slots__ = ()
    impl = sum_out
    device_type = "cuda"

def wrapper_CUDA_sum_dim_IntList(self, dim, keepdim, dtype):
    op = structured_sum_dim_IntList_CUDA()
    op.meta(self, dim, keepdim, dtype)
    op.impl(self, dim, keepdim, dtype, op.outputs[0])
    return op.outputs[0]

impl("sum.dim_IntList", "CUDA", wrapper_CUDA_sum_dim_IntList)

def wrapper_Meta_sum_dim_IntList(self, dim, keepdim, dtype):
    op = structured_sum_dim_IntList()
    op.meta(self, dim, keepdim, dtype)
    return op.outputs[0]

impl("sum.dim_IntList", "Meta", wrapper_Meta_sum_dim_IntList)

class structured_sum_IntList_out(Out):
    __slots__ = ()
    meta = sum_dim_IntList_meta
    impl = sum_out
    device_type = "cpu"

def wrapper_CPU_sum_IntList_out(self, dim, keepdim, dtype, out):
    op = structured_sum_IntList_out(out)
    op.meta(self, dim, keepdim, dtype)
    op.impl(self, dim, keepdim, dtype, op.maybe_get_output(0))
    if op.proxy_outputs:
        op.copy_back()
    return out

impl("sum.IntList_out", "CPU", wrapper_CPU_sum_IntList_out)

class structured_sum_IntList_out_CUDA(structured_sum_IntList_out):
    __slots__ = ()
    impl = sum_out
    device_type = "cuda"

def wrapper_CUDA_sum_IntList_out(self, dim, keepdim, dtype, out):
    op = structured_sum_IntList_out_CUDA(out)
    op.meta(self, dim, keepdim, dtype)
    op.impl(self, dim, keepdim, dtype, op.maybe_get_output(0))
    if op.proxy_outputs:
        op.copy_back()
    return out

impl("sum.IntList_out", "CUDA", wrapper_CUDA_sum_IntList_out)

def wrapper_Meta_sum_IntList_out(self, dim, keepdim, dtype, out):
    op = structured_sum_IntList_out(out)
    op.meta(self, dim, keepdim, dtype)
    return out

impl("sum.IntList_out", "Meta", wrapper_Meta_sum_IntList_out)

def ADInplaceOrView_sum_IntList_out(self, dim, keepdim, dtype, out, below):
    state = local.state
    local.state = state.below
    try:
        below(self, dim, keepdim, dtype, out)
    finally:
        local.state = state
    (out._version_counter or out._shared_version()).value += 1
    return out

impl("sum.IntList_out", "ADInplaceOrView", ADInplaceOrView_sum_IntList_out, below=AFTER_ADINPLACEORVIEW)

class SumBackward0(Node):
    """Backward of sum(Tensor self, *, ScalarType? dtype=None) -> Tensor"""
    __slots__ = ("saved_self_sym_sizes", )
    saved_fields = ('self_sym_sizes', )

    def apply(node, grads, needs):
        grad = grads[0]
        if grad is None:
            return (None,) * len(needs)
        self_sym_sizes = node.saved_self_sym_sizes
        return (
            (at.expand(grad, self_sym_sizes)) if needs[0] else None,
        )


class SumBackward1(Node):
    """Backward of sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"""
    __slots__ = ("saved_self_sym_sizes", "saved_dim", "saved_keepdim", )
    saved_fields = ('self_sym_sizes', 'dim', 'keepdim', )

    def apply(node, grads, needs):
        grad = grads[0]
        if grad is None:
            return (None,) * len(needs)
        self_sym_sizes = node.saved_self_sym_sizes
        dim = node.saved_dim
        keepdim = node.saved_keepdim
        return (
            (sum_backward(grad, self_sym_sizes, dim, keepdim)) if needs[0] else None,
        )


def Autograd_sum(self, dtype, below):
    if (self._autograd_meta is None) or not (autograd.grad_mode and (requires_grad(self))):
        state = local.state
        local.state = state.below
        try:
            return below(self, dtype)
        finally:
            local.state = state
    edges = (gradient_edge(self), )
    node = SumBackward0(edges)
    node.saved_self_sym_sizes = self._sizes
    state = local.state
    local.state = state.below
    try:
        result = below(self, dtype)
    finally:
        local.state = state
    set_history(result, node)
    return result


def Autograd_sum_dim_IntList(self, dim, keepdim, dtype, below):
    if (self._autograd_meta is None) or not (autograd.grad_mode and (requires_grad(self))):
        return below(self, dim, keepdim, dtype)
    edges = (gradient_edge(self), )
    node = SumBackward1(edges)
    node.saved_self_sym_sizes = self._sizes
    node.saved_dim = dim
    node.saved_keepdim = keepdim
    state = local.state
    local.state = state.below
    try:
        result = below(self, dim, keepdim, dtype)
    finally:
        local.state = state
    set_history(result, node)
    return result


def Autograd_sum_IntList_out(self, dim, keepdim, dtype, out, below):
    if autograd.grad_mode and ((self is not None and requires_grad(self)) or (out is not None and requires_grad(out))):
        refuse_out("sum")
    return below(self, dim, keepdim, dtype, out)

# aten::sum
def call(self, dtype=default_1):
    """aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor"""
    return calls[local.state][self._key_set](self, dtype)

def redispatch(key_set, self, dtype=default_1):
    """aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor, from a kernel, to the highest key of a set."""
    return redispatches[key_set](self, dtype)

# aten::sum.dim_IntList
def call(self, dim, keepdim=default_2, dtype=default_3):
    """aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"""
    return calls[local.state][self._key_set](self, dim, keepdim, dtype)

def redispatch(key_set, self, dim, keepdim=default_2, dtype=default_3):
    """aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor, from a kernel, to the highest key of a set."""
    return redispatches[key_set](self, dim, keepdim, dtype)

# aten::sum.IntList_out
def call(self, dim, keepdim=default_2, dtype=default_3, out=default_4):
    """aten::sum.IntList_out(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)"""
    return calls[local.state][self._key_set | out._key_set](self, dim, keepdim, dtype, out)

def redispatch(key_set, self, dim, keepdim=default_2, dtype=default_3, out=default_4):
    """aten::sum.IntList_out(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!), from a kernel, to the highest key of a set."""
    return redispatches[key_set](self, dim, keepdim, dtype, out)

# sum
def sum(*args, **kwargs):
    if not kwargs:
        _given = len(args)
        if _given == 1:
            (input,) = args
            if isinstance(input, Tensor):
                return at_sum(input, None)
        if _given == 2:
            input, dim = args
            if isinstance(input, Tensor) and type(dim) is int and MIN <= dim < END:
                return at_sum_dim_IntList(input, (dim,), False, None)
            if isinstance(input, Tensor) and (_dim := as_ints(dim)) is not None:
                return at_sum_dim_IntList(input, _dim, False, None)
        if _given == 3:
            input, dim, keepdim = args
            if isinstance(input, Tensor) and type(dim) is int and MIN <= dim < END and type(keepdim) is bool:
                return at_sum_dim_IntList(input, (dim,), keepdim, None)
            if isinstance(input, Tensor) and (_dim := as_ints(dim)) is not None and type(keepdim) is bool:
                return at_sum_dim_IntList(input, _dim, keepdim, None)
    _form, _values = sum_parser.parse(args, kwargs)
    if _form < 0:
        return sum(*args, **kwargs)
    if _form == 0:
        input, dtype = _values
        return at_sum(input, dtype)
    input, dim, keepdim, dtype, out = _values
    if out is None:
        return at_sum_dim_IntList(input, dim, keepdim, dtype)
    return at_sum_IntList_out(input, dim, keepdim, dtype, out)

# Tensor.sum
def sum(self, *args, **kwargs):
    if not kwargs:
        _given = len(args)
        if _given == 0:
            return at_sum(self, None)
        if _given == 1:
            (dim,) = args
            if type(dim) is int and MIN <= dim < END:
                return at_sum_dim_IntList(self, (dim,), False, None)
            if (_dim := as_ints(dim)) is not None:
                return at_sum_dim_IntList(self, _dim, False, None)
        if _given == 2:
            dim, keepdim = args
            if type(dim) is int and MIN <= dim < END and type(keepdim) is bool:
                return at_sum_dim_IntList(self, (dim,), keepdim, None)
            if (_dim := as_ints(dim)) is not None and type(keepdim) is bool:
                return at_sum_dim_IntList(self, _dim, keepdim, None)
    _form, _values = sum_parser.parse(args, kwargs)
    if _form < 0:
        return sum(self, *args, **kwargs)
    if _form == 0:
        (dtype,) = _values
        return at_sum(self, dtype)
    dim, keepdim, dtype = _values
    return at_sum_dim_IntList(self, dim, keepdim, dtype)
