class structured_add_Tensor(Functional, TensorIteratorBase):
    __slots__ = ()
    meta = add_Tensor_meta
    impl = add_out
    device_type = "cpu"

plans_of_add_Tensor = plan_memo()

def wrapper_CPU_add_Tensor(self, other, alpha):
    key = (dtypes._default, self._sizes, self._strides, self._dtype, self._wrapped_number, other._sizes, other._strides, other._dtype, other._wrapped_number, alpha.__class__, alpha)
    plan = plans_of_add_Tensor.get(key)
    if plan is not None:
        op = new(structured_add_Tensor)
        op.plan = plan
        out = new_dense(plan.sizes, plan.strides, plan.numel, plan.dtype)
        op.operands = (out, self, other) if not plan.needs_cast else (out, *cast_inputs(plan, self, other))
        add_out(op, self, other, alpha, out)
        return out
    op = structured_add_Tensor()
    op.meta(self, other, alpha)
    require_dtype("add", op.plan.common_dtype, "bfloat16, bool, float16, float32, float64, int16, int32, int64, int8, uint8")
    remember(plans_of_add_Tensor, key, op, self, other)
    op.impl(self, other, alpha, op.outputs[0])
    return op.outputs[0]

impl("add.Tensor", "CPU", wrapper_CPU_add_Tensor)

class structured_add_Tensor_CUDA(structured_add_Tensor):
    __slots__ = ()
    impl = add_out
    device_type = "cuda"

def wrapper_CUDA_add_Tensor(self, other, alpha):
    op = structured_add_Tensor_CUDA()
    op.meta(self, other, alpha)
    require_dtype("add", op.plan.common_dtype, "bfloat16, bool, float16, float32, float64, int16, int32, int64, int8, uint8")
    op.impl(self, other, alpha, op.outputs[0])
    return op.outputs[0]

impl("add.Tensor", "CUDA", wrapper_CUDA_add_Tensor)

def wrapper_Meta_add_Tensor(self, other, alpha):
    op = structured_add_Tensor()
    op.meta(self, other, alpha)
    require_dtype("add", op.plan.common_dtype, "bfloat16, bool, float16, float32, float64, int16, int32, int64, int8, uint8")
    return op.outputs[0]

impl("add.Tensor", "Meta", wrapper_Meta_add_Tensor)

class structured_add__Tensor(Inplace, TensorIteratorBase):
    __slots__ = ()
    meta = add_Tensor_meta
    impl = add_out
    device_type = "cpu"

plans_of_add__Tensor = plan_memo()

def wrapper_CPU_add__Tensor(self, other, alpha):
    key = (dtypes._default, self._sizes, self._strides, self._dtype, self._wrapped_number, other._sizes, other._strides, other._dtype, other._wrapped_number, alpha.__class__, alpha)
    plan = plans_of_add__Tensor.get(key) if other._storage is not self._storage else None
    if plan is not None:
        op = new(structured_add__Tensor)
        op.plan = plan
        op.operands = (self, self, other) if not plan.needs_cast else (self, *cast_inputs(plan, self, other))
        add_out(op, self, other, alpha, self)
        return self
    op = structured_add__Tensor(self)
    op.meta(self, other, alpha)
    require_dtype("add", op.plan.common_dtype, "bfloat16, bool, float16, float32, float64, int16, int32, int64, int8, uint8")
    remember(plans_of_add__Tensor, key, op, self, other)
    op.impl(self, other, alpha, op.maybe_get_output(0))
    if op.proxy_outputs:
        op.copy_back()
    return self

impl("add_.Tensor", "CPU", wrapper_CPU_add__Tensor)

class structured_add__Tensor_CUDA(structured_add__Tensor):
    __slots__ = ()
    impl = add_out
    device_type = "cuda"

def wrapper_CUDA_add__Tensor(self, other, alpha):
    op = structured_add__Tensor_CUDA(self)
    op.meta(self, other, alpha)
    require_dtype("add", op.plan.common_dtype, "bfloat16, bool, float16, float32, float64, int16, int32, int64, int8, uint8")
    op.impl(self, other, alpha, op.maybe_get_output(0))
    if op.proxy_outputs:
        op.copy_back()
    return self

impl("add_.Tensor", "CUDA", wrapper_CUDA_add__Tensor)

def wrapper_Meta_add__Tensor(self, other, alpha):
    op = structured_add__Tensor(self)
    op.meta(self, other, alpha)
    require_dtype("add", op.plan.common_dtype, "bfloat16, bool, float16, float32, float64, int16, int32, int64, int8, uint8")
    return self

impl("add_.Tensor", "Meta", wrapper_Meta_add__Tensor)

def ADInplaceOrView_add__Tensor(self, other, alpha, below):
    state = local.state
    local.state = state.below
    try:
        below(self, other, alpha)
    finally:
        local.state = state
    (self._version_counter or self._shared_version()).value += 1
    return self

impl("add_.Tensor", "ADInplaceOrView", ADInplaceOrView_add__Tensor, below=AFTER_ADINPLACEORVIEW)

class structured_add_out(Out, TensorIteratorBase):
    __slots__ = ()
    meta = add_Tensor_meta
    impl = add_out
    device_type = "cpu"

plans_of_add_out = plan_memo()

def wrapper_CPU_add_out(self, other, alpha, out):
    key = (dtypes._default, out._sizes, out._strides, out._dtype, out._wrapped_number, self._sizes, self._strides, self._dtype, self._wrapped_number, other._sizes, other._strides, other._dtype, other._wrapped_number, alpha.__class__, alpha)
    plan = plans_of_add_out.get(key) if self._storage is not out._storage and other._storage is not out._storage else None
    if plan is not None:
        op = new(structured_add_out)
        op.plan = plan
        op.operands = (out, self, other) if not plan.needs_cast else (out, *cast_inputs(plan, self, other))
        add_out(op, self, other, alpha, out)
        return out
    op = structured_add_out(out)
    op.meta(self, other, alpha)
    require_dtype("add", op.plan.common_dtype, "bfloat16, bool, float16, float32, float64, int16, int32, int64, int8, uint8")
    remember(plans_of_add_out, key, op, self, other)
    op.impl(self, other, alpha, op.maybe_get_output(0))
    if op.proxy_outputs:
        op.copy_back()
    return out

impl("add.out", "CPU", wrapper_CPU_add_out)

class structured_add_out_CUDA(structured_add_out):
    __slots__ = ()
    impl = add_out
    device_type = "cuda"

def wrapper_CUDA_add_out(self, other, alpha, out):
    op = structured_add_out_CUDA(out)
    op.meta(self, other, alpha)
    require_dtype("add", op.plan.common_dtype, "bfloat16, bool, float16, float32, float64, int16, int32, int64, int8, uint8")
    op.impl(self, other, alpha, op.maybe_get_output(0))
    if op.proxy_outputs:
        op.copy_back()
    return out

impl("add.out", "CUDA", wrapper_CUDA_add_out)

def wrapper_Meta_add_out(self, other, alpha, out):
    op = structured_add_out(out)
    op.meta(self, other, alpha)
    require_dtype("add", op.plan.common_dtype, "bfloat16, bool, float16, float32, float64, int16, int32, int64, int8, uint8")
    return out

impl("add.out", "Meta", wrapper_Meta_add_out)

def ADInplaceOrView_add_out(self, other, alpha, out, below):
    state = local.state
    local.state = state.below
    try:
        below(self, other, alpha, out)
    finally:
        local.state = state
    (out._version_counter or out._shared_version()).value += 1
    return out

impl("add.out", "ADInplaceOrView", ADInplaceOrView_add_out, below=AFTER_ADINPLACEORVIEW)

def add(self, other, alpha):
    return at.add_Tensor(self, wrapped_scalar_tensor(other), alpha)

impl("add.Scalar", "CompositeExplicitAutograd", add)

def add_(self, other, alpha):
    return at.add__Tensor(self, wrapped_scalar_tensor(other), alpha)

impl("add_.Scalar", "CompositeExplicitAutograd", add_)

def ADInplaceOrView_add__Scalar(self, other, alpha, below):
    state = local.state
    local.state = state.below
    try:
        below(self, other, alpha)
    finally:
        local.state = state
    (self._version_counter or self._shared_version()).value += 1
    return self

impl("add_.Scalar", "ADInplaceOrView", ADInplaceOrView_add__Scalar, below=AFTER_ADINPLACEORVIEW)

class AddBackward0(Node):
    """Backward of add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"""
    __slots__ = ("saved_alpha", )
    saved_fields = ('alpha', )

    def apply(node, grads, needs):
        grad = grads[0]
        if grad is None:
            return (None,) * len(needs)
        alpha = node.saved_alpha
        return (
            (grad) if needs[0] else None,
            (maybe_multiply(grad, alpha)) if needs[1] else None,
        )


class AddBackward1(Node):
    """Backward of add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"""
    __slots__ = ()
    saved_fields = ()

    def apply(node, grads, needs):
        grad = grads[0]
        if grad is None:
            return (None,) * len(needs)
        return (
            (grad) if needs[0] else None,
        )


def Autograd_add_Tensor(self, other, alpha, below):
    if (self._autograd_meta is None and other._autograd_meta is None) or not (autograd.grad_mode and (requires_grad(self) or requires_grad(other))):
        return below(self, other, alpha)
    edges = (gradient_edge(self), gradient_edge(other), )
    node = AddBackward0(edges)
    node.saved_alpha = alpha
    state = local.state
    local.state = state.below
    try:
        result = below(self, other, alpha)
    finally:
        local.state = state
    set_history(result, node)
    return result


def Autograd_add__Tensor(self, other, alpha, below):
    if (self._autograd_meta is None and other._autograd_meta is None) or not (autograd.grad_mode and (requires_grad(self) or requires_grad(other))):
        return below(self, other, alpha)
    check_inplace(self)
    edges = (gradient_edge(self), gradient_edge(other), )
    node = AddBackward0(edges)
    node.saved_alpha = alpha
    state = local.state
    local.state = state.below
    try:
        result = below(self, other, alpha)
    finally:
        local.state = state
    rebase_history(self, node)
    result = self
    return result


def Autograd_add_out(self, other, alpha, out, below):
    if autograd.grad_mode and ((self is not None and requires_grad(self)) or (other is not None and requires_grad(other)) or (out is not None and requires_grad(out))):
        refuse_out("add")
    return below(self, other, alpha, out)


def Autograd_add_Scalar(self, other, alpha, below):
    if (self._autograd_meta is None) or not (autograd.grad_mode and (requires_grad(self))):
        state = local.state
        local.state = state.below
        try:
            return below(self, other, alpha)
        finally:
            local.state = state
    edges = (gradient_edge(self), )
    node = AddBackward1(edges)
    state = local.state
    local.state = state.below
    try:
        result = below(self, other, alpha)
    finally:
        local.state = state
    set_history(result, node)
    return result


def Autograd_add__Scalar(self, other, alpha, below):
    if (self._autograd_meta is None) or not (autograd.grad_mode and (requires_grad(self))):
        return below(self, other, alpha)
    check_inplace(self)
    edges = (gradient_edge(self), )
    node = AddBackward1(edges)
    state = local.state
    local.state = state.below
    try:
        result = below(self, other, alpha)
    finally:
        local.state = state
    rebase_history(self, node)
    result = self
    return result

# aten::add.Tensor
def call(self, other, alpha=default_2):
    """aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"""
    return calls[local.state][self._key_set | other._key_set](self, other, alpha)

def redispatch(key_set, self, other, alpha=default_2):
    """aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor, from a kernel, to the highest key of a set."""
    return redispatches[key_set](self, other, alpha)

# aten::add_.Tensor
def call(self, other, alpha=default_2):
    """aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"""
    return calls[local.state][self._key_set | other._key_set](self, other, alpha)

def redispatch(key_set, self, other, alpha=default_2):
    """aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!), from a kernel, to the highest key of a set."""
    return redispatches[key_set](self, other, alpha)

# aten::add.out
def call(self, other, alpha=default_2, out=default_3):
    """aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)"""
    return calls[local.state][self._key_set | other._key_set | out._key_set](self, other, alpha, out)

def redispatch(key_set, self, other, alpha=default_2, out=default_3):
    """aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!), from a kernel, to the highest key of a set."""
    return redispatches[key_set](self, other, alpha, out)

# aten::add.Scalar
def call(self, other, alpha=default_2):
    """aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"""
    return calls[local.state][self._key_set](self, other, alpha)

def redispatch(key_set, self, other, alpha=default_2):
    """aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor, from a kernel, to the highest key of a set."""
    return redispatches[key_set](self, other, alpha)

# aten::add_.Scalar
def call(self, other, alpha=default_2):
    """aten::add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)"""
    return calls[local.state][self._key_set](self, other, alpha)

def redispatch(key_set, self, other, alpha=default_2):
    """aten::add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!), from a kernel, to the highest key of a set."""
    return redispatches[key_set](self, other, alpha)

# add
def add(*args, **kwargs):
    if not kwargs:
        _given = len(args)
        if _given == 2:
            input, other = args
            if isinstance(input, Tensor) and isinstance(other, Tensor):
                return at_add_Tensor(input, other, 1)
            if isinstance(input, Tensor) and type(other) in Numbers and MIN <= other < END:
                return at_add_Tensor(input, wrapped_scalar_tensor(other), 1)
    elif len(kwargs) == 1 and "alpha" in kwargs:
        alpha = kwargs["alpha"]
        _given = len(args)
        if _given == 2:
            input, other = args
            if isinstance(input, Tensor) and isinstance(other, Tensor) and type(alpha) in Numbers and MIN <= alpha < END:
                return at_add_Tensor(input, other, alpha)
            if isinstance(input, Tensor) and type(other) in Numbers and MIN <= other < END and type(alpha) in Numbers and MIN <= alpha < END:
                return at_add_Tensor(input, wrapped_scalar_tensor(other), alpha)
    _form, _values = add_parser.parse(args, kwargs)
    if _form < 0:
        return add(*args, **kwargs)
    if _form == 0:
        input, alpha, other, out = _values
        if out is None:
            return at_add_Tensor(input, other, alpha)
        return at_add_out(input, other, alpha, out)
    input, other, alpha, out = _values
    if out is None:
        return at_add_Tensor(input, other, alpha)
    return at_add_out(input, other, alpha, out)

# Tensor.add
def add(self, *args, **kwargs):
    if not kwargs:
        _given = len(args)
        if _given == 1:
            (other,) = args
            if isinstance(other, Tensor):
                return at_add_Tensor(self, other, 1)
            if type(other) in Numbers and MIN <= other < END:
                return at_add_Tensor(self, wrapped_scalar_tensor(other), 1)
    elif len(kwargs) == 1 and "alpha" in kwargs:
        alpha = kwargs["alpha"]
        _given = len(args)
        if _given == 1:
            (other,) = args
            if isinstance(other, Tensor) and type(alpha) in Numbers and MIN <= alpha < END:
                return at_add_Tensor(self, other, alpha)
            if type(other) in Numbers and MIN <= other < END and type(alpha) in Numbers and MIN <= alpha < END:
                return at_add_Tensor(self, wrapped_scalar_tensor(other), alpha)
    _form, _values = add_parser.parse(args, kwargs)
    if _form < 0:
        return add(self, *args, **kwargs)
    if _form == 0:
        alpha, other = _values
        return at_add_Tensor(self, other, alpha)
    other, alpha = _values
    return at_add_Tensor(self, other, alpha)

# Tensor.add_
def add_(self, *args, **kwargs):
    if not kwargs:
        _given = len(args)
        if _given == 1:
            (other,) = args
            if isinstance(other, Tensor):
                return at_add__Tensor(self, other, 1)
            if type(other) in Numbers and MIN <= other < END:
                return at_add__Tensor(self, wrapped_scalar_tensor(other), 1)
    elif len(kwargs) == 1 and "alpha" in kwargs:
        alpha = kwargs["alpha"]
        _given = len(args)
        if _given == 1:
            (other,) = args
            if isinstance(other, Tensor) and type(alpha) in Numbers and MIN <= alpha < END:
                return at_add__Tensor(self, other, alpha)
            if type(other) in Numbers and MIN <= other < END and type(alpha) in Numbers and MIN <= alpha < END:
                return at_add__Tensor(self, wrapped_scalar_tensor(other), alpha)
    _form, _values = add__parser.parse(args, kwargs)
    if _form < 0:
        return add_(self, *args, **kwargs)
    if _form == 0:
        alpha, other = _values
        return at_add__Tensor(self, other, alpha)
    other, alpha = _values
    return at_add__Tensor(self, other, alpha)

# Tensor.__add__
def __add__(self, other):
    try:
        if isinstance(other, Tensor):
            return at_add_Tensor(self, other, 1)
        if type(other) in Numbers and MIN <= other < END:
            return at_add_Tensor(self, wrapped_scalar_tensor(other), 1)
        return add(self, other)
    except TypeError:
        return NotImplemented

# Tensor.__radd__
def __radd__(self, other):
    try:
        if isinstance(other, Tensor):
            return at_add_Tensor(self, other, 1)
        if type(other) in Numbers and MIN <= other < END:
            return at_add_Tensor(self, wrapped_scalar_tensor(other), 1)
        return add(self, other)
    except TypeError:
        return NotImplemented

# Tensor.__iadd__
def __iadd__(self, other):
    try:
        if isinstance(other, Tensor):
            return at_add__Tensor(self, other, 1)
        if type(other) in Numbers and MIN <= other < END:
            return at_add__Tensor(self, wrapped_scalar_tensor(other), 1)
        return add_(self, other)
    except TypeError:
        return NotImplemented
