"""Products of matrices, the third way: each thread makes a tile of the output in its registers.

A block makes side x side elements of the output, each of its T x T threads rows x rows of them. For one step along k a
thread reads 2 * rows numbers from shared memory and multiplies rows * rows times: with 8 rows that is 4 multiplications
a number, where `tiled` has half of one. All accesses are 16 bytes wide, and the next tiles of A and B travel from
global memory into registers while the present ones, in the other half of shared memory, are multiplied: one barrier a
tile. Follows "CUTLASS: Fast Linear Algebra in CUDA C++" (NVIDIA, 2017) and S. Boehm's "How to Optimize a CUDA Matmul
Kernel" (2022).
"""

from typing import Any, NamedTuple

from .driver import cuda, is_simulated
from .gemm import Kind, T, device_function, named, write
from .vectors import add_outer, aligned, lanes_of, load_global, load_shared, store_shared

WARP_X, WARP_Y = (2, 2) if is_simulated() else (8, 4)
"""The threads of a warp as a rectangle of the block: it reads 8 + 4 different vectors, in a row it would be 16 + 2."""

OPTIONS: dict[str, Any] = {} if is_simulated() else {"max_registers": 128}
"""So few that a multiprocessor has room for two blocks of 256 threads. Tiles of 8 x 8 float32 take 127 and spill none;
the 8 steps of a tile are 512 FFMA and 32 loads of 16 bytes (`ptxas -v -arch=sm_90`, CUDA 12.9)."""


class Tile(NamedTuple):
    """The shape of the tiles that a block computes.

    Attributes:
        rows: of the tile of a thread, and its columns.
        lanes: elements of a vector of 16 bytes.
        side: of the tile of the block.
        depth: steps along k in shared memory at a time, such that each thread brings one vector of A and B.
        pitch: of a row of shared memory, so that threads that store a column meet in no bank.
    """

    rows: int
    lanes: int
    side: int
    depth: int
    pitch: int


def tile_of(rows: int, itemsize: int) -> Tile:
    """Return the tile shape with which each thread computes rows x rows elements of `itemsize` bytes.

    On a GPU tiles of 8 rows of float32 are 128 x 128, and 8 steps deep.
    """
    lanes = lanes_of(itemsize)
    return Tile(rows, lanes, T * rows, T * lanes // rows, T * rows + lanes)


class Operand(NamedTuple):
    """The access pattern for A, or for B transposed.

    Attributes:
        is_along_k: whether a thread's vector is along k, or along the rows.
        is_vector: whether it is neighbors in memory, at a multiple of 16 bytes, all of them in the matrix or none.
    """

    is_along_k: bool
    is_vector: bool


# ---- from global memory to registers to shared memory


def first_of(along, across):
    """Return the number of elements left along the vector inside the matrix; 0 if the other index is out of bounds."""
    return along if across > 0 else 0


def two_elements(x, at, step, count, zero):
    """Load x[at], x[at + step]: the first `count` of these, then zeros."""
    return (x[at] if count > 0 else zero, x[at + step] if count > 1 else zero)


count_of, two = device_function(first_of), device_function(two_elements)


def four_elements(x, at, step, count, zero):
    """Load x[at], x[at + step], ..., four in all: the first `count` of these, then zeros."""
    return two(x, at, step, count, zero) + two(x, at + 2 * step, step, count - 2, zero)


four = device_function(four_elements)


def mover_of(tile: Tile, kind: Kind, operand: Operand) -> tuple[Any, Any, Any]:
    """Build the three device functions with which a thread moves its part of A, or of B transposed.

    place(thread) -> (row, step) of its vector in the tile.
    fetch(x, at, steps, rows, depth) -> the vector at x[at], that many rows and steps before the end of the matrix.
    put(shared, half, row, step, values): the vector into shared memory, which from `half` on has a row for each step.
    """
    _, lanes, side, depth, pitch = tile
    zero, zeros = kind(0), (kind(0),) * lanes
    down, along_k = side // lanes, depth // lanes
    elements = two if lanes == 2 else four

    def place_along_k(thread):
        return thread // along_k, thread % along_k * lanes

    def place_along_rows(thread):
        return thread % down * lanes, thread // down

    def fetch_vector_along_k(x, at, steps, rows, left):
        return load_global(x, at) if count_of(left, rows) > 0 else zeros

    def fetch_vector_along_rows(x, at, steps, rows, left):
        return load_global(x, at) if count_of(rows, left) > 0 else zeros

    def fetch_along_k(x, at, steps, rows, left):
        return elements(x, at, steps[1], count_of(left, rows), zero)

    def fetch_along_rows(x, at, steps, rows, left):
        return elements(x, at, steps[0], count_of(rows, left), zero)

    def put_along_k(shared, half, row, step, values):
        for lane in range(lanes):
            shared[half + (step + lane) * pitch + row] = values[lane]

    def put_along_rows(shared, half, row, step, values):
        store_shared(shared, half + step * pitch + row, values)

    fetches = {
        (True, True): fetch_vector_along_k, (False, True): fetch_vector_along_rows,
        (True, False): fetch_along_k, (False, False): fetch_along_rows,
    }  # fmt: skip
    place, put = (place_along_k, put_along_k) if operand.is_along_k else (place_along_rows, put_along_rows)
    return device_function(place), device_function(fetches[operand]), device_function(put)


# ---- the kernel


def finish_neighbors(totals, count, alpha, beta, c, at, step):
    """Write the first `count` elements of `totals`, those inside the matrix, to c[at], c[at + step], ..."""
    for lane in range(min(count, len(totals))):
        write(totals[lane], alpha, beta, c, at + lane * step)


write_neighbors = device_function(finish_neighbors)


def multiplier_of(tile: Tile) -> Any:
    """Build the device function with which a thread multiplies a tile of A by a tile of B in shared memory.

    It is `multiply(sums, of_a, at_a, of_b, at_b)`, and returns the thread's sums after all `depth` steps of the tile:

        for step in range(depth):
            for i in range(rows):
                for j in range(rows):
                    sums[i * rows + j] += of_a[place(at_a, step, i)] * of_b[place(at_b, step, j)]

        place(at, step, i) = at + step * pitch + i // lanes * apart + i % lanes,    apart = side * lanes // rows

    So in each step a thread needs `rows` numbers of A: one vector of `lanes` neighbors, or two vectors that are `apart`
    elements from each other. It needs as many of B. It loads each number once per step. The code has no loop over the
    steps, so each call of `load_shared` in it runs once per tile: a loop would cost an instruction for every ten
    multiplications, and the GPU could not load the next numbers while it multiplies these.

    Args:
        tile: `rows` is `lanes` or 2 * `lanes`, `depth` a power of two.

    The maker can use `load_shared(array, at)`, which gives a vector as a tuple of `lanes` numbers;
    `add_outer(sums, x, y)`, which gives the tuple sums + the outer product of the tuples x and y; `device_function(f)`,
    which makes a function that kernels may call; and `twice(multiply, further)`. From a device function with the
    arguments of `multiply` it makes one that runs it a second time, at `at_a + further` and `at_b + further`.

    Source: none in PyTorch, which calls cuBLAS; CUTLASS, include/cutlass/gemm/thread/mma_sm50.h.
    """
    apart = tile.side * tile.lanes // tile.rows

    def vector(shared, at):
        return load_shared(shared, at)

    def two_vectors(shared, at):
        return load_shared(shared, at) + load_shared(shared, at + apart)

    fragment = device_function(vector if tile.rows == tile.lanes else two_vectors)

    def step(sums, of_a, at_a, of_b, at_b):
        return add_outer(sums, fragment(of_a, at_a), fragment(of_b, at_b))

    multiply, steps = device_function(step), 1
    for _ in range(tile.depth.bit_length() - 1):  # as often as 1 is doubled to make the depth
        multiply, steps = twice(multiply, steps * tile.pitch), 2 * steps
    return multiply


def twice(multiply: Any, further: int) -> Any:
    """Build a device function that calls `multiply` twice, the second time with both tiles `further` elements ahead.

    Args:
        multiply: a device function with the arguments of the `multiply` that `multiplier_of` makes.
    """

    def multiply_twice(sums, of_a, at_a, of_b, at_b):
        return multiply(multiply(sums, of_a, at_a, of_b, at_b), of_a, at_a + further, of_b, at_b + further)

    return device_function(multiply_twice)


def register_kernel(rows: int, kind: Kind, itemsize: int, operand_a: Operand, operand_b: Operand) -> Any:
    """Build the kernel with T * T threads, in one dimension, for each side x side tile; arguments as in `gemm`."""
    tile = tile_of(rows, itemsize)
    _, lanes, side, depth, pitch = tile
    size, cells, apart, warps, warp = depth * pitch, 2 * depth * pitch, T * lanes, T // WARP_X, WARP_X * WARP_Y
    place_a, fetch_a, put_a = mover_of(tile, kind, operand_a)
    place_b, fetch_b, put_b = mover_of(tile, kind, operand_b)
    multiply, zeros = multiplier_of(tile), (kind(0),) * (rows * rows)

    def gemm(sizes, alpha, a, p, a_steps, b, q, b_steps, beta, c, o, c_steps):
        of_a = aligned(cuda.shared.array(cells, kind))
        of_b = aligned(cuda.shared.array(cells, kind))
        sums = zeros
        _, m, n, k = sizes
        down, across, tile = (m + side - 1) // side, (n + side - 1) // side, cuda.blockIdx.x
        which, top, left = tile // (down * across), tile // across % down * side, tile % across * side
        thread = cuda.threadIdx.x
        x = (thread // warp % warps * WARP_X + thread % WARP_X) * lanes
        y = (thread // warp // warps * WARP_Y + thread % warp // WARP_X) * lanes
        (row, step_a), (column, step_b) = place_a(thread), place_b(thread)
        at_a = p + which * a_steps[0] + (top + row) * a_steps[1] + step_a * a_steps[2]
        at_b = q + which * b_steps[0] + (left + column) * b_steps[2] + step_b * b_steps[1]
        steps_a, steps_b = (a_steps[1], a_steps[2]), (b_steps[2], b_steps[1])
        rows_left, columns_left = m - top - row, n - left - column
        next_a = fetch_a(a, at_a, steps_a, rows_left, k - step_a)
        next_b = fetch_b(b, at_b, steps_b, columns_left, k - step_b)
        half = 0
        for t in range(depth, k + depth, depth):
            put_a(of_a, half, row, step_a, next_a)
            put_b(of_b, half, column, step_b, next_b)
            cuda.syncthreads()  # this half is whole, and nobody reads the other one any more
            at_a += depth * a_steps[2]
            at_b += depth * b_steps[1]
            next_a = fetch_a(a, at_a, steps_a, rows_left, k - t - step_a)
            next_b = fetch_b(b, at_b, steps_b, columns_left, k - t - step_b)
            sums = multiply(sums, of_a, half + y, of_b, half + x)
            half = size - half
        for part in range(rows * rows // lanes):  # the sums go round: the sums of this part come first
            i, j = part // (rows // lanes), part % (rows // lanes)
            row, column = top + y + i // lanes * apart + i % lanes, left + x + j * apart
            if row < m:
                at = o + which * c_steps[0] + row * c_steps[1] + column * c_steps[2]
                write_neighbors(sums[:lanes], n - column, alpha, beta, c, at, c_steps[2])
            sums = sums[lanes:] + sums[:lanes]

    return cuda.jit(**OPTIONS)(named(gemm, f"gemm_{side}x{side}"))
