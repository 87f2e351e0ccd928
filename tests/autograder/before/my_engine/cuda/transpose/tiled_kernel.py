def tiled_kernel(kind: Kind, side: int = SIDE, threads_y: int = THREADS_Y) -> Any:
    """The kernel through shared memory: a warp reads neighbours into a tile, and writes neighbours out of it.

    Everything is as for `naive_kernel`, but for who reads what. All elements of a block's tile lie in shared memory
    between the two: the block reads them along the columns of the matrix, which are neighbours in the source, and
    writes them along its rows, which are neighbours in the target. A thread may so write what another has read.
    Shared memory is in 32 banks of 4 bytes: with rows of 32 elements of 4 bytes all elements of a column are in one
    bank, and 32 threads get them one after the other. Here no two threads of a warp ask one bank for different words.

    Args:
        kind: NumPy's type of the elements, such as np.float32.

    Source: transposeNoBankConflicts of the same text.
    """

    def transpose_tiled(sizes, out, o, x, p, steps, batch_sizes, out_steps, x_steps):
        tile = cuda.shared.array((side, side + 1), kind)
        batch, rows, columns = sizes
        down, across = tiles_of(rows, side), tiles_of(columns, side)
        thread = cuda.threadIdx.x
        for index in range(cuda.blockIdx.x, batch * down * across, cuda.gridDim.x):
            to, of = begin_of(index // (down * across), batch_sizes, out_steps, x_steps)
            top, left = index // across % down * side, index % across * side
            for y in range(cuda.threadIdx.y, side, threads_y):
                if top + thread < rows and left + y < columns:
                    tile[y, thread] = x[p + of + top + thread + (left + y) * steps[1]]
            cuda.syncthreads()  # the tile is whole
            for y in range(cuda.threadIdx.y, side, threads_y):
                if top + y < rows and left + thread < columns:
                    out[o + to + (top + y) * steps[0] + left + thread] = tile[thread, y]
            cuda.syncthreads()  # nobody reads it any more

    return cuda.jit(named(transpose_tiled, f"transpose_tiled_{side}"))
