"""Programs in the manner of PyTorch's page "Extending torch.* with __torch_function__"; each prints what it sees.

`torch` is PyTorch or the engine, `overrides` its torch.overrides.
"""

import functools


def scalar_tensor(torch, overrides):
    """A class without tensors that represents a multiple of an identity matrix."""
    handled = {}

    class ScalarTensor:
        def __init__(self, size, value):
            self.size, self.value = size, value

        def __repr__(self):
            return f"ScalarTensor(size={self.size}, value={self.value})"

        def tensor(self):
            return self.value * torch.eye(self.size)

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func not in handled or not all(issubclass(kind, (torch.Tensor, ScalarTensor)) for kind in types):
                return NotImplemented
            return handled[func](*args, **(kwargs or {}))

    def implements(function):
        @functools.wraps(function)
        def decorator(own):
            handled[function] = own
            return own

        return decorator

    def ensure_tensor(data):
        return data.tensor() if isinstance(data, ScalarTensor) else torch.as_tensor(data)

    @implements(torch.mean)
    def mean(input):
        return float(input.value) / input.size

    @implements(torch.add)
    def add(input, other):
        if isinstance(input, ScalarTensor) and isinstance(other, ScalarTensor):
            return ScalarTensor(input.size, input.value + other.value)
        return torch.add(ensure_tensor(input), ensure_tensor(other))

    @implements(torch.nn.functional.relu)
    def relu(input, inplace=False):
        return ScalarTensor(input.size, max(input.value, 0))

    @implements(torch.cat)
    def cat(tensors, dim=0):
        return torch.cat([ensure_tensor(tensor) for tensor in tensors], dim)

    two, plain = ScalarTensor(2, 2), torch.tensor([[1, 1], [1, 1]])
    print(torch.mean(torch.ones(2)))  # the binding has seen the function with tensors before
    print(torch.mean(two), torch.add(two, two))
    print(torch.add(two, plain), torch.add(plain, two))
    print(torch.cat((plain, two)), torch.cat([two, two], dim=1).shape)
    print(torch.nn.functional.relu(ScalarTensor(3, -1)))
    for call in (lambda: torch.mul(two, 3), lambda: torch.stack([plain, two]), lambda: plain + two, lambda: two + 1):
        try:
            call()
        except TypeError as error:
            print(error)
    print(overrides.is_tensor_like(two), overrides.is_tensor_like(plain), overrides.is_tensor_like(3))
    print(overrides.has_torch_function((two, 3)), overrides.has_torch_function([plain, 3]))


def metadata_tensor(torch, overrides):
    """A class that holds a tensor and data about it, and hands both on."""

    class MetadataTensor:
        def __init__(self, data, metadata=None):
            self._t, self._metadata = data, metadata

        def __repr__(self):
            return f"Metadata:\n{self._metadata}\n\ndata:\n{self._t}"

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            def of(value):
                if isinstance(value, (tuple, list)):
                    return type(value)(map(of, value))
                return value._t if isinstance(value, cls) else value

            known = tuple(value._metadata for value in args if hasattr(value, "_metadata"))
            print(func.__name__, len(types), known)
            return MetadataTensor(func(*map(of, args), **(kwargs or {})), metadata=(*known, None)[0])

    one = MetadataTensor(torch.tensor([[1, 2], [3, 4]]), metadata={"owner": "Ministry of Silly Walks"})
    print(torch.add(one, torch.tensor([[1, 2], [1, 2]])))
    print(torch.add(torch.tensor([1, 2]), one, alpha=2))
    print(torch.sum(one, dim=0), torch.stack([one, one]))
    print(torch.nn.functional.softmax(one, dim=0, dtype=torch.float64))


def logging_tensor(torch, overrides):
    """A subclass that prints each call, and a class derived from it."""

    class LoggingTensor(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func not in (torch.Tensor.__repr__, torch.Tensor.tolist):
                kinds = [kind.__name__ for kind in types]
                print(f"{cls.__name__}: {overrides.resolve_name(func)} {kinds} {len(args)} {kwargs}")
            return super().__torch_function__(func, types, args, {} if kwargs is None else kwargs)

    class Louder(LoggingTensor):
        pass

    x, y = torch.ones(2, 2).as_subclass(LoggingTensor), torch.arange(4.0).view(2, 2).as_subclass(Louder)
    print(type(x + y).__name__, type(torch.add(x, 1, alpha=2)).__name__, type(torch.ones(2, 2) * x).__name__)
    print(2 - x, 1 / y, x == 1, abs(-x), x @ y, y**2, y // 2, 2 in y)
    x += y
    x[0] = 5
    x[0, 1] *= 3
    print(x, x.shape, x.size(0), x.dtype, x.T, len(x), [type(row).__name__ for row in x])
    largest = y.max(0)
    print(type(largest.values).__name__, largest.indices, torch.cat([x, y]).numel(), torch.split(x, 1))
    x = x.detach().requires_grad_()
    torch.nn.functional.mse_loss(x * 2, y).backward()
    print(type(x.grad).__name__, x.grad, x.is_leaf, type(x.data).__name__, type(torch.zeros_like(x)).__name__)
    print(float(x.sum()), bool(x[0, 0] > 1), x.detach().numpy().tolist())


def kept_subclass(torch, overrides):
    """A subclass without a method of its own is kept; unrelated ones don't mix."""

    class Sub(torch.Tensor):
        pass

    class Other(torch.Tensor):
        pass

    class Silent(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

    x = torch.tensor([1.0, -2.0]).as_subclass(Sub)
    for made in (x + 1, x.relu(), torch.sin(x), x[0], x.clone(), x.unbind()[1], torch.stack([x, x]), x.sum(), x > 0):
        print(type(made).__name__, made)
    print(type(x.shape).__name__, type(x.tolist()).__name__, type(x.as_subclass(torch.Tensor)).__name__)
    print(type(x + torch.ones(2).as_subclass(Silent)).__name__, type(torch.ones(2).as_subclass(Silent) + 1).__name__)
    for call in (lambda: x + torch.ones(2).as_subclass(Other), lambda: torch.add(x, torch.ones(2).as_subclass(Other)),
                 lambda: torch.ones(2).as_subclass(int), lambda: torch.ones(2).as_subclass(3)):  # fmt: skip
        try:
            call()
        except TypeError as error:
            print(str(error).splitlines()[0])
    w = torch.ones(2, requires_grad=True).as_subclass(Sub)
    (w * x).sum().backward()
    print(w, w.grad_fn is not None, x.requires_grad)
    with torch._C.DisableTorchFunctionSubclass():
        print(type(x + 1).__name__)


def logging_modes(torch, overrides):
    """Modes see every call of this thread, factories too; the inner one first, and its calls go to the outer one."""

    class Log(overrides.TorchFunctionMode):
        def __init__(self, name, answers=True):
            self.name, self.answers = name, answers

        def __torch_function__(self, func, types, args=(), kwargs=None):
            print(f"{self.name}: {overrides.resolve_name(func)} {len(args)} {kwargs or None}")
            return func(*args, **(kwargs or {})) if self.answers else 42

    x = torch.arange(4.0)
    with Log("one"):
        y = torch.ones(4) * 2 + x
        y.add_(1)
        z = torch.nn.functional.relu(y.view(2, 2), inplace=False)
        z.requires_grad_().sum().backward()
        print(z.grad.shape, torch.tensor([1.5]).item(), torch.einsum("ij,jk", z, z).sum().detach().tolist())
    with Log("outer"), Log("inner"):
        torch.rand(2, 2).sum()
    with Log("answers", answers=False):
        print(torch.zeros(3), torch.add(x, x), x.shape)
    print(x + x)
    with Log("one"), torch._C.DisableTorchFunction():
        print(torch.add(x, 1))


def refusing(torch, overrides):
    """Errors when all handlers refuse."""

    class Refuses(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    class Mode(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return NotImplemented

        def __repr__(self):
            return "Mode()"

    x, y, F = torch.ones(2, 2).as_subclass(Refuses), torch.ones(2, 2), torch.nn.functional
    for call in (lambda: torch.add(x, 1), lambda: x.add(1), lambda: x + 1, lambda: 1 - x, lambda: F.relu(x),
                 lambda: F.gelu(x), lambda: x.shape, lambda: x[0], lambda: torch.einsum("ij", x), lambda: x.split(1),
                 lambda: torch.cat([y, x]), lambda: len(x), lambda: x.backward(), lambda: x.dim(),
                 lambda: torch.ops.aten.add(x, y), lambda: x == 1):  # fmt: skip
        try:
            print(call())
        except TypeError as error:
            print(str(error).replace("test_torch_function.", ""))
    with Mode():
        for call in (lambda: torch.add(x, 1), lambda: torch.add(y, 1), lambda: F.relu(x), lambda: torch.ones(2)):
            try:
                print(call())
            except TypeError as error:
                print(error)


def own_functions(torch, overrides):
    """Functions of one's own take part by torch.overrides."""

    class Sub(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func is own:
                return f"{func.__name__} of {[kind.__name__ for kind in types]} {kwargs}"
            return super().__torch_function__(func, types, args, kwargs)

    def own(a, b=1):
        if overrides.has_torch_function_variadic(a, b):
            return overrides.handle_torch_function(own, (a, b), a, b=b)
        return a * b

    @overrides.wrap_torch_function(lambda a: (a,))
    def wrapped(a):
        return a + 0

    x = torch.ones(2)
    print(own(x, 3), own(x.as_subclass(Sub)), own(2, x.as_subclass(Sub)), own(x, x.as_subclass(Sub)))
    print(type(wrapped(x.as_subclass(Sub))).__name__, wrapped(x), overrides.has_torch_function_unary(x))
    names = (torch.add, torch.Tensor.add, torch.Tensor.shape.__get__, torch.nn.functional.relu, torch.einsum, own)
    print([overrides.resolve_name(function) for function in names])
    print([overrides.is_tensor_method_or_property(function) for function in names])


def parameters(torch, overrides):
    """Parameters keep the class of their data; a list may have any class with a `__torch_function__`."""

    class Sub(torch.Tensor):
        pass

    class Own(torch.nn.Parameter):
        pass

    class Duck:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__

    kept = torch.nn.Parameter(torch.ones(2).as_subclass(Sub))
    print(type(kept).__name__, isinstance(kept, torch.nn.Parameter), kept.requires_grad, kept, type(kept * 2).__name__)
    print(Own(torch.ones(2)), type(Own(torch.ones(2)) * 2).__name__)
    print(torch.cat([torch.ones(1), Duck()]))


def which_functions(torch, overrides):
    """Programs may ask which functions can be taken over, and call stand-ins with the same signature."""
    overridable, ignored, stand_ins = (
        overrides.get_overridable_functions(), overrides.get_ignored_functions(), overrides.get_testing_overrides()
    )  # fmt: skip
    F, Tensor = torch.nn.functional, torch.Tensor
    print(sorted(overrides.__all__))
    print([function in overridable[torch] for function in (torch.add, torch.zeros, torch.cat, torch.is_tensor)])
    print([function in overridable[Tensor] for function in (Tensor.add, Tensor.__add__, Tensor.add_, Tensor.new_ones)])
    print(F.relu in overridable[F], torch.einsum in overridable[torch.functional], type(overridable[F]).__name__)
    names = [
        "zeros",
        "ones",
        "rand",
        "randn",
        "arange",
        "tensor",
        "as_tensor",
        "is_tensor",
        "from_numpy",
        "manual_seed",
        "add",
        "zeros_like",
        "where",
    ]
    print([getattr(torch, name) in ignored for name in names])
    print([function in stand_ins for function in (torch.add, Tensor.add, Tensor.shape.__get__, F.linear, torch.eye)])
    print(stand_ins[torch.add](1, 2), stand_ins[F.linear](1, 2, bias=3))
    for function in (
        Tensor.shape.__get__,
        Tensor.grad.__set__,
        Tensor.__getitem__,
        F.gelu,
        torch.nn.init.uniform_,
        len,
    ):
        print(overrides.resolve_name(function), overrides.is_tensor_method_or_property(function))


def seen_by_modes(torch, overrides):
    """Blocks of no_grad, keyword arguments, out= and written elements arrive as in PyTorch."""

    class Log(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            print(func.__name__, [kind.__name__ for kind in types], len(args), sorted(kwargs))
            return func(*args, **kwargs)

    class Static(overrides.TorchFunctionMode):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return 3

    with Log():
        with torch.no_grad():
            x = torch.zeros(2, 2)
        torch.set_grad_enabled(True)
        torch.add(input=x, other=1, out=torch.empty(2, 2))
        x[0] = 1
        x[x > 0] += 1
        torch.nn.Linear(2, 3, bias=False)
        print(x == x, overrides.has_torch_function((x,)), overrides.has_torch_function(()))
        with overrides._pop_mode_temporarily() as mode:
            print(type(mode).__name__, x.sum())
    for call in (Static().__enter__, torch.Tensor.__add__, overrides._pop_mode, overrides._pop_mode):
        try:
            print(type(call(x, x) if call is torch.Tensor.__add__ else call()).__name__)
        except RuntimeError as error:
            print(error)


def compared_with_others(torch, overrides):
    """`==` asks the tensor before it asks the other operand."""

    class Sub(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            print(func.__name__, [kind.__name__ for kind in types], len(args))
            return super().__torch_function__(func, types, args, kwargs or {})

    class Duck:
        __hash__ = None

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return f"{func.__name__} of {[type(one).__name__ for one in args]}"

    x, t = torch.ones(1).as_subclass(Sub), torch.ones(1)
    print(type(x == t).__name__, type(t == x).__name__, type(x == 1).__name__, t == Duck(), t != Duck(), t + Duck())
    print(t.__setitem__(0, Duck()), t.copy_(Duck()), overrides.has_torch_function(([Duck()],)))


def skipping_one_call(torch, overrides):
    """`redispatch_function` runs a function whose own calls are taken over; its example, from its docstring."""

    class LoggingTensor(torch.Tensor):
        depth = 0

        @classmethod
        def __torch_function__(cls, func, types, args, kwargs=None):
            print(f"{'  ' * cls.depth}Calling {func.__name__}")
            cls.depth += 1
            result = overrides.redispatch_function(func, types, args, kwargs)
            cls.depth -= 1
            return result

    def scaled_mul(a, b):
        if overrides.has_torch_function((a, b)):
            return overrides.handle_torch_function(scaled_mul, (a, b), a, b)
        return a * b + 1

    print(scaled_mul(torch.tensor([3.0]).as_subclass(LoggingTensor), torch.tensor([4.0])))


def reentrant_dispatch(torch, overrides):
    """Within `enable_reentrant_dispatch` a `__torch_dispatch__` can call autograd."""

    class Scaled(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            with overrides.enable_reentrant_dispatch():
                x = torch.ones(2, requires_grad=True)
                (x * 3).sum().backward()
            y = torch.ones(2, requires_grad=True) * 3
            return x.grad if y.grad_fn is None else y

    print(torch.exp(torch.Tensor._make_wrapper_subclass(Scaled, (2,))))
    try:
        with overrides.enable_reentrant_dispatch():
            pass
    except RuntimeError as error:
        print(error)


PROGRAMS = (
    scalar_tensor, metadata_tensor, logging_tensor, kept_subclass, logging_modes, refusing, own_functions,
    parameters, which_functions, seen_by_modes, compared_with_others, skipping_one_call, reentrant_dispatch,
)  # fmt: skip
