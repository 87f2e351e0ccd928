"""Tensors without memory that say what would come out, on any device. Mirrors torch/_subclasses/fake_tensor.py.

A fake tensor has a geometry, a dtype and a device; its storage has another one on "meta" behind it. An operator is
called with meta tensors over these, and what it returns becomes fake tensors, of which those over a storage that came
in share its fake storage: so views alias. What is small and made from data keeps its value as a constant.
"""

from collections.abc import Callable, Sequence
from typing import Any

from .. import printing
from .._ops import OpOverload, Tag
from ..dispatch import boxing
from ..dispatch.convert import NUMBERS_AS_TENSORS
from ..dispatch.keys import PYTHON
from ..dispatch.local import DispatchKeyGuard
from ..dtypes import CPU, META
from ..dtypes import device as Device
from ..nn.parameter import Parameter
from ..strides import Ints
from ..tensor_impl import Tensor, _disabled_torch_function_impl
from .fake_errors import FakeTensorDeviceMismatchError, UnsupportedOperatorException, check_call, reworded
from .fake_storage import FakeStorage, FakeTensorConverter, over
from .nested import mapped, tensors_in
from .python_dispatch import TorchDispatchMode, modes, set_modes

ACROSS_DEVICES = frozenset(
    ["copy", "copy_", "index", "index_put", "index_put_", "_index_put_impl_", "slice_scatter", "diagonal_scatter"]
)
"""Operators that take tensors on several devices; the result is on the first one's."""
UNKNOWN = {Tag.nondeterministic_seeded, Tag.inplace_view}  # whose results aren't computed from constants
CONSTANT_NUMEL_LIMIT = 1


class FakeTensor(Tensor):
    """A tensor without elements, made by a mode.

    Attributes:
        fake_mode: the mode that calls operators with it.
        stands_for: a weak reference to the tensor that `from_tensor` was given.
    """

    fake_mode: "FakeTensorMode"
    stands_for: Any
    fake_device = property(lambda self: self.device)
    __torch_function__ = _disabled_torch_function_impl  # type: ignore[assignment]
    _storage: FakeStorage

    def __new__(cls, fake_mode: Any, elem: Any, device: Any = None, constant: Any = None) -> "FakeTensor":
        """Return the fake of a meta tensor on a device, with a value if `constant` is given; "cuda" is cuda:0.

        Raises:
            TypeError: the device is missing.
            AssertionError: `elem` is on another device than "meta".
        """
        if device is None:
            raise TypeError("FakeTensor.__new__() missing required argument: 'device' (or 'fake_device')")
        if elem.device.type != "meta":
            raise AssertionError(f"elem.device.type must be 'meta', got {elem.device.type}")
        made = fake_mode.wrapped(elem, FakeStorage(elem._storage, Device(device)))
        made._storage.constant = None if constant is None else constant._storage
        return made

    def __init__(self, *_: Any, **__: Any):
        pass  # made by __new__

    @property
    def constant(self) -> Tensor | None:
        """A tensor with its value, if the value is known."""
        return None if self._storage.constant is None else over(self, self._storage.constant)

    def _alias(self, sizes: Ints, strides: Ints, storage_offset: int) -> "FakeTensor":
        made = self.fake_mode.wrapped(self, self._storage)
        made._sizes, made._strides, made._storage_offset = sizes, strides, storage_offset
        made._version_counter = self._shared_version()
        return made

    def untyped_storage(self) -> Any:
        """Return the storage on "meta"."""
        return self._storage.meta

    def __repr__(self) -> str:
        text = printing.without_elements(self, "FakeTensor(")
        return f"Parameter({text})" if isinstance(self, Parameter) else text

    def tolist(self) -> Any:
        """Return the element of a constant; the error of `item` without one."""
        return [one.tolist() for one in self] if self.dim() else self.item()

    @classmethod
    def __torch_dispatch__(cls, func: OpOverload, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call the operator in the mode of the first fake tensor."""
        if not all(issubclass(kind, FakeTensor) for kind in types) or active_mode():
            return NotImplemented
        with next(tensor.fake_mode for tensor in tensors_in((args, kwargs or {})) if isinstance(tensor, FakeTensor)):
            return func(*args, **(kwargs or {}))


class FakeTensorMode(TorchDispatchMode):
    """A mode in which new tensors are fake, and operators take fake tensors.

    It is below all other modes, which see its tensors and not the meta tensors.

    Args:
        allow_fallback_kernels: accepted, and without effect: no kernel is ever run on zeros instead of a fake one.
        allow_non_fake_inputs: other tensors become fake when an operator takes them.
        shape_env, static_shapes: accepted: sizes are numbers.
    """

    def __init__(
        self, *, allow_fallback_kernels: bool = True, allow_non_fake_inputs: bool = False, shape_env: Any = None,
        static_shapes: bool | None = None,
    ):  # fmt: skip
        self.allow_fallback_kernels, self.allow_non_fake_inputs = allow_fallback_kernels, allow_non_fake_inputs
        self.shape_env, self.static_shapes = shape_env, shape_env is None if static_shapes is None else static_shapes
        self.fake_tensor_converter = FakeTensorConverter()
        self._before: list[FakeTensorMode | None] = []

    def __enter__(self) -> "FakeTensorMode":
        self._before.append(active_mode())
        activate(self)
        return self

    def __exit__(self, *_: Any) -> None:
        activate(self._before.pop())

    def from_tensor(self, tensor: Tensor, *, static_shapes: bool | None = None, **of_compiler: Any) -> FakeTensor:
        """Return the fake of a tensor, the same one each time; its sizes are numbers, whatever else is asked for."""
        return self.fake_tensor_converter.from_real_tensor(self, tensor)

    def wrapped(self, like: Tensor, storage: FakeStorage) -> FakeTensor:
        """Return a fake tensor with the geometry of another tensor, over a storage."""
        fake: FakeTensor = over(like, storage, FakeTensor)
        fake.fake_mode = self
        return fake

    def __torch_dispatch__(self, func: OpOverload, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Return the fake result of an operator.

        Raises:
            AssertionError: a tensor is not fake, or of another mode.
            DataDependentOutputException, DynamicOutputShapeException: elements would be needed.
            FakeTensorDeviceMismatchError: tensors on several devices.
            UnsupportedOperatorException: there is no kernel for meta tensors.
        """
        if not all(issubclass(kind, FakeTensor) for kind in types):
            return NotImplemented
        given = args, dict(kwargs or {})
        if not types and (known := self._made_of_data(func, *given)) is not None:
            return known
        args, kwargs = mapped(lambda tensor: self._checked(tensor, func, *given), given)
        with self:
            result = func.decompose(*args, **kwargs)
        if result is not NotImplemented:
            return result
        fakes: list[Any] = tensors_in((args, kwargs))
        is_known = kwargs.get("device") in (None, CPU) and not UNKNOWN & {*func.tags}
        if fakes and is_known and all(fake._storage.constant is not None for fake in fakes):
            result = run(self, func, args, kwargs, lambda fake: fake.constant, CPU)
            if all(fake.numel() <= CONSTANT_NUMEL_LIMIT for fake in tensors_in(result)):
                return result
            forget(result)
        check_call(func, args, kwargs)
        stack = boxing.stack_of(func._declared, args, kwargs)
        forget([value for argument, value in zip(func._declared.arguments, stack, strict=True) if argument.is_write])
        return self._from_meta(func, args, kwargs, fakes)

    def _made_of_data(self, func: OpOverload, args: Any, kwargs: Any) -> FakeTensor | None:
        """Return the fake of what is computed from no fake tensor: of data, of a number. It keeps a small value."""
        is_lift = func._opname == "lift_fresh"  # what makes a tensor of data calls it
        if not is_lift and (func._opname not in NUMBERS_AS_TENSORS or kwargs.get("device") not in (None, CPU)):
            return None
        with DispatchKeyGuard(excluded=PYTHON):
            data = func(*args, **kwargs)
            if data.numel() <= CONSTANT_NUMEL_LIMIT and data.device.type == "cpu":
                return self.wrapped(data, FakeStorage(data.clone()._storage, CPU))
        return self.from_tensor(data) if is_lift else None

    def _from_meta(self, func: OpOverload, args: Any, kwargs: Any, fakes: list[FakeTensor]) -> Any:
        """Return what an operator gives for meta tensors, as fake tensors on the device that it would be on."""
        device = kwargs.get("device")
        if any(argument.name == "device" for argument in func._declared.arguments):
            kwargs = {**kwargs, "device": META}
        try:
            return run(self, func, args, kwargs, lambda fake: over(fake, fake._storage.meta), device)
        except NotImplementedError as error:
            raise UnsupportedOperatorException(func) from error
        except (RuntimeError, IndexError) as error:
            raise reworded(error, func, args, fakes) from None

    def _checked(self, tensor: Any, func: OpOverload, args: Any, kwargs: Any) -> FakeTensor:
        """Return a tensor if it is a fake one of this mode; else its fake, if that is allowed."""
        is_fake = isinstance(tensor, FakeTensor)
        if is_fake and tensor.fake_mode is self:
            return tensor
        if Tag.inplace_view in func.tags:
            why = "Can't call metadata mutating ops on non-Fake Tensor inputs."
        elif self.allow_non_fake_inputs:
            return self.from_tensor(tensor)
        elif is_fake:
            raise AssertionError(f"Mixing fake modes NYI x.fake_mode={tensor.fake_mode} vs self={self}")
        else:
            why = "Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with "
            why += "'allow_non_fake_inputs'."
        with printing.printoptions(threshold=0, edgeitems=0):
            given = ", ".join([*map(repr, args), *(f"{name}={value!r}" for name, value in kwargs.items())])
        raise AssertionError(f"{why} Found in {func}({given})")


def run(mode: FakeTensorMode, func: OpOverload, args: Any, kwargs: Any, inner: Callable, device: Any) -> Any:
    """Call an operator below all modes with other tensors instead of the fake ones, and return its results as fakes.

    Args:
        inner: a function from a fake tensor to the other one, which has the same geometry.
        device: of results that are not over the storage of a tensor that came in; None for the device of these tensors.
    """
    pairs: dict[int, tuple[FakeTensor, Tensor]] = {}

    def given(fake: FakeTensor) -> Tensor:
        return pairs.setdefault(id(fake), (fake, inner(fake)))[1]

    with DispatchKeyGuard(excluded=PYTHON):
        result = func(*mapped(given, args), **mapped(given, kwargs))
    fakes = {id(one): fake for fake, one in pairs.values()}
    over_storage = {id(one._storage): fake for fake, one in pairs.values()}
    for fake, one in pairs.values():
        fake._sizes, fake._strides, fake._storage_offset = one._sizes, one._strides, one._storage_offset
    if device is None and tensors_in(result):
        device = common_device(func, [fake for fake, _ in pairs.values()])

    def wrap(tensor: Tensor) -> FakeTensor:
        if id(tensor) in fakes:
            fake = fakes[id(tensor)]
            if fake.device != device and func._opname not in ACROSS_DEVICES:
                raise RuntimeError(f"FakeTensor is wrapped to wrong device, found {fake.device}, expected {device}")
            return fake
        base = over_storage.get(id(tensor._storage))
        made = mode.wrapped(tensor, FakeStorage(tensor._storage, device) if base is None else base._storage)
        if base is not None:
            made._version_counter = base._shared_version()
        return made

    return mapped(wrap, result)


def forget(value: Any) -> None:
    """Note of the fake tensors in a value that their elements are not known any more."""
    for fake in tensors_in(value):
        fake._storage.constant = None  # type: ignore[attr-defined]


def common_device(func: OpOverload, fakes: Sequence[FakeTensor]) -> Device:
    """Return the device of an operator's tensors; one without dimensions on the CPU gives way to any other device.

    Raises:
        FakeTensorDeviceMismatchError: two others differ.

    Source: FakeTensor._find_common_device.
    """
    device, gives_way = CPU, True
    fakes = fakes[:1] if func._opname in ACROSS_DEVICES else fakes
    for fake in [*fakes[1:], *fakes[:1]] if func._opname in ("addmm", "addmv") else fakes:
        is_number = fake.device.type == "cpu" and not fake._sizes
        if fake.device == device or gives_way:
            device, gives_way = fake.device, gives_way and is_number
        elif not is_number:
            raise FakeTensorDeviceMismatchError(func, device, fake.device)
    return device


def active_mode() -> FakeTensorMode | None:
    """Return the thread's mode for fake tensors, the outermost of all, or None."""
    return next((mode for mode in modes.stack[:1] if isinstance(mode, FakeTensorMode)), None)


def activate(mode: FakeTensorMode | None) -> None:
    """Make a mode the thread's mode for fake tensors, below its other modes; None for no such mode."""
    set_modes((*([mode] if mode else ()), *modes.stack[active_mode() is not None :]))
