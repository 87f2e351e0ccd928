"""Scripts of autograd: tensors, operators, writes, modes, hooks, backward passes, and what each step gave.

A step is a tuple: its kind, then names of tensors and plain values. Names are strings; where a step takes arguments
of an operator, a string stands for the tensor of that name.

    ("leaf", name, sizes, values, requires_grad)
    ("do", name, operator, tensor, *arguments)      name = tensor.operator(*arguments)
    ("pick", name, of, number)                      one result of an operator with several
    ("enter", mode), ("leave",)                     "no_grad", "enable_grad", "inference_mode"
    ("backward", name, cotangent, retain_graph)
    ("grad", name, inputs, cotangent, create_graph) gives the gradients; of create_graph also their grad_fn
    ("see", what, name)                             "grad", "version", "requires_grad", "is_leaf", "values", "history"
    ("saved", name, field)                          what the node of a tensor has saved
    ("drop", name, ...)                             names are forgotten
    ("dies", name)                                  whether the node of a tensor goes with the tensor
    ("check", name)                                 check_inplace
    ("rebase", name, factor)                        rebase_view, after a write that multiplied by a factor
    ("slices", base, view, factors, grad, needs)    CopySlices.apply: geometries, what the node of the write returns
    ("hook", name, tensor, label, answer)           answer: None, or a factor
    ("remove", name)                                a hook
    ("log",)                                        what hooks saw since the last time
"""

import gc
import weakref

from autograder.examine.raised import type_name


def run(engine, script):
    """Return the result of each step of `script`: "done", what it saw, or ("raised", type name).

    Raises:
        NotImplementedError: the exercise is not written yet.
    """
    return Script(engine).run(script)


def tensor_of(engine, sizes, values, requires_grad=False):
    """A float64 tensor over a fresh storage."""
    made = engine.tensor([float(value) for value in values], dtype=engine.float64).view(sizes)
    return made.detach().requires_grad_(requires_grad)


def history(node, depth=6):
    """Names of nodes, each with those behind it: ["MulBackward0", ["AccumulateGrad"], None]."""
    if node is None:
        return None
    name = node.name().rpartition("::")[2]
    return [name, *(history(behind, depth - 1) for behind, _ in node.next_functions)] if depth else [name]


class Script:
    """The tensors, hooks and modes of one script."""

    def __init__(self, engine):
        self.engine = engine
        self.state = engine.autograd.state.state
        self.local = engine.dispatch.local.local
        self.tensors, self.handles, self.modes, self.seen = {}, {}, [], []

    def run(self, script):
        before = self.state.grad_mode, self.state.inference_mode, self.local.state
        collecting = gc.isenabled()
        gc.disable()
        try:
            return [self.step(*step) for step in script]
        finally:
            while self.modes:
                self.modes.pop().__exit__(None, None, None)
            self.state.grad_mode, self.state.inference_mode, self.local.state = before
            if collecting:
                gc.enable()

    def step(self, kind, *arguments):
        try:
            found = STEPS[kind](self, *arguments)
        except (NotImplementedError, NameError):
            raise
        except Exception as error:
            return ("raised", type_name(error))
        return "done" if found is None else found

    def value(self, argument):
        return self.tensors[argument] if isinstance(argument, str) else argument

    def cotangent(self, name, values):
        tensor = self.tensors[name]
        return tensor_of(self.engine, tuple(tensor.shape), values)

    # ---- tensors

    def leaf(self, name, sizes, values, requires_grad):
        self.tensors[name] = tensor_of(self.engine, sizes, values, requires_grad)

    def do(self, name, operator, tensor, *arguments):
        result = getattr(self.tensors[tensor], operator)(*map(self.value, arguments))
        if name:
            self.tensors[name] = result

    def pick(self, name, of, number):
        self.tensors[name] = self.tensors[of][number]

    def drop(self, *names):
        for name in names:
            del self.tensors[name]

    def dies(self, name):
        node = weakref.ref(self.tensors[name].grad_fn)
        del self.tensors[name]
        return node() is None

    # ---- modes

    def enter(self, mode):
        context = getattr(self.engine, mode)()
        context.__enter__()
        self.modes.append(context)

    def leave(self):
        self.modes.pop().__exit__(None, None, None)

    # ---- backward

    def backward(self, name, cotangent, retain_graph):
        self.tensors[name].backward(self.cotangent(name, cotangent), retain_graph=retain_graph)

    def grad(self, name, inputs, cotangent, create_graph):
        found = self.engine.autograd.grad(
            self.tensors[name], [self.tensors[each] for each in inputs], self.cotangent(name, cotangent),
            retain_graph=True, create_graph=create_graph, allow_unused=True,
        )  # fmt: skip
        if create_graph:
            for each, gradient in zip(inputs, found, strict=True):
                self.tensors[f"grad of {each}"] = gradient
        return [gradient if gradient is None else gradient.tolist() for gradient in found]

    # ---- what is there to see

    def see(self, what, name):
        tensor = self.tensors[name]
        if what == "grad":
            grad = tensor.grad if tensor.is_leaf else None
            return ("grad", None if grad is None else grad.tolist())
        if what == "values":
            return tensor.tolist()
        if what == "history":
            return ("history", history(tensor.grad_fn))
        if what == "version":
            return tensor._version
        return {"requires_grad": tensor.requires_grad, "is_leaf": tensor.is_leaf}[what]

    def saved(self, name, field):
        node = self.tensors[name].grad_fn
        found = getattr(node, f"_saved_{field}")
        if found is None:
            return ("nothing",)
        same = [each for each, tensor in self.tensors.items() if tensor is found]
        maker = found.grad_fn
        its = None if maker is None else "the node that saved it" if maker is node else maker.name()
        return ("saved", found.tolist(), found.requires_grad, its, found.output_nr, found._version, same)

    # ---- writes

    def check(self, name):
        return self.engine.autograd.variable.check_inplace(self.tensors[name])

    def rebase(self, name, factor):
        tensor = self.tensors[name]
        edge = self.engine.autograd.variable.gradient_edge(tensor)
        node = scripted_node(self.engine, (edge,), (factor,))
        with self.engine.no_grad():
            tensor.mul_(factor)
        self.engine.autograd.copy_slices.rebase_view(tensor, tensor._autograd_meta, node)

    def slices(self, base, view, factors, grad, needs):
        copy_slices = self.engine.autograd.copy_slices
        base_of = over(self.engine, base)
        node = scripted_node(self.engine, ((None,) if factors is None else (None,) * len(factors)), factors)
        slices = copy_slices.CopySlices(base_of, view, node)
        if factors is None:
            slices.release_variables()
        given = None if grad is None else tensor_of(self.engine, base[0], grad)
        results = slices.apply([given], needs)
        shown = tuple(result if result is None else (result.tolist(), result.stride()) for result in results)
        return (type(results).__name__, shown, given if given is None else given.tolist(), node.was_given())

    # ---- hooks

    def hook(self, name, tensor, label, answer):
        def hook(grad):
            self.seen.append((label, grad.tolist()))
            return None if answer is None else grad * answer

        handle = self.tensors[tensor].register_hook(hook)
        self.handles[name] = handle
        return type_name_of(self.engine, handle)

    def remove(self, name):
        self.handles[name].remove()

    def log(self):
        seen, self.seen = self.seen, []
        return seen


def type_name_of(engine, handle):
    """Return "handle" for a RemovableHandle, else "no handle"."""
    return "handle" if type(handle) is engine.hooks.RemovableHandle else "no handle"


def over(engine, geometry):
    """A tensor of zeros with given sizes, strides and storage offset, no view of anything."""
    sizes, strides, offset = geometry
    cells = offset + 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    return engine.zeros(cells, dtype=engine.float64).as_strided(sizes, strides, offset).detach()


def scripted_node(engine, next_edges, factors):
    """A node that returns the gradient that came in times each factor; None stands for no gradient."""

    class Scripted(engine.autograd.node.Node):
        def apply(self, grads, needs):
            self.given.append((grads[0], grads[0].tolist(), [bool(need) for need in needs]))
            return tuple(None if factor is None else grads[0] * factor for factor in factors)

        def was_given(self):
            return [(values, tensor.tolist(), needs) for tensor, values, needs in self.given]

    node = Scripted(tuple(next_edges))
    node.given = []
    return node


STEPS = {
    name: getattr(Script, name)
    for name in (
        "leaf", "do", "pick", "drop", "dies", "enter", "leave", "backward", "grad", "see", "saved", "check", "rebase",
        "slices", "hook", "remove", "log",
    )
}  # fmt: skip
