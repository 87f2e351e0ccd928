"""Wrong answers to cuda.transpose.transpose_naive_kernel, cuda.transpose.transpose_tiled_kernel."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

NAIVE = "cuda.transpose.transpose_naive_kernel"
TILED = "cuda.transpose.transpose_tiled_kernel"


def tiled(fill: str, empty: str, cells: str = "(side, pitch)", between: str = "cuda.syncthreads()",
          after: str = "cuda.syncthreads()") -> str:  # fmt: skip
    """The kernel with other loops, another tile, or other barriers."""
    return f"""
def transpose_tiled_kernel(kind, side=SIDE, threads_y=THREADS_Y):
    pitch = side + 1

    def transpose_tiled(sizes, out, o, x, p, steps, batch_sizes, out_steps, x_steps):
        tile = cuda.shared.array({cells}, kind)
        batch, rows, columns = sizes
        down, across = tiles_of(rows, side), tiles_of(columns, side)
        thread = cuda.threadIdx.x
        for index in range(cuda.blockIdx.x, batch * down * across, cuda.gridDim.x):
            to, of = begin_of(index // (down * across), batch_sizes, out_steps, x_steps)
            top, left = index // across % down * side, index % across * side
            for y in range(cuda.threadIdx.y, side, threads_y):
{fill}
            {between}
            for y in range(cuda.threadIdx.y, side, threads_y):
{empty}
            {after}
    return cuda.jit(named(transpose_tiled, "transpose_tiled"))
"""


FILL = """
                if top + thread < rows and left + y < columns:
                    tile[y, thread] = x[p + of + top + thread + (left + y) * steps[1]]
"""
EMPTY = """
                if top + y < rows and left + thread < columns:
                    out[o + to + (top + y) * steps[0] + left + thread] = tile[thread, y]
"""
NAMES = "the name of a kernel shows in profiles only"
TILES = "down, across = (tiles_of(rows, side), tiles_of(columns, side))"
MORE_TILES = "more tiles than the matrix has: those beyond it have no element that passes the guards"

WRONG_ANSWERS = (
    WrongAnswer(TILED, "x is cleared when it is read", ("ordinary", "barriers", "neighbors", "banks"), (
        "tile[y, thread] = x[p + of + top + thread + (left + y) * steps[1]]",
        "tile[y, thread] = x[p + of + top + thread + (left + y) * steps[1]]\n"
        "x[p + of + top + thread + (left + y) * steps[1]] = 0",
    )),
    WrongAnswer(NAIVE, "every matrix begins where the first one does", ("ordinary",), (
        "to, of = begin_of(tile // (down * across), batch_sizes, out_steps, x_steps)",
        "to, of = begin_of(0, batch_sizes, out_steps, x_steps)",
    )),
    WrongAnswer(NAIVE, "a run of rows for each thread", ("neighbors",), (
        "for y in range(cuda.threadIdx.y, side, threads_y):",
        """
each = side // threads_y
for y in range(cuda.threadIdx.y * each, cuda.threadIdx.y * each + each):
""",
    )),
    WrongAnswer(NAIVE, "tiles are counted column by column", ("neighbors",), (
        "top, left = tile // across % down * side, tile % across * side",
        "top, left = tile % down * side, tile // down % across * side",
    )),
    WrongAnswer(TILED, "copies without transposing", ("ordinary", "barriers", "neighbors", "banks"), tiled("""
                if top + y < rows and left + thread < columns:
                    tile[y, thread] = x[p + of + (top + y) * steps[1] + left + thread]
""", """
                if top + y < rows and left + thread < columns:
                    out[o + to + (top + y) * steps[0] + left + thread] = tile[y, thread]
""")),
    WrongAnswer(NAIVE, "no guard: writes beside the matrix", ("ordinary", "neighbors"), (
        """
top, left = tile // across % down * side, tile % across * side
j = left + cuda.threadIdx.x
""",
        "top, left = tile // across % down * side, tile % across * side",
        """
i = top + y
if i < rows and j < columns:
    out[o + to + i * steps[0] + j] = x[p + of + i + j * steps[1]]
""",
        """
i, j = top + y, left + cuda.threadIdx.x
out[o + to + i * steps[0] + j] = x[p + of + i + j * steps[1]]
""",
    )),
    WrongAnswer(NAIVE, "off by one at the edge", ("ordinary", "neighbors"), (
        """
top, left = tile // across % down * side, tile % across * side
j = left + cuda.threadIdx.x
""",
        "top, left = tile // across % down * side, tile % across * side",
        """
i = top + y
if i < rows and j < columns:
""",
        """
i, j = top + y, left + cuda.threadIdx.x
if i < rows - 1 and j < columns:
""",
    )),
    WrongAnswer(NAIVE, "reads before the guard", ("ordinary", "neighbors"), (
        """
top, left = tile // across % down * side, tile % across * side
j = left + cuda.threadIdx.x
""",
        "top, left = tile // across % down * side, tile % across * side",
        "i = top + y",
        """
i, j = top + y, left + cuda.threadIdx.x
value = x[p + of + i + j * steps[1]]
""",
        "out[o + to + i * steps[0] + j] = x[p + of + i + j * steps[1]]",
        "out[o + to + i * steps[0] + j] = value",
    )),
    WrongAnswer(NAIVE, "the writes of a warp are far apart", ("neighbors",), (
        """
top, left = tile // across % down * side, tile % across * side
j = left + cuda.threadIdx.x
""",
        "top, left = tile // across % down * side, tile % across * side",
        "i = top + y",
        "i, j = top + cuda.threadIdx.x, left + y",
    )),
    WrongAnswer(NAIVE, "the guards are exchanged", ("ordinary", "neighbors"), (
        """
top, left = tile // across % down * side, tile % across * side
j = left + cuda.threadIdx.x
""",
        "top, left = tile // across % down * side, tile % across * side",
        """
i = top + y
if i < rows and j < columns:
""",
        """
i, j = top + y, left + cuda.threadIdx.x
if i < columns and j < rows:
""",
    )),
    WrongAnswer(NAIVE, "copies without transposing", ("ordinary", "neighbors"), (
        """
top, left = tile // across % down * side, tile % across * side
j = left + cuda.threadIdx.x
""",
        "top, left = tile // across % down * side, tile % across * side",
        "i = top + y",
        "i, j = top + y, left + cuda.threadIdx.x",
        "out[o + to + i * steps[0] + j] = x[p + of + i + j * steps[1]]",
        "out[o + to + i * steps[0] + j] = x[p + of + i * columns + j]",
    )),
    WrongAnswer(NAIVE, "one tile a block, no more", ("ordinary",), (
        "for tile in range(cuda.blockIdx.x, batch * down * across, cuda.gridDim.x):",
        """
tile = cuda.blockIdx.x
if tile < batch * down * across:
""",
        """
for y in range(cuda.threadIdx.y, side, threads_y):
    i = top + y
    if i < rows and j < columns:
""",
        """
for i in range(top + cuda.threadIdx.y, min(top + side, rows), threads_y):
    if j < columns:
""",
    )),
    WrongAnswer(NAIVE, "the first block does all tiles", ("neighbors",), (
        "for tile in range(cuda.blockIdx.x, batch * down * across, cuda.gridDim.x):",
        "for tile in range(0 if cuda.blockIdx.x else batch * down * across):",
        """
top, left = tile // across % down * side, tile % across * side
j = left + cuda.threadIdx.x
""",
        "top, left = tile // across % down * side, tile % across * side",
        "i = top + y",
        "i, j = top + y, left + cuda.threadIdx.x",
    )),
    WrongAnswer(TILED, "a tile of 32 by 33 cells, whatever the side", ("banks",), (
        "tile = cuda.shared.array((side, pitch), kind)",
        "tile = cuda.shared.array((32, 33), kind)",
        'return cuda.jit(named(transpose_tiled, f"transpose_tiled_{side}"))',
        'return cuda.jit(named(transpose_tiled, "transpose_tiled"))',
    )),
    WrongAnswer(TILED, "no barrier between filling and emptying: fast, and racy",
                ("ordinary", "barriers", "neighbors", "banks"), (
        """
cuda.syncthreads()
for y in range(cuda.threadIdx.y, side, threads_y):
""",
        "for y in range(cuda.threadIdx.y, side, threads_y):",
        'return cuda.jit(named(transpose_tiled, f"transpose_tiled_{side}"))',
        'return cuda.jit(named(transpose_tiled, "transpose_tiled"))',
    )),
    WrongAnswer(TILED, "no barrier before the next tile", ("ordinary", "barriers"), tiled(FILL, EMPTY, after="")),
    WrongAnswer(TILED, "a barrier inside the guard", ("ordinary", "barriers", "neighbors", "banks"), tiled("""
                if top + thread < rows and left + y < columns:
                    tile[y, thread] = x[p + of + top + thread + (left + y) * steps[1]]
                    cuda.syncthreads()
""", EMPTY, between="")),
    WrongAnswer(TILED, "rows of 32 cells: a column is in one bank", ("banks",), (
        "tile = cuda.shared.array((side, pitch), kind)",
        "tile = cuda.shared.array((side, side), kind)",
        'return cuda.jit(named(transpose_tiled, f"transpose_tiled_{side}"))',
        'return cuda.jit(named(transpose_tiled, "transpose_tiled"))',
    )),
    WrongAnswer(TILED, "a tile of 4 by 5 cells, whatever the side", ("ordinary", "barriers", "neighbors", "banks"), (
        "tile = cuda.shared.array((side, pitch), kind)",
        "tile = cuda.shared.array((4, 5), kind)",
        'return cuda.jit(named(transpose_tiled, f"transpose_tiled_{side}"))',
        'return cuda.jit(named(transpose_tiled, "transpose_tiled"))',
    )),
    WrongAnswer(TILED, "each thread writes what it has read", ("neighbors",), (
        """
if top + y < rows and left + thread < columns:
    out[o + to + (top + y) * steps[0] + left + thread] = tile[thread, y]
""",
        """
if top + thread < rows and left + y < columns:
    out[o + to + (top + thread) * steps[0] + left + y] = tile[y, thread]
""",
        'return cuda.jit(named(transpose_tiled, f"transpose_tiled_{side}"))',
        'return cuda.jit(named(transpose_tiled, "transpose_tiled"))',
    )),
    WrongAnswer(TILED, "no shared memory: the kernel of 6.2", ("barriers", "neighbors", "banks"), (
        """
if top + thread < rows and left + y < columns:
    tile[y, thread] = x[p + of + top + thread + (left + y) * steps[1]]
""",
        "pass",
        "out[o + to + (top + y) * steps[0] + left + thread] = tile[thread, y]",
        """
i, j = top + y, left + thread
out[o + to + i * steps[0] + j] = x[p + of + i + j * steps[1]]
""",
        'return cuda.jit(named(transpose_tiled, f"transpose_tiled_{side}"))',
        'return cuda.jit(named(transpose_tiled, "transpose_tiled"))',
    )),
    WrongAnswer(TILED, "the same guard on both sides", ("ordinary", "barriers", "neighbors", "banks"), (
        "if top + thread < rows and left + y < columns:",
        "if top + y < rows and left + thread < columns:",
        'return cuda.jit(named(transpose_tiled, f"transpose_tiled_{side}"))',
        'return cuda.jit(named(transpose_tiled, "transpose_tiled"))',
    )),
    WrongAnswer(TILED, "threads that are done leave before the barrier", ("ordinary", "barriers"), (
        "top, left = index // across % down * side, index % across * side",
        """
top, left = index // across % down * side, index % across * side
if top + thread >= rows and left + thread >= columns:
    continue
""",
        'return cuda.jit(named(transpose_tiled, f"transpose_tiled_{side}"))',
        'return cuda.jit(named(transpose_tiled, "transpose_tiled"))',
    )),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(NAIVE, "return cuda.jit(named(transpose_naive, 'transpose_naive'))",
               "return cuda.jit(transpose_naive)", NAMES),
    *(Equivalent(NAIVE, TILES, f"down, across = ({change})", MORE_TILES)
      for change in ("rows, tiles_of(columns, side)", "tiles_of(rows, side), columns")),
    Equivalent(TILED, "return cuda.jit(named(transpose_tiled, f'transpose_tiled_{side}'))",
               "return cuda.jit(transpose_tiled)", NAMES),
    Equivalent(TILED, "pitch = side + 1",
               "pitch = side | 1", "an odd number of cells is in all banks as well"),
)  # fmt: skip
