"""Right answers written in another way than the engine's."""

OTHER_STRIDED = """
def binary_strided(f):
    def strided(n, out, o, a, p, b, q, sizes, so, sa, sb, scalars):
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            rest, to, of_a, of_b = i, o, p, q
            for d in range(len(sizes) - 1, -1, -1):
                k = rest % sizes[d]
                rest = rest // sizes[d]
                to += k * so[d]
                of_a += k * sa[d]
                of_b += k * sb[d]
            out[to] = f(a[of_a], b[of_b], *scalars)

    return strided
"""

RIGHT_ANSWERS = {
    "cuda.loops.binary_flat": (
        """
def binary_flat(f):
    def flat(n, out, o, a, p, b, q, scalars):
        for i in range(cuda.grid(1), n, cuda.gridsize(1)):
            out[o + i] = f(a[p + i], b[q + i], *scalars)

    return flat
""",
        """
def binary_flat(f):
    def elementwise(n, out, o, a, p, b, q, scalars):
        first, threads = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x, cuda.gridDim.x * cuda.blockDim.x
        for turn in range((n + threads - 1) // threads):
            i = turn * threads + first
            if i < n:
                x, y = a[p + i], b[q + i]
                out[o + i] = f(x, y, *scalars)

    return elementwise
""",
        """
def binary_flat(f):
    def flat(n, out, o, a, p, b, q, scalars):
        left = n - cuda.grid(1)
        to, of_a, of_b = o + cuda.grid(1), p + cuda.grid(1), q + cuda.grid(1)
        while left > 0:
            out[to] = f(a[of_a], b[of_b], *scalars)
            left -= cuda.gridsize(1)
            to += cuda.gridsize(1)
            of_a += cuda.gridsize(1)
            of_b += cuda.gridsize(1)

    return flat
""",
    ),
    "cuda.loops.binary_strided": (
        """
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
        """
def binary_strided(f):
    @cuda.jit(device=True)
    def place(i, first, n, sizes, strides):
        # from the first dimension on: how many elements are behind one of its indices
        behind, rest, cell = n, i, first
        for d in range(len(sizes)):
            behind = behind // int(sizes[d])
            cell += rest // behind * strides[d]
            rest = rest % behind
        return cell

    def elementwise(n, out, o, a, p, b, q, sizes, so, sa, sb, scalars):
        i = cuda.grid(1)
        while i < n:
            x, y = a[place(i, p, n, sizes, sa)], b[place(i, q, n, sizes, sb)]
            out[place(i, o, n, sizes, so)] = f(x, y, *scalars)
            i += cuda.gridsize(1)

    return elementwise
""",
        OTHER_STRIDED,
    ),
}
