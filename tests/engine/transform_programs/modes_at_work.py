"""Modes that change what a program means: other devices, no randomness, bytes counted, operators refused."""

import torch
from torch.utils import _python_dispatch
from torch.utils._mode_utils import all_same_mode, no_dispatch
from torch.utils._python_dispatch import TorchDispatchMode


class OnMeta(TorchDispatchMode):
    """Factories make tensors without memory."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if "device" in kwargs:
            kwargs["device"] = torch.device("meta")
        return func(*args, **kwargs)


with OnMeta():
    big = torch.empty(1_000_000, 1_000_000)
    made = torch.zeros(3, 4) + torch.ones(4)
print(big.device, tuple(big.shape), made.device, tuple(made.shape), made.dtype)


class NoDropout(TorchDispatchMode):
    """Keep everything where PyTorch drops at random."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.native_dropout.default:
            return args[0].clone(), torch.ones_like(args[0], dtype=torch.bool)
        if func.overloadpacket is torch.ops.aten.bernoulli_:
            return args[0].fill_(1)
        return func(*args, **(kwargs or {}))


with NoDropout():
    print(torch.nn.functional.dropout(torch.ones(4), 0.5).tolist())


class Bytes(TorchDispatchMode):
    """Count the bytes of new storages."""

    def __init__(self):
        super().__init__()
        self.total = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for one in out if isinstance(out, (tuple, list)) else (out,):
            if isinstance(one, torch.Tensor) and not func._schema.is_mutable and not one._is_view():
                self.total += one.untyped_storage().nbytes()
        return out


with Bytes() as bytes_made:
    x = torch.ones(16, 16)
    (x * 2).add_(1)
print(bytes_made.total)


class Allows(TorchDispatchMode):
    """Refuse operators that are not on a list."""

    def __init__(self, *names):
        super().__init__()
        self.names = names

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.overloadpacket.__name__ not in self.names:
            raise RuntimeError(f"{func} is not allowed here")
        return func(*args, **(kwargs or {}))


x = torch.arange(6.0).reshape(2, 3)
with Allows("mm", "t", "add"):
    print((x @ x.t() + 1).tolist())
    try:
        x.exp()
    except RuntimeError as error:
        print(error)
print(x.exp().shape)


class Count(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.counts = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = str(func.overloadpacket)
        self.counts[name] = self.counts.get(name, 0) + 1
        return func(*args, **(kwargs or {}))


torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
with Count() as forward:
    loss = net(torch.ones(2, 4)).pow(2).sum()
with Count() as backward:
    loss.backward()
print(sorted(forward.counts.items()))
print(sorted(backward.counts.items()))

with Count() as outer, Allows("ones", "mul") as inner:
    torch.ones(2) * 3
print(sorted(outer.counts.items()), isinstance(inner, TorchDispatchMode))
print(torch.ops.aten.add.Tensor.overloadpacket, torch.ops.aten.add.Tensor.namespace)


class Infra(Count):
    @classmethod
    def is_infra_mode(cls):
        return True


def where():
    asked = _python_dispatch.is_in_torch_dispatch_mode
    return asked(), asked(include_infra_modes=False), len(_python_dispatch._get_current_dispatch_mode_stack())


one, other = Infra(), Count()
print(where(), Infra.ignore_compile_internals(), Count.ignore_compile_internals(), all_same_mode([one, one, other]))
with one:
    print(where())
    with other:
        with _python_dispatch._disable_current_modes() as left:
            print(where(), [mode is other for mode in left])
        with _python_dispatch._pop_mode_temporarily() as left:
            print(where(), left is other)
        with no_dispatch():
            torch.ones(2)
        top = _python_dispatch._pop_mode()
        torch.zeros(2)
        _python_dispatch._push_mode(top)
        print(where())
print(where(), one.counts, other.counts)
try:
    other.__exit__(None, None, None)
except IndexError as error:
    print(error)
