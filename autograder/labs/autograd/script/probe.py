"""Scripts of autograd: tensors, operators, writes, modes, hooks, backward passes, and what each step gave.

A step is a tuple: its kind, then names of tensors and plain values. Names are strings; where a step takes arguments
of an operator, a string stands for the tensor of that name.

    ("leaf", name, sizes, values, requires_grad)
    ("do", name, operator, tensor, *arguments)      name = tensor.operator(*arguments)
    ("pick", name, of, number)                      one result of an operator with several
    ("enter", mode), ("leave",)                     "no_grad", "enable_grad", "inference_mode"
    ("backward", name, cotangent, retain_graph)
    ("grad", name, inputs, cotangent, create_graph) gives the gradients; of create_graph also their grad_fn
    ("see", what, name)                             "grad", "version", "requires_grad", "is_leaf", "values", "history",
    "meta"
    ("saved", name, field)                          what the node of a tensor has saved
    ("keep", name, tensor, is_output)               name = SavedVariable(tensor, is_output)
    ("kept", name)                                  its fields
    ("load", name, by)                              its load(the node of `by`), and whether it gave the tensor itself
    ("refuses", name, by)                           the same, but only whether it was refused
    ("drop", name, ...)                             names are forgotten
    ("dies", name)                                  whether the node of a tensor goes with the tensor
    ("check", name)                                 check_inplace; a refusal of check_view_is_writable passes
    ("rebase", name, factor)                        rebase_view, after a write that multiplied by a factor
    ("slices", base, view, factors, grad, needs)    CopySlices.apply: geometries, what the node of the write returns
    ("hook", name, tensor, label, answer)           answer: None, a factor, or the name of a hook that it removes
    ("remove", name)                                a hook
    ("log",)                                        what hooks saw since the last time
"""

import gc
import weakref

from autograder.examine.error_data import type_name


def run(engine, script):
    """Run `script` and return each step's result by number and words: "done", what it saw, or ("raised", type name).

    Where a step sees several things, each has an entry of its own: "1: slices / type".

    Raises:
        NotImplementedError: the exercise is not written yet.
    """
    return Script(engine).run(script)


def tensor_of(engine, sizes, values, requires_grad=False):
    """Make a float64 tensor over a fresh storage."""
    made = engine.tensor([float(value) for value in values], dtype=engine.float64).view(sizes)
    return made.detach().requires_grad_(requires_grad)


def history(node, depth=6):
    """Return the graph behind a node as nested lists of names: ["MulBackward0", ["AccumulateGrad"], None]."""
    if node is None:
        return None
    name = node.name().rpartition("::")[2]
    return [name, *(history(behind, depth - 1) for behind, _ in node.next_functions)] if depth else [name]


def label(number, step):
    """Return the key under which a step's result is returned: "3: see grad x".

    >>> label(3, ("see", "grad", "x")), label(1, ("leaf", "x", (2,), [2, 3], True))
    ('3: see grad x', '1: leaf x')
    """
    words = [word for word in step if isinstance(word, str)]
    return f"{number}: {' '.join(words)}"


class Missing(Exception):
    """An error for a step that needs a tensor which an earlier, failed step should have made."""


class Script:
    """The tensors, hooks and modes of one script."""

    def __init__(self, engine):
        self.engine = engine
        self.state = engine.autograd.state.state
        self.local = engine.dispatch.local.local
        self.tensors, self.handles, self.kept_of, self.modes, self.seen = {}, {}, {}, [], []

    def run(self, script):
        before = self.state.grad_mode, self.state.inference_mode, self.local.state
        collecting = gc.isenabled()
        gc.disable()
        try:
            found = {}
            for number, step in enumerate(script, 1):
                answer, name = self.step(*step), label(number, step)
                several = (
                    {f"{name} / {field}": value for field, value in answer.items()} if type(answer) is dict else {}
                )
                found.update(several or {name: answer})
            return found
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
        except Missing as missing:
            return str(missing)
        except Exception as error:
            return ("raised", type_name(error))
        return "done" if found is None else found

    def tensor(self, name):
        if name not in self.tensors:
            raise Missing(f"not asked: the step that makes {name} has failed")
        return self.tensors[name]

    def value(self, argument):
        return self.tensor(argument) if isinstance(argument, str) else argument

    def cotangent(self, name, values):
        tensor = self.tensor(name)
        return tensor_of(self.engine, tuple(tensor.shape), values)

    # ---- tensors

    def leaf(self, name, sizes, values, requires_grad):
        self.tensors[name] = tensor_of(self.engine, sizes, values, requires_grad)

    def do(self, name, operator, tensor, *arguments):
        result = getattr(self.tensor(tensor), operator)(*map(self.value, arguments))
        if name:
            self.tensors[name] = result

    def pick(self, name, of, number):
        self.tensors[name] = self.tensor(of)[number]

    def drop(self, *names):
        for name in names:
            self.tensors.pop(name, None)

    def dies(self, name):
        maker = self.tensor(name).grad_fn
        node = None if maker is None else weakref.ref(maker)
        del maker, self.tensors[name]
        return "it has no node" if node is None else node() is None

    # ---- modes

    def enter(self, mode):
        context = getattr(self.engine, mode)()
        context.__enter__()
        self.modes.append(context)

    def leave(self):
        self.modes.pop().__exit__(None, None, None)

    # ---- backward

    def backward(self, name, cotangent, retain_graph):
        self.tensor(name).backward(self.cotangent(name, cotangent), retain_graph=retain_graph)

    def grad(self, name, inputs, cotangent, create_graph):
        found = self.engine.autograd.grad(
            self.tensor(name), [self.tensor(each) for each in inputs], self.cotangent(name, cotangent),
            retain_graph=True, create_graph=create_graph, allow_unused=True,
        )  # fmt: skip
        if create_graph:
            for each, gradient in zip(inputs, found, strict=True):
                self.tensors[f"grad of {each}"] = gradient
        return [gradient if gradient is None else gradient.tolist() for gradient in found]

    # ---- what is there to see

    def see(self, what, name):
        tensor = self.tensor(name)
        if what == "grad":
            grad = tensor.grad if tensor.is_leaf else None
            return ("grad", None if grad is None else grad.tolist())
        if what == "values":
            return tensor.tolist()
        if what == "history":
            return ("history", history(tensor.grad_fn))
        if what == "version":
            return tensor._version
        if what == "meta":
            return "none" if tensor._autograd_meta is None else "there is one"
        return {"requires_grad": tensor.requires_grad, "is_leaf": tensor.is_leaf}[what]

    def saved(self, name, field):
        node = self.tensor(name).grad_fn
        found = getattr(node, f"_saved_{field}")
        if found is None:
            return ("nothing",)
        same = [each for each, tensor in self.tensors.items() if tensor is found]
        maker = found.grad_fn
        its = None if maker is None else "the node that saved it" if maker is node else maker.name()
        return ("saved", found.tolist(), found.requires_grad, its, found.output_nr, found._version, same)

    def keep(self, name, tensor, is_output):
        of = self.tensor(tensor)
        self.kept_of[name] = weakref.ref(of), self.engine.autograd.saved_variable.SavedVariable(of, is_output)

    def saved_as(self, name):
        """Return a weak reference to the tensor saved as `name`, and its SavedVariable."""
        if name not in self.kept_of:
            raise Missing(f"not asked: the step that makes {name} has failed")
        return self.kept_of[name]

    def kept(self, name):
        of_tensor, entry = self.saved_as(name)
        tensor = of_tensor()
        maker = entry.weak_grad_fn
        is_weak = type(maker) is weakref.ref
        return {
            "the tensor itself": entry.data is tensor,
            "memory": data_ptr(self.engine, entry.data) == tensor.data_ptr(),
            "history": isinstance(entry.data, self.engine.Tensor) and entry.data.grad_fn is not None,
            "version": entry.version,
            "output_nr": entry.output_nr,
            "weak_grad_fn": maker if maker is None else ("a weak reference" if is_weak else "no weak reference"),
            "its node": maker() and maker().name() if is_weak else None,
        }

    def load(self, name, by):
        of_tensor, entry = self.saved_as(name)
        node = self.tensor(by).grad_fn
        try:
            loaded = entry.load(node)
        except RuntimeError as error:
            return ("raised", type_name(error), "the words of self.modified(node)"
                    if str(error) == self.engine.autograd.saved_variable.SavedVariable.modified(entry, node)
                    else "other words")  # fmt: skip
        maker = loaded.grad_fn
        names = [each for each, one in self.tensors.items()
                 if isinstance(one, self.engine.Tensor) and one.grad_fn is maker]  # fmt: skip
        of = None if maker is None else f"that of {names[0]}" if names else maker.name()
        return ("loaded", loaded.tolist(), loaded is of_tensor(), loaded is entry.data,
                loaded.requires_grad, of, loaded.output_nr)  # fmt: skip

    def refuses(self, name, by):
        loaded = self.load(name, by)
        return loaded if loaded[0] == "raised" else loaded[0]

    # ---- writes

    def check(self, name):
        variable, tensor = self.engine.autograd.variable, self.tensor(name)
        try:
            return variable.check_inplace(tensor)
        except RuntimeError as error:
            return ("raised", type_name(error), *self.words_of(variable, tensor, str(error)))

    def words_of(self, variable, tensor, said):
        """Compare a refusal's message with the message of `check_view_is_writable`, if that refuses the tensor too."""
        meta = tensor._autograd_meta
        if meta is not None and meta.is_view:
            try:
                variable.check_view_is_writable(tensor, meta)
            except RuntimeError as error:
                return ["in the words of check_view_is_writable" if said == str(error) else "in other words"]
        return []

    def rebase(self, name, factor):
        tensor = self.tensor(name)
        edge = self.engine.autograd.variable.gradient_edge(tensor)
        node = scripted_node(self.engine, (edge,), (factor,))
        with self.engine.no_grad():
            tensor.mul_(factor)
        try:
            self.engine.autograd.copy_slices.rebase_view(tensor, tensor._autograd_meta, node)
        except RuntimeError as error:
            return ("raised", type_name(error), "as it was" if node.input_metadata == () else "the node has changed")

    def slices(self, base, view, factors, grad, needs):
        copy_slices = self.engine.autograd.copy_slices
        base_of = over(self.engine, base)
        node = scripted_node(self.engine, ((None,) if factors is None else (None,) * len(factors)), factors)
        slices = copy_slices.CopySlices(base_of, view, node)
        if factors is None:
            slices.release_variables()
        given = None if grad is None else tensor_of(self.engine, base[0], grad)
        grads = [given]
        results = slices.apply(grads, needs)
        is_several = isinstance(results, (tuple, list))
        shown = tuple(map(self.shown, results)) if is_several else ()
        return {
            "type": type(results).__name__,
            "gradient of the base": shown[:1],
            "gradients of the others": shown[1:],
            "grads[0] afterwards": _as_it_was(grads, given),
            "written was given": [(values, needs) for values, _, needs in node.was_given()],
            "and that afterwards": [after for _, after, _ in node.was_given()],
        }

    def shown(self, gradient):
        if gradient is None or not isinstance(gradient, self.engine.Tensor):
            return gradient if gradient is None else type(gradient).__name__
        return gradient.tolist(), gradient.stride()

    # ---- hooks

    def hook(self, name, tensor, label, answer):
        def hook(grad):
            self.seen.append((label, grad.tolist()))
            if isinstance(answer, str):
                self.handles[answer].remove()
                return None
            return None if answer is None else grad * answer

        handle = self.tensor(tensor).register_hook(hook)
        self.handles[name] = handle
        return handle_or_none(self.engine, handle)

    def remove(self, name):
        if name not in self.handles:
            raise Missing(f"not asked: the step that makes {name} has failed")
        self.handles[name].remove()

    def log(self):
        seen, self.seen = self.seen, []
        return seen


def _as_it_was(grads, given):
    """Return the elements of the given gradient, or report that the list no longer holds it."""
    if len(grads) != 1 or grads[0] is not given:
        return "the list has changed"
    return None if given is None else given.tolist()


def handle_or_none(engine, handle):
    """Return "handle" for a RemovableHandle, else "no handle"."""
    return "handle" if type(handle) is engine.utils.hooks.RemovableHandle else "no handle"


def data_ptr(engine, tensor):
    """Return the address of a tensor's data, or None if `tensor` is not a tensor."""
    return tensor.data_ptr() if isinstance(tensor, engine.Tensor) else None


def over(engine, geometry):
    """Make a tensor of zeros with the given sizes, strides and storage offset that is not a view."""
    sizes, strides, offset = geometry
    cells = offset + 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    return engine.zeros(cells, dtype=engine.float64).as_strided(sizes, strides, offset).detach()


def scripted_node(engine, next_edges, factors):
    """Make a node that returns the incoming gradient times each factor; None means no gradient."""

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
        "leaf", "do", "pick", "drop", "dies", "enter", "leave", "backward", "grad", "see", "saved", "keep", "kept",
        "load", "refuses", "check", "rebase", "slices", "hook", "remove", "log",
    )
}  # fmt: skip
