"""Wrong answers to tiny_tensor.autograd_kernel and tiny_tensor.backward."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

KERNEL, BACKWARD = "tiny_tensor.autograd_kernel", "tiny_tensor.backward"

WRONG_ANSWERS = (
    WrongAnswer(KERNEL, "calls itself", ("passes-on",), (
        'output = call(op, *args, below="Autograd")', "output = call(op, *args)",
    )),
    WrongAnswer(KERNEL, "the output loses the key", ("remembers",), ('output.keys.add("Autograd")', "pass")),
    WrongAnswer(KERNEL, "only the first argument is remembered", ("remembers",), (
        "output.node = (op, args)", "output.node = (op, args[:1])",
    )),
    WrongAnswer(KERNEL, "nothing is remembered", ("remembers",), ("output.node = (op, args)", "pass")),
    WrongAnswer(KERNEL, "runs below twice", ("passes-on",), """
def autograd_kernel(op):
    def kernel(*args):
        call(op, *args, below="Autograd")
        output = call(op, *args, below="Autograd")
        output.keys.add("Autograd")
        output.node = (op, args)
        return output

    return kernel
"""),
    WrongAnswer(KERNEL, "always the same two keys", ("remembers",), (
        'output.keys.add("Autograd")', 'output.keys = {"CPU", "Autograd"}',
    )),
    WrongAnswer(KERNEL, "the operator of the kernel that was made last", ("remembers",), """
LAST = []


def autograd_kernel(op):
    LAST[:] = [op]

    def kernel(*args):
        output = call(op, *args, below="Autograd")
        output.keys.add("Autograd")
        output.node = (LAST[0], args)
        return output

    return kernel
"""),
    WrongAnswer(KERNEL, "holds back an error of the kernel below", ("passes-on", "remembers"), (
        'output = call(op, *args, below="Autograd")',
        'try:\n    output = call(op, *args, below="Autograd")\nexcept RuntimeError:\n    return args[0]',
    )),
    WrongAnswer(BACKWARD, "takes the graph apart", ("passes",), (
        "op, args = x.node", "(op, args), x.node = x.node, None",
    )),
    WrongAnswer(BACKWARD, "leaves its mark on the tensors", ("again", "passes"), (
        'if id(x) in seen or "Autograd" not in x.keys:', 'if hasattr(x, "seen") or "Autograd" not in x.keys:',
        "seen.add(id(x))", "x.seen = True",
    )),
    WrongAnswer(BACKWARD, "adds in place, to a list that others have too", ("again", "passes"), (
        "x.grad = grad if x.grad is None else add(x.grad, grad)", """
if x.grad is None:
    x.grad = grad
else:
    for i in indices(x.sizes):
        x.grad.storage[x.grad.offset_of(i)] += grad[i]
""")),
    WrongAnswer(BACKWARD, "goes on as soon as a gradient arrives", ("diamonds",), """
def backward(loss):
    def visit(x, grad):
        if "Autograd" not in x.keys:
            return
        seen[id(x)] = add(seen[id(x)], grad) if id(x) in seen else grad
        if x.node is None:
            x.grad = grad if x.grad is None else add(x.grad, grad)
            return
        op, args = x.node
        for arg, its_grad in zip(args, DERIVATIVES[op](seen[id(x)], *args)):
            visit(arg, its_grad)

    seen = {}
    visit(loss, Tensor([1.0], ()))
"""),
    WrongAnswer(BACKWARD, "the last gradient counts", ("diamonds", "again", "passes"), (
        "grads[id(arg)] = add(grads[id(arg)], its_grad) if id(arg) in grads else its_grad", "grads[id(arg)] = its_grad",
    )),
    WrongAnswer(BACKWARD, "each time anew", ("again", "passes"), (
        "x.grad = grad if x.grad is None else add(x.grad, grad)", "x.grad = grad",
    )),
    WrongAnswer(BACKWARD, "every leaf gets a gradient", ("chains", "diamonds", "again", "passes"), (
        'if id(x) in seen or "Autograd" not in x.keys:', "if id(x) in seen:",
    )),
)  # fmt: skip

COMMUTES = "which of two gradients comes first in a sum makes no difference"
EQUIVALENT = (
    Equivalent(
        BACKWARD,
        "x.grad = grad if x.grad is None else add(x.grad, grad)",
        "x.grad = grad if x.grad is None else add(grad, x.grad)",
        COMMUTES,
    ),
    Equivalent(
        BACKWARD,
        "grads[id(arg)] = add(grads[id(arg)], its_grad) if id(arg) in grads else its_grad",
        "grads[id(arg)] = add(its_grad, grads[id(arg)]) if id(arg) in grads else its_grad",
        COMMUTES,
    ),
)
