"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "cuda.bias_activation.bias_activation_kernel": """
def bias_activation_kernel(activate):
    @cuda.jit
    def layer(sizes, beta, bias, p, bias_steps, out, o, out_steps):
        rows, columns = sizes
        for number in range(cuda.grid(1), rows * columns, cuda.gridsize(1)):
            row = number // columns
            column = number - row * columns
            cell = o + row * out_steps[0] + column * out_steps[1]
            if beta == 0:
                out[cell] = activate(out[cell])
            else:
                out[cell] = activate(beta * bias[p + row * bias_steps[0] + column * bias_steps[1]] + out[cell])

    return layer
""",
}
