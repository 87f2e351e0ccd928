"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "cuda.gemm.gemm_naive_kernel": """
def gemm_naive_kernel(kind):
    @cuda.jit
    def product(sizes, alpha, left, p, of_left, right, q, of_right, beta, target, o, of_target):
        batch, m, n, k = sizes
        for number in range(cuda.grid(1), batch * m * n, cuda.gridsize(1)):
            matrix = number // (m * n)
            i = (number - matrix * m * n) // n
            j = number - matrix * m * n - i * n
            total = kind(0)
            for t in range(k - 1, -1, -1):
                total += (left[p + matrix * of_left[0] + i * of_left[1] + t * of_left[2]]
                          * right[q + matrix * of_right[0] + t * of_right[1] + j * of_right[2]])
            cell = o + matrix * of_target[0] + i * of_target[1] + j * of_target[2]
            if beta == 0:
                target[cell] = alpha * total
            else:
                target[cell] = alpha * total + beta * target[cell]

    return product
""",
    "cuda.gemm.gemm_tiled_kernel": """
def gemm_tiled_kernel(kind, is_row_a, is_row_b, side=T):
    across_a = side if is_row_a else pitch_of(kind, side)
    across_b = side if is_row_b else pitch_of(kind, side)
    cells_a, cells_b = side * across_a, side * across_b

    @cuda.jit
    def tiles(sizes, alpha, a, p, a_steps, b, q, b_steps, beta, c, o, c_steps):
        tile_a = cuda.shared.array(cells_a, kind)
        tile_b = cuda.shared.array(cells_b, kind)
        batch, m, n, k = sizes
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        columns = -(-n // side)
        rows = -(-m // side)
        tile = cuda.blockIdx.x
        while tile < batch * rows * columns:
            matrix = tile // (rows * columns)
            i = tile // columns % rows * side
            j = tile % columns * side
            total = kind(0)
            first = 0
            while first < k:
                if is_row_a:
                    row, step = y, x
                else:
                    row, step = x, y
                value = kind(0)
                if i + row < m and first + step < k:
                    value = a[p + matrix * a_steps[0] + (i + row) * a_steps[1] + (first + step) * a_steps[2]]
                tile_a[row * across_a + step] = value
                if is_row_b:
                    step, column = y, x
                else:
                    step, column = x, y
                value = kind(0)
                if first + step < k and j + column < n:
                    value = b[q + matrix * b_steps[0] + (first + step) * b_steps[1] + (j + column) * b_steps[2]]
                tile_b[step * across_b + column] = value
                cuda.syncthreads()
                for u in range(min(side, k - first)):
                    total += tile_a[y * across_a + u] * tile_b[u * across_b + x]
                cuda.syncthreads()
                first += side
            if i + y < m and j + x < n:
                cell = o + matrix * c_steps[0] + (i + y) * c_steps[1] + (j + x) * c_steps[2]
                if beta != 0:
                    total = alpha * total + beta * c[cell]
                else:
                    total = alpha * total
                c[cell] = total
            tile += cuda.gridDim.x

    return tiles
""",
}
