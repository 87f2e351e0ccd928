"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "cuda.transpose.transpose_naive_kernel": """
def transpose_naive_kernel(side=SIDE, threads_y=THREADS_Y):
    @cuda.jit
    def copy(sizes, out, o, x, p, steps, batch_sizes, out_steps, x_steps):
        batch, rows, columns = sizes
        across = -(-columns // side)
        of_matrix = -(-rows // side) * across
        number = cuda.blockIdx.x
        while number < batch * of_matrix:
            target, source = begin_of(number // of_matrix, batch_sizes, out_steps, x_steps)
            j = number % across * side + cuda.threadIdx.x
            i = number % of_matrix // across * side + cuda.threadIdx.y
            last = min(i - cuda.threadIdx.y + side, rows)
            while i < last and j < columns:
                out[o + target + j + i * steps[0]] = x[p + source + i + j * steps[1]]
                i += threads_y
            number += cuda.gridDim.x

    return copy
""",
    "cuda.transpose.transpose_tiled_kernel": """
def transpose_tiled_kernel(kind, side=SIDE, threads_y=THREADS_Y):
    pitch = side + 1
    tile = side * pitch

    @cuda.jit
    def through_a_tile(sizes, out, o, x, p, steps, batch_sizes, out_steps, x_steps):
        cells = cuda.shared.array((2, tile), kind)  # two tiles in turn: one barrier each
        batch, rows, columns = sizes
        across = -(-columns // side)
        of_matrix = -(-rows // side) * across
        lane, first = cuda.threadIdx.x, cuda.threadIdx.y
        number, turn = cuda.blockIdx.x, 0
        while number < batch * of_matrix:
            target, source = begin_of(number // of_matrix, batch_sizes, out_steps, x_steps)
            top, left = number % of_matrix // across * side, number % across * side
            for step in range(side // threads_y):
                k = first + step * threads_y
                is_there = lane < rows - top and k < columns - left
                value = x[p + source + (left + k) * steps[1] + top + lane] if is_there else kind(0)
                cells[turn, lane * pitch + k] = value
            cuda.syncthreads()
            for step in range(side // threads_y):
                k = first + step * threads_y
                if k < rows - top and lane < columns - left:
                    out[o + target + (top + k) * steps[0] + left + lane] = cells[turn, k * pitch + lane]
            turn = 1 - turn
            number += cuda.gridDim.x

    return through_a_tile
""",
}
