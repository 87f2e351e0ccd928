"""Right answers written in another way than the reference's."""

RIGHT_ANSWERS = {
    "tiny_tensor.autograd_kernel": (
        """
def autograd_kernel(op):
    def kernel(*inputs):
        out = call(op, *inputs, below="Autograd")
        out.keys = out.keys | {"Autograd"}
        out.node = [op, list(inputs)]
        return out

    return kernel
""",
    ),
    "tiny_tensor.backward": (
        """
def backward(loss):
    uses = {}  # of each tensor, the gradients that are still to come
    todo, found = [loss], {id(loss)}
    while todo:
        x = todo.pop()
        for arg in x.node[1] if x.node else ():
            if "Autograd" in arg.keys:
                uses[id(arg)] = uses.get(id(arg), 0) + 1
                if id(arg) not in found:
                    found.add(id(arg))
                    todo.append(arg)
    grads, ready = {id(loss): Tensor([1.0], ())}, [loss]
    while ready:
        x = ready.pop()
        if not x.node:
            x.grad = add(x.grad, grads[id(x)]) if x.grad else grads[id(x)]
            continue
        op, args = x.node
        for arg, grad in zip(args, DERIVATIVES[op](grads[id(x)], *args)):
            if "Autograd" in arg.keys:
                grads[id(arg)] = add(grads[id(arg)], grad) if id(arg) in grads else grad
                uses[id(arg)] -= 1
                if not uses[id(arg)]:
                    ready.append(arg)
""",
    ),
}
