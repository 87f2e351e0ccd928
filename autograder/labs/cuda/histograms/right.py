"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "cuda.summary_ops.block_histogram": (
        """
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
        """
def block_histogram(bins):
    # equal numbers one after the other are gathered, and added at once
    def count(n, out, x, p, step, size):
        here = cuda.shared.array(bins, types.int64)
        for b in range(cuda.threadIdx.x, bins, cuda.blockDim.x):
            here[b] = 0
        cuda.syncthreads()
        last, run = -1, 0
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            number = x[p + i * step]
            if number != last:
                if run > 0:
                    cuda.atomic.add(here, last, run)
                last, run = number, 0
            run += 1
        if run > 0:
            cuda.atomic.add(here, last, run)
        cuda.syncthreads()
        for b in range(cuda.threadIdx.x, size, cuda.blockDim.x):
            if here[b]:
                cuda.atomic.add(out, b, here[b])

    return count
""",
    ),
}
