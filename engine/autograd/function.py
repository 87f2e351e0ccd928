"""Operators with a backward of one's own: subclasses of Function.

    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    y = Square.apply(x)

The context `ctx` is the node itself: what `forward` leaves there, `backward` finds. Mirrors torch/autograd/function.py
and torch/csrc/autograd/{python_function,custom_function}.cpp.
"""

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from .. import slots
from ..aten.at import at
from ..dispatch.local import in_transform
from ..tensor_impl import Tensor
from . import variable
from .custom_function import Outputs
from .grad_mode import no_grad
from .node import Gradients, InputMetadata, Node
from .saved_variable import FREED, SavedVariable
from .state import state

NOT_AN_OBJECT = (
    "{cls} should not be instantiated. Methods on autograd functions are all static, so you should invoke them on the "
    "class itself. Instantiating an autograd function will raise an error in a future version of PyTorch."
)
LEGACY = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
    "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)
NO_SETUP_CONTEXT = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
    "the setup_context staticmethod. For more details, please see "
    "https://pytorch.org/docs/main/notes/extending.func.html"
)


class FunctionCtx:
    """The record of one call: the tensors to save, the inputs modified in place, and the non-differentiable outputs."""

    to_save: tuple[Tensor | None, ...] = ()
    saved_for_forward: tuple[Tensor | None, ...] | None = None
    dirty_tensors: tuple[Tensor, ...] = ()
    non_differentiable: tuple[Tensor, ...] = ()
    materialize_grads: bool = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Save tensors for `backward`, which finds them in `ctx.saved_tensors`.

        Inputs and results must be kept this way: it notices if they are written to, and makes no cycle of references.
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Save tensors for `jvp`, which finds them in `ctx.saved_tensors`."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Mark the inputs that `forward` modified in place. All of them must be returned."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Mark outputs as non-differentiable. `backward` gets zeros for them."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether `backward` gets zeros (the default) or None for a gradient that did not arrive."""
        self.materialize_grads = value


class BackwardCFunction(FunctionCtx, Node):
    """The node and the context of one call of a Function. Each Function has its own subclass.

    Attributes:
        needs_input_grad: for each argument of `forward`, whether it is a tensor that requires grad.
        saved: the tensors given to `save_for_backward`; None once they were let go.
        output_info: for each result, the metadata of the zeros that replace its gradient; None if it is not a tensor.
    """

    _forward_cls: ClassVar[Any]

    def __init__(self, inputs: Sequence[Any], is_executable: bool):
        tensors = [value for value in inputs if isinstance(value, Tensor)]
        super().__init__(variable.gradient_edges(tensors) if is_executable else ())
        self.needs_input_grad = tuple(isinstance(value, Tensor) and variable.requires_grad(value) for value in inputs)
        self.is_variable_input = tuple(isinstance(value, Tensor) for value in inputs)
        self.saved: tuple[SavedVariable, ...] | None = ()
        self.output_info: list[InputMetadata | None] = []

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The tensors that were given to `save_for_backward`.

        Raises:
            RuntimeError: a tensor was written to since, or the graph has been freed.
        """
        if self.saved is None:
            raise RuntimeError(FREED)
        return tuple(saved.unpack(self, may_be_detached=True) for saved in self.saved)

    def release_variables(self) -> None:
        self.saved = None

    def apply(self, grads: Gradients, needs: Sequence[Any]) -> Gradients:
        results = self._user_function()(self, *map(self._materialized, grads, self.output_info))
        results = results if isinstance(results, tuple) else (results,)
        expected = len(self.is_variable_input)
        if len(results) > expected and all(extra is None for extra in results[expected:]):
            results = results[:expected]
        if len(results) != expected:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(results)})"
            )
        return tuple(
            self._checked(result, position)
            for position, (result, is_variable) in enumerate(zip(results, self.is_variable_input, strict=True), 1)
            if is_variable or self._checked_none(result, position)
        )

    def _user_function(self) -> Callable[..., Any]:
        backward, vjp = self._forward_cls.backward, self._forward_cls.vjp
        if backward is not Function.backward and vjp is not Function.vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        return vjp if vjp is not Function.vjp else backward

    def _materialized(self, grad: Tensor | None, info: InputMetadata | None) -> Tensor | None:
        if grad is not None or info is None or not self.materialize_grads:
            return grad
        sizes, dtype, device = info
        return at.zeros(sizes, dtype, None, device)

    def _checked_none(self, result: Any, position: int) -> bool:
        if result is not None:
            raise RuntimeError(
                f"function {self.name()} returned a gradient different than None at position {position}, but the "
                "corresponding forward input was not a Variable"
            )
        return False

    def _checked(self, result: Any, position: int) -> Tensor | None:
        if result is not None and not isinstance(result, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(result).__name__})")
        return result


class Function:
    """Base class of user-defined differentiable operators, called by `apply`.

    Overridden by a subclass, as static methods: `forward(ctx, *args)` and `backward(ctx, *grads)`; or, to keep the
    context out of the computation, `forward(*args)`, `setup_context(ctx, inputs, output)` and `backward`.
    `forward` runs unrecorded; `backward` is recorded when the graph of the backward pass is requested.

    Inside the transforms of `engine.func` only the second form works. For vmap there must be a static method `vmap`, or
    `generate_vmap_rule = True`; for jvp, a static method `jvp`.
    """

    _backward_cls: ClassVar[type[BackwardCFunction]]
    generate_vmap_rule: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._backward_cls = type(f"{cls.__name__}Backward", (BackwardCFunction,), {"_forward_cls": cls})

    def __init__(self, *args: Any, **kwargs: Any):
        warnings.warn(NOT_AN_OBJECT.format(cls=self.__class__), DeprecationWarning, stacklevel=2)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(LEGACY)

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the results: a tensor, or a tuple of tensors and other values."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Store in `ctx` what `backward` needs, after `forward` has run."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Return the gradient of each argument of `forward`, given its results' gradients; None for non-tensors."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward  # the same by its other name

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """Return the tangent of each result, given the tangents of the arguments; for `func.jvp`."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """Return (results, their batch dimensions) for arguments with batch dimensions; for `func.vmap`.

        Args:
            info: `info.batch_size` and `info.randomness`.
            in_dims: for each argument its batch dimension, or None.
        """
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`, and record `backward` for the backward pass.

        Raises:
            RuntimeError: the notes in the context do not match what `forward` did; or, inside a transform, the
                subclass has no `setup_context`.
            TypeError: something that is not a tensor was given to `save_for_backward`.
        """
        inputs = positional(cls.forward, has_setup_context(cls), args, kwargs)
        if not in_transform():
            return record(cls, slots.unwrap_dead_wrappers.function(inputs))
        if not has_setup_context(cls):
            raise RuntimeError(NO_SETUP_CONTEXT)
        return slots.custom_function_call(cls, inputs)


def record(function: type[Function], inputs: tuple[Any, ...]) -> Any:
    """Run the `forward` of a Function, and make its results the outputs of a new node.

    The call is recorded if `state.grad_mode` is on and an input is a tensor that requires grad
    (`variable.requires_grad`). Whether it is recorded or not, `forward` gets a node as its context, and what `forward`
    does is not recorded itself. Of a recorded call the node keeps the tensors that `forward` asked to save: in
    `ctx.saved`, a tuple of a `SavedVariable(tensor, is_output)` for each. An output is one of the tensors that are
    returned, the very same object, with the history that it has by then.

    Given are `function._backward_cls(inputs, is_executable)`, which makes the node;
    `run_forward(function, ctx, inputs)`, which calls what the subclass has written, to be called in `with no_grad():`;
    `wrap_outputs(ctx, function, inputs, outputs, is_executable)`, which takes a tuple and returns a list of the results
    with their history; and `tensors_to_save(ctx)`. `is_executable` is True if the call is recorded.

    Args:
        function: a subclass of Function.
        inputs: the arguments of the call: tensors, and anything else.
    Returns:
        what `forward` returned, with history: a tuple if that was one, also of one element or none; else a single
        value. A list is a single value: it passes through without history.
    Raises:
        whatever `forward` raises, KeyboardInterrupt included; the grad mode is then as it was.

    Source: THPFunction_apply (torch/csrc/autograd/python_function.cpp).
    """
    is_executable = state.grad_mode and any(
        isinstance(value, Tensor) and variable.requires_grad(value) for value in inputs
    )
    ctx = function._backward_cls(inputs, is_executable)
    with no_grad():
        result = run_forward(function, ctx, inputs)
    outputs = result if isinstance(result, tuple) else (result,)
    wrapped = wrap_outputs(ctx, function, inputs, outputs, is_executable)
    if is_executable:
        ctx.saved = tuple(
            SavedVariable(tensor, any(tensor is one for one in wrapped)) for tensor in tensors_to_save(ctx)
        )
    return tuple(wrapped) if isinstance(result, tuple) else wrapped[0]


def has_setup_context(function: type[Function]) -> bool:
    """Return True if a Function overrides `setup_context`, so that its `forward` takes no context."""
    return function.setup_context is not Function.setup_context


def run_forward(function: type[Function], ctx: BackwardCFunction, inputs: tuple[Any, ...]) -> Any:
    """Run `forward` and, if defined, `setup_context`; return the result of `forward`."""
    if not has_setup_context(function):
        return function.forward(ctx, *inputs)
    result = function.forward(*inputs)
    function.setup_context(ctx, inputs, result)
    return result


def wrap_outputs(
    ctx: BackwardCFunction,
    function: type[Function],
    inputs: tuple[Any, ...],
    outputs: Sequence[Any],
    is_executable: bool,
) -> list[Any]:
    """Return the results of `forward` as the caller gets them: as outputs of the node, if the call is recorded."""
    saved_by_setup = ctx.to_save if is_executable and has_setup_context(function) else ()
    return Outputs(ctx, inputs, is_executable, saved_by_setup).wrap(outputs)


def positional(
    forward: Callable[..., Any], has_setup_context: bool, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """Return the arguments of a call as positional ones; if `forward` takes no context, fill in its defaults."""
    if not kwargs and not has_setup_context:
        return args
    context = () if has_setup_context else (None,)
    bound = inspect.signature(forward).bind(*context, *args, **kwargs)
    if has_setup_context:
        bound.apply_defaults()
    return bound.args[len(context) :]


def tensors_to_save(ctx: BackwardCFunction) -> tuple[Tensor | None, ...]:
    """Return the tensors given to `save_for_backward`, and clear them in the context.

    Raises:
        TypeError: something that is neither a tensor nor None.
    """
    for number, value in enumerate(ctx.to_save):
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {number} is of type {type(value).__name__}"
            )
    tensors = ctx.to_save
    ctx.to_save = ()
    return tensors


# ---- backwards that can't be differentiated again


class Error(Node):
    """The backward of an output that must not be differentiated: it raises an error.

    Args:
        message: what it says.
    """

    __slots__ = ("message",)
    namespace = "torch::autograd::"

    def __init__(self, message: str, next_edges: Any):
        super().__init__(next_edges)
        self.message = message

    def apply(self, grads: Gradients, needs: Sequence[Any]) -> Gradients:
        raise RuntimeError(self.message)


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a `backward` made of non-differentiable operations: differentiating it again raises an error."""

    @functools.wraps(function)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            results = function(ctx, *grads)
        wanted = any(isinstance(grad, Tensor) and variable.requires_grad(grad) for grad in grads)
        if not state.grad_mode or not wanted:
            return results
        several = results if isinstance(results, tuple) else (results,)
        refusing = _refuse_second(several)
        return refusing if isinstance(results, tuple) else refusing[0]

    return wrapper


def _refuse_second(results: Sequence[Tensor | None]) -> tuple[Tensor | None, ...]:
    """Return the same results, with a node behind them that raises."""
    copies = [None if result is None else at.detach(result) for result in results]
    for copy in copies:
        if copy is not None:
            variable.get_or_create_meta(copy).requires_grad = True
    node = Error(
        "trying to differentiate twice a function that was marked with @once_differentiable",
        variable.gradient_edges(copies),
    )
    refusing = tuple(None if copy is None else at.detach(copy) for copy in copies)
    for result in refusing:
        if result is not None:
            variable.set_history(result, node)
    return refusing
