"""Wrong answers to cuda.bias_activation.bias_activation_kernel."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

FUSED = "cuda.bias_activation.bias_activation_kernel"
FUSED_HEAD = """
def bias_activation_kernel(activate):
    def bias_activation(sizes, beta, bias, p, bias_steps, out, o, out_steps):
        m, n = sizes
"""

WRONG_ANSWERS = (
    WrongAnswer(FUSED, "two passes: the sum travels through memory", ("once",), (
        """
at = o + i * out_steps[0] + j * out_steps[1]
x = out[at]
""",
        "at = o + i * out_steps[0] + j * out_steps[1]",
        """
if beta != 0:
    x += beta * bias[p + i * bias_steps[0] + j * bias_steps[1]]
out[at] = activate(x)
""",
        """
if beta != 0:
    out[at] += beta * bias[p + i * bias_steps[0] + j * bias_steps[1]]
out[at] = activate(out[at])
""",
        'return cuda.jit(named(bias_activation, "bias_activation"))',
        "return cuda.jit(bias_activation)",
    )),
    WrongAnswer(FUSED, "loads the bias also where beta is 0", ("ordinary", "once"), (
        """
x = out[at]
if beta != 0:
    x += beta * bias[p + i * bias_steps[0] + j * bias_steps[1]]
out[at] = activate(x)
""",
        "out[at] = activate(out[at] + beta * bias[p + i * bias_steps[0] + j * bias_steps[1]])",
        'return cuda.jit(named(bias_activation, "bias_activation"))',
        "return cuda.jit(bias_activation)",
    )),
    WrongAnswer(FUSED, "the activation before the bias", ("ordinary", "once"), (
        "x = out[at]",
        "x = activate(out[at])",
        "out[at] = activate(x)",
        "out[at] = x",
        'return cuda.jit(named(bias_activation, "bias_activation"))',
        "return cuda.jit(bias_activation)",
    )),
    WrongAnswer(FUSED, "the activation hard-coded", ("ordinary", "once"), (
        "out[at] = activate(x)",
        "out[at] = x if x > 0 else 10 * x",
        'return cuda.jit(named(bias_activation, "bias_activation"))',
        "return cuda.jit(bias_activation)",
    )),
    WrongAnswer(FUSED, "no steps of the grid", ("ordinary", "once"), FUSED_HEAD + '''
        element = cuda.grid(1)
        if element < m * n:
            i, j = element // n, element % n
            at = o + i * out_steps[0] + j * out_steps[1]
            x = out[at]
            if beta != 0:
                x += beta * bias[p + i * bias_steps[0] + j * bias_steps[1]]
            out[at] = activate(x)
    return cuda.jit(bias_activation)
'''),
    WrongAnswer(FUSED, "the first block does everything", ("once",), FUSED_HEAD + '''
        element = m * n if cuda.blockIdx.x else cuda.threadIdx.x
        while element < m * n:
            i, j = element // n, element % n
            at = o + i * out_steps[0] + j * out_steps[1]
            x = out[at]
            if beta != 0:
                x += beta * bias[p + i * bias_steps[0] + j * bias_steps[1]]
            out[at] = activate(x)
            element += cuda.blockDim.x
    return cuda.jit(bias_activation)
'''),
    WrongAnswer(FUSED, "a thread goes through a row", ("once",), FUSED_HEAD + '''
        i = cuda.grid(1)
        while i < m:
            for j in range(n):
                at = o + i * out_steps[0] + j * out_steps[1]
                x = out[at]
                if beta != 0:
                    x += beta * bias[p + i * bias_steps[0] + j * bias_steps[1]]
                out[at] = activate(x)
            i += cuda.gridsize(1)
    return cuda.jit(bias_activation)
'''),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        FUSED, "return cuda.jit(named(bias_activation, 'bias_activation'))", "return cuda.jit(bias_activation)",
        "only the name that a profiler shows",
    ),
)  # fmt: skip
