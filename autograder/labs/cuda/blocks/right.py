"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "cuda.reduce.block_reduce": (
        """
def block_reduce(f):
    def of_block(partial, value, thread, row, height, down):
        mine, left = value, height
        partial[thread] = mine
        cuda.syncthreads()
        while left > 1:
            left = left // 2
            if row < left:
                mine = f(mine, partial[thread + left * down])
                partial[thread] = mine
            cuda.syncthreads()

    return of_block
""",
        """
def block_reduce(f):
    # each cell is stored once: by the upper half before a step, by row 0 in the end
    def of_block(partial, value, thread, row, height, down):
        half = height // 2
        while half > 0:
            if half <= row < 2 * half:
                partial[thread] = value
            cuda.syncthreads()
            if row < half:
                value = f(value, partial[thread + half * down])
            half //= 2
        if row == 0:
            partial[thread] = value
        cuda.syncthreads()

    return of_block
""",
    ),
    "cuda.soft_max.row_softmax": """
def row_softmax(threads, cells, sums, write):
    def of_rows(out, o, x, p, rows, n, inner, shares, lowest):
        pairs = cuda.shared.array((2, 2, threads), cells)  # of this step, and of the one before
        height, width, down, across = shares
        me = cuda.threadIdx.x
        mine, column, turn = me // down % height, me // across % width, 0
        for first_row in range(cuda.blockIdx.x * width, rows, cuda.gridDim.x * width):
            number = first_row + column
            is_there = number < rows
            begin = number // inner * n * inner + number % inner
            largest, total = sums(x, p + begin, mine, n if is_there else 0, height, inner, lowest, lowest - lowest)
            half = height // 2
            while half >= 1:
                pairs[turn, 0, me], pairs[turn, 1, me] = largest, total
                cuda.syncthreads()
                partner = me + ((mine ^ half) - mine) * down
                other, of_other = pairs[turn, 0, partner], pairs[turn, 1, partner]
                if other > largest:
                    total, largest = total * exp(largest - other) + of_other, other
                else:
                    total += of_other * exp(other - largest)
                turn = 1 - turn
                half //= 2
            if is_there:
                write(out, o + begin, x, p + begin, mine, n, height, inner, largest, total)

    return of_rows
""",
}
