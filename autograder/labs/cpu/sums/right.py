"""Right answers written in another way than the engine's."""

OTHER_SOFTMAX = """
def largest_and_sum(exp, x, n, inner, first, largest, sums):
    largest[:] = np.finfo(largest.dtype).min
    sums[:] = 0
    for row in range(first, first + n * inner, inner):
        for j in range(sums.size):
            element = x[row + j]
            if element > largest[j]:
                sums[j] = sums[j] * exp(largest[j] - element) + 1
                largest[j] = element
            else:
                sums[j] += exp(element - largest[j])
"""

RIGHT_ANSWERS = {
    "cpu.gemv.cascade_dot": (
        """
def cascade_dot(x, y):
    # Four levels of 64 numbers each, as ATen's; each level is emptied into the next one when it is full.
    zero = x.dtype.type(0)
    level0, level1, level2, level3 = zero, zero, zero, zero
    for i in range(x.size):
        level0 += x[i] * y[i]
        if (i + 1) % 64 == 0:
            level1 += level0
            level0 = zero
            if (i + 1) % (64 * 64) == 0:
                level2 += level1
                level1 = zero
                if (i + 1) % (64 * 64 * 64) == 0:
                    level3 += level2
                    level2 = zero
    return ((level0 + level1) + level2) + level3
""",
        """
def cascade_dot(x, y):
    # All sums of runs first, then pairs of them in place, until one is left.
    runs = (x.size + 127) // 128
    sums = np.zeros(max(runs, 1), x.dtype)
    for run in range(runs):
        total = x.dtype.type(0)
        for i in range(run * 128, min(run * 128 + 128, x.size)):
            total += x[i] * y[i]
        sums[run] = total
    while runs > 1:
        for k in range(runs // 2):
            sums[k] = sums[2 * k] + sums[2 * k + 1]
        if runs % 2:
            sums[runs // 2] = sums[runs - 1]
        runs = (runs + 1) // 2
    return sums[0]
""",
    ),
    "cpu.soft_max.largest_and_sum": (
        """
def largest_and_sum(exp, x, n, inner, first, largest, sums):
    # The first row by itself, then eight columns at a time; nothing is done for what changes no sum.
    for j in range(sums.size):
        a = x[first + j] if n else -np.inf
        largest[j], sums[j] = a, a if a != a else a > -np.inf
    for left in range(0, largest.size, 8):
        right = min(left + 8, largest.size)
        for i in range(1, n):
            for j in range(left, right):
                a, m = x[first + i * inner + j], largest[j]
                if a == -np.inf or sums[j] != sums[j]:
                    continue
                if a != a:
                    sums[j] = a
                elif m == -np.inf:
                    largest[j], sums[j] = a, 1
                elif a > m:
                    largest[j], sums[j] = a, sums[j] * exp(m - a) + 1
                elif a > m - 40:
                    sums[j] = sums[j] + exp(a - m)
""",
        OTHER_SOFTMAX,
    ),
}
