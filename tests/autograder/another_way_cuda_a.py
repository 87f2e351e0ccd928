"""Right answers to the first half of lab 6, written another way."""

ANOTHER_WAY = {
    "cuda.loops.binary_strided": """
def binary_strided(f):
    def elementwise(n, out, o, a, p, b, q, sizes, so, sa, sb, scalars):
        thread, threads = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x, cuda.gridDim.x * cuda.blockDim.x
        for number in range(thread, n, threads):
            rest, to, left, right = int(number), o, p, q
            d = len(sizes)
            while d > 0:
                d -= 1
                size = int(sizes[d])
                index = rest - rest // size * size
                to, left, right = to + index * so[d], left + index * sa[d], right + index * sb[d]
                rest //= size
            out[to] = f(a[left], b[right], *scalars)

    return elementwise
""",
    "cuda.transpose.naive_kernel": """
def naive_kernel(side=SIDE, threads_y=THREADS_Y):
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
    "cuda.transpose.tiled_kernel": """
def tiled_kernel(kind, side=SIDE, threads_y=THREADS_Y):
    pitch = side + 1

    @cuda.jit
    def through_a_tile(sizes, out, o, x, p, steps, batch_sizes, out_steps, x_steps):
        cells = cuda.shared.array((2, side * (side + 1)), kind)  # two tiles in turn: one barrier each
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
    "cuda.reduce.block_reduce": """
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
    "cuda.summary_ops.block_histogram": """
def block_histogram(bins):
    def count(n, out, x, p, step, size):
        here = cuda.shared.array(bins, types.int64)
        me, threads = cuda.threadIdx.x, cuda.blockDim.x
        b = me
        while b < bins:
            here[b] = 0
            b += threads
        cuda.syncthreads()
        share = -(-n // cuda.gridDim.x)  # a run of numbers for each block
        i = cuda.blockIdx.x * share + me
        while i < min(n, (cuda.blockIdx.x + 1) * share):
            cuda.atomic.add(here, x[i * step + p], 1)
            i += threads
        cuda.syncthreads()
        b = me
        while b < size:
            found = here[b]
            if found != 0:
                cuda.atomic.add(out, b, found)
            b += threads

    return count
""",
}
