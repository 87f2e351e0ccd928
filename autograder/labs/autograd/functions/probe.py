"""Probe of Functions: a few operators with a backward of their own, called as a script says."""

import functools
import gc
import weakref

from autograder.examine.error_data import type_name
from autograder.labs.autograd.script.probe import history, tensor_of


def trace(engine, inputs, calls, cotangents):
    """Run a script of Function calls; return their results, the inputs' gradients, and the notes of the Functions.

    Args:
        inputs: triples (sizes, values, requires_grad), called "0", "1", ...; "view" stands for a view, made in no_grad,
            of a leaf that requires grad.
        calls: (name of a Function below, arguments...); strings name inputs, and results of calls: "a", "b", ...; a
            number is passed on; ("no_grad",) and ("grad",) switch, ("write", name) writes, ("drop", name) forgets.
        cotangents: values for the backward pass from the last result; None: there is none.
    Returns:
        what each call gave, by its number and words, the gradients of the inputs, and what `forward` and `backward`
        saw.
    Raises:
        NotImplementedError: the exercise is not written yet.
    """
    state = engine.autograd.state.state
    before, collecting = state.grad_mode, gc.isenabled()
    state.grad_mode = True
    gc.disable()
    try:
        return Calls(engine, state, inputs).run(calls, cotangents)
    finally:
        state.grad_mode = before
        if collecting:
            gc.enable()


class Calls:
    """The tensors and Functions of one trace."""

    def __init__(self, engine, state, inputs):
        self.engine, self.state = engine, state
        SEEN.clear()
        self.tensors = {str(at): self.made(*each) for at, each in enumerate(inputs)}
        self.inputs = list(self.tensors)
        self.functions = functions_of(engine)
        self.results = -1

    def made(self, sizes, values, requires_grad):
        tensor = tensor_of(self.engine, sizes, values, bool(requires_grad))
        if requires_grad != "view":
            return tensor
        with self.engine.no_grad():
            return tensor.view(sizes)

    def run(self, calls, cotangents):
        found = {}
        for number, call in enumerate(calls, 1):
            name = f"{number}: {' '.join(map(str, call))}"
            is_function = call[0] in self.functions
            self.results += is_function
            answer = self.call("abcdefgh"[self.results], *call)
            several = {f"{name} / {field}": value for field, value in answer.items()} if type(answer) is dict else {}
            found.update(several or {name: answer})
        if cotangents is not None:
            found["backward"] = self.backward("abcdefgh"[self.results], cotangents)
        leaves = [self.tensors[name] for name in self.inputs if name in self.tensors]
        grads = [tensor.grad if tensor.is_leaf else None for tensor in leaves]
        grads = [grad if grad is None else grad.tolist() for grad in grads]
        return {**found, "gradients of the inputs": grads, "noted": list(SEEN)}

    def call(self, name, function, *arguments):
        missing = [each for each in arguments if isinstance(each, str) and each not in self.tensors]
        if missing:
            return f"not asked: the call that makes {missing[0]} has failed"
        try:
            if function in ("no_grad", "grad"):
                self.state.grad_mode = function == "grad"
                return "done"
            if function == "write":
                with self.engine.no_grad():
                    self.tensors[arguments[0]].mul_(2.0)
                return "done"
            if function == "drop":
                return self.drop(*arguments)
            given = [self.tensors[each] if isinstance(each, str) else each for each in arguments]
            result = self.functions[function].apply(*given)
        except (NotImplementedError, NameError):
            raise
        except Interrupt:
            return ("raised", "an error outside of Exception", self.state.grad_mode)
        except Exception as error:
            return ("raised", type_name(error), self.state.grad_mode)
        first = result[0] if isinstance(result, (tuple, list)) and result else result
        if isinstance(first, self.engine.Tensor):
            self.tensors[name] = first
        several = result if isinstance(result, (tuple, list)) else [result]
        fields = ("values", "requires_grad", "nodes", "output_nr", "ctx.saved", "is input")
        columns = zip(*map(self.shown, several), strict=True)
        found = dict(zip(fields, map(list, columns), strict=True)) if several else {}
        return {"type": type(result).__name__, **found, "grad mode afterwards": self.state.grad_mode}

    def drop(self, name):
        node = self.tensors.pop(name).grad_fn
        if node is None:
            return ("the node is gone", "there is none")
        reference = weakref.ref(node)
        del node
        return ("the node is gone", reference() is None)

    def shown(self, value):
        if not isinstance(value, self.engine.Tensor):
            return (value if isinstance(value, (str, int, float)) else type(value).__name__, *[None] * 5)
        same = [name for name, tensor in self.tensors.items() if tensor is value and name in self.inputs]
        node = value.grad_fn
        saved = getattr(node, "saved", None)
        kept = None if saved is None else (type(saved).__name__, len(saved))
        return (value.tolist(), value.requires_grad, history(node), value.output_nr, kept, same)

    def backward(self, name, cotangents):
        if name not in self.tensors:
            return f"not asked: the call that makes {name} has failed"
        tensor = self.tensors[name]
        if not tensor.requires_grad:
            return f"not asked: {name} does not require grad"
        try:
            tensor.backward(tensor_of(self.engine, tuple(tensor.shape), cotangents), create_graph=False)
        except (NotImplementedError, NameError):
            raise
        except Exception as error:
            return ("raised", type_name(error))
        return "done"


class Interrupt(BaseException):
    """An error that does not derive from Exception, like KeyboardInterrupt."""


SEEN: list[tuple] = []
"""Everything that the Functions of the running trace have seen: (what, the grad mode)."""


@functools.cache
def functions_of(engine):
    """Build the Functions that a script can call, by name; most of them note in `SEEN` what they do."""

    def note(what):
        SEEN.append((what, engine.autograd.state.state.grad_mode))

    class Square(engine.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            note(("square", f"edges of the node: {len(ctx.next_edges)}"))
            ctx.given = id(x)
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            note(("back", x.tolist(), x.requires_grad, x.grad_fn is None, id(x) == ctx.given))
            return 2.0 * x * grad

    class Cube(engine.autograd.Function):
        @staticmethod
        def forward(x):
            note("cube")
            return x * x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            note("context")
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 3.0 * x * x * grad

    class Exp(engine.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            result = x.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, grad):
            (result,) = ctx.saved_tensors
            note(("back", result.requires_grad, result.grad_fn is not None))
            return grad * result

    class Scale(engine.autograd.Function):
        @staticmethod
        def forward(ctx, factor, x, y=None):
            note(("scale", ctx.needs_input_grad))
            ctx.factor = factor
            ctx.save_for_backward(None, x, y)
            return x * factor

        @staticmethod
        def backward(ctx, grad):
            nothing, x, y = ctx.saved_tensors
            note(("back", nothing is None, x.tolist(), y is None))
            return None, grad * ctx.factor, None

    class Both(engine.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            total = x + y
            ctx.save_for_backward(x, y, total)
            return total, "a word", x * y

        @staticmethod
        def backward(ctx, grad, _, grad_of_product):
            x, y, total = ctx.saved_tensors
            note(("back", grad_of_product.tolist(), total.tolist()))
            return grad + grad_of_product * y, grad + grad_of_product * x

    class One(engine.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return (x * 1.0,)

        @staticmethod
        def backward(ctx, grad):
            return grad

    class Same(engine.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 3.0

    class Fails(engine.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            raise ValueError("in forward")

    class Interrupted(engine.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            raise Interrupt

    class FailsLater(Cube):
        @staticmethod
        def setup_context(ctx, inputs, output):
            raise ValueError("in setup_context")

    class Keeps(engine.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.given = id(x)
            ctx.save_for_backward(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            maker = None if x.grad_fn is None else x.grad_fn.name()
            note(("back", x.tolist(), "the input itself" if id(x) == ctx.given else "another tensor", maker))
            return grad * x

    class Lists(engine.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return [x * 2.0]

        @staticmethod
        def backward(ctx, grad):
            return grad * 2.0

    class Empty(engine.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return ()

        @staticmethod
        def backward(ctx):
            return None

    class SavesANumber(engine.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(2.0)
            return x * 2.0

        @staticmethod
        def backward(ctx, grad):
            return grad

    return {"square": Square, "cube": Cube, "exp": Exp, "scale": Scale, "both": Both, "one": One, "same": Same,
            "fails": Fails, "fails later": FailsLater, "interrupted": Interrupted, "keeps": Keeps, "lists": Lists,
            "empty": Empty, "number": SavesANumber}  # fmt: skip
