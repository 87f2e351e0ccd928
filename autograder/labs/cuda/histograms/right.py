"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
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
