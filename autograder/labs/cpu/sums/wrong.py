"""Wrong answers to cpu.gemv.cascade_dot, cpu.soft_max.largest_and_sum."""

from autograder.labs.cpu.sums.right import OTHER_SOFTMAX
from autograder.made_up.wrong_answer import Equivalent, WrongAnswer, changed

CASCADE_DOT = "cpu.gemv.cascade_dot"
SOFTMAX = "cpu.soft_max.largest_and_sum"

WRONG_ANSWERS = (
    WrongAnswer(CASCADE_DOT, "one long sum", ("accuracy", "compiled"), """
def cascade_dot(x, y):
    total = x.dtype.type(0)
    for i in range(x.size):
        total += x[i] * y[i]
    return total
"""),
    WrongAnswer(CASCADE_DOT, "one long sum in float64, which is no help to float64", ("accuracy", "compiled"), """
def cascade_dot(x, y):
    total = 0.0
    for i in range(x.size):
        total += x[i] * y[i]
    return x.dtype.type(total)
"""),
    WrongAnswer(
        CASCADE_DOT, "sums of runs that are added to the total at once: the run goes on from it",
        ("accuracy", "compiled"), """
def cascade_dot(x, y):
    total = x.dtype.type(0)
    for first in range(0, x.size, RUN):
        run = total
        for i in range(first, min(first + RUN, x.size)):
            run += x[i] * y[i]
        total = run
    return total
"""),
    WrongAnswer(CASCADE_DOT, "the last, shorter run is left out", ("ordinary", "accuracy", "loads", "compiled"), """
def cascade_dot(x, y):
    total = x.dtype.type(0)
    for run in range(x.size // RUN):
        part = x.dtype.type(0)
        for i in range(run * RUN, (run + 1) * RUN):
            part += x[i] * y[i]
        total += part
    return total
"""),
    WrongAnswer(CASCADE_DOT, "a waiting sum is used twice", ("ordinary", "accuracy", "loads", "compiled"), """
def cascade_dot(x, y):
    sums = np.zeros(LEVELS, x.dtype)
    for first in range(0, x.size, RUN):
        u, v = x[first : first + RUN], y[first : first + RUN]
        total, level, runs = x.dtype.type(0), 0, first // RUN
        for i in range(u.size):
            total += u[i] * v[i]
        while runs & 1:
            total += sums[level]
            level, runs = level + 1, runs >> 1
        sums[level] = total
    total = x.dtype.type(0)
    for level in range(LEVELS):
        total += sums[level]
    return total
"""),
    WrongAnswer(CASCADE_DOT, "calls np.dot: nothing is loaded", ("ordinary", "accuracy", "loads", "compiled"), """
def cascade_dot(x, y):
    return np.dot(x, y)
"""),
    WrongAnswer(CASCADE_DOT, "48 totals take turns, and none goes up", ("compiled",), """
def cascade_dot(x, y):
    sums = np.zeros(LEVELS, x.dtype)
    for first in range(0, x.size, RUN):
        total = x.dtype.type(0)
        for i in range(first, min(first + RUN, x.size)):
            total += x[i] * y[i]
        sums[first // RUN % LEVELS] += total
    return x.dtype.type(sums.sum())
"""),
    WrongAnswer(CASCADE_DOT, "three levels: runs, 128 of them, and one total", ("compiled",), """
def cascade_dot(x, y):
    zero = x.dtype.type(0)
    some, total = zero, zero
    for first in range(0, x.size, RUN):
        run = zero
        for i in range(first, min(first + RUN, x.size)):
            run += x[i] * y[i]
        some += run
        if first // RUN % 128 == 127:
            total += some
            some = zero
    return total + some
"""),
    WrongAnswer(CASCADE_DOT, "looks at the size of each product first", ("loads",), """
def cascade_dot(x, y):
    small, large = x.dtype.type(0), x.dtype.type(0)
    for first in range(0, x.size, 64):
        part = x.dtype.type(0)
        for i in range(first, min(first + 64, x.size)):
            if abs(x[i] * y[i]) > 1000:
                large += x[i] * y[i]
            else:
                part += x[i] * y[i]
        small += part
    return small + large
"""),
    WrongAnswer(CASCADE_DOT, "a Python list of runs: nothing that numba compiles", ("accuracy", "compiled"), """
def cascade_dot(x, y):
    runs = {}
    for i in range(x.size):
        runs.setdefault(i // 64, []).append(x[i] * y[i])
    total = x.dtype.type(0)
    for run in runs.values():
        total += sum(run, x.dtype.type(0))
    return total
"""),
    WrongAnswer(CASCADE_DOT, "sums that begin with 0.0: float64, in which ints are lost", ("accuracy", "compiled"), """
def cascade_dot(x, y):
    sums = np.zeros(LEVELS)
    for first in range(0, x.size, RUN):
        total = 0.0
        for i in range(first, min(first + RUN, x.size)):
            total += x[i] * y[i]
        for level in range(LEVELS):
            if sums[level] == 0:
                sums[level] = total
                break
            total += sums[level]
            sums[level] = 0
    return sums.sum()
"""),
    WrongAnswer(CASCADE_DOT, "four long sums side by side", ("accuracy", "compiled"), """
def cascade_dot(x, y):
    s0 = s1 = s2 = s3 = x.dtype.type(0)
    fours = x.size // 4 * 4
    for i in range(0, fours, 4):
        s0 += x[i] * y[i]
        s1 += x[i + 1] * y[i + 1]
        s2 += x[i + 2] * y[i + 2]
        s3 += x[i + 3] * y[i + 3]
    for i in range(fours, x.size):
        s0 += x[i] * y[i]
    return (s0 + s1) + (s2 + s3)
"""),
    WrongAnswer(
        CASCADE_DOT, "NumPy's sum of a copy: in pairs in Python, and one by one when it is compiled", ("compiled",), """
def cascade_dot(x, y):
    products = np.empty(x.size, x.dtype)
    for i in range(x.size):
        products[i] = x[i] * y[i]
    return products.sum()
"""),
    WrongAnswer(CASCADE_DOT, "sums of runs of 256 without a cascade: one total of them", ("accuracy", "compiled"), """
def cascade_dot(x, y):
    total = x.dtype.type(0)
    for first in range(0, x.size, RUN):
        run = x.dtype.type(0)
        for i in range(first, min(first + RUN, x.size)):
            run += x[i] * y[i]
        total += run
    return total
"""),
    WrongAnswer(CASCADE_DOT, "Kahan's correction, which reassoc removes", ("compiled",), """
def cascade_dot(x, y):
    total, lost = x.dtype.type(0), x.dtype.type(0)
    for i in range(x.size):
        add = x[i] * y[i] - lost
        after = total + add
        lost = (after - total) - add
        total = after
    return total
"""),
    WrongAnswer(CASCADE_DOT, "Neumaier's correction, which reassoc removes", ("compiled",), """
def cascade_dot(x, y):
    total, lost = x.dtype.type(0), x.dtype.type(0)
    for i in range(x.size):
        product = x[i] * y[i]
        after = total + product
        if abs(total) >= abs(product):
            lost += (total - after) + product
        else:
            lost += (product - after) + total
        total = after
    return total + lost
"""),
    WrongAnswer(CASCADE_DOT, "runs that begin with 0: float64 to numba", ("compiled",),
        ("total = x.dtype.type(0)", "total = 0"),
    ),
    WrongAnswer(SOFTMAX, "begins with the lowest float32, whatever the dtype is", ("edge",),
        ("largest[:] = np.finfo(largest.dtype).min", "largest[:] = np.finfo(np.float32).min"),
    ),
    WrongAnswer(SOFTMAX, "the largest is not kept where -inf came first", ("edge", "loads"), """
def largest_and_sum(exp, x, n, inner, first, largest, sums):
    largest[:] = np.finfo(largest.dtype).min
    sums[:] = 0
    for i in range(n):
        for j in range(sums.size):
            element = x[first + i * inner + j]
            step = element - largest[j]
            factor = exp(-abs(step))
            sums[j] = sums[j] * factor + 1 if step > 0 else sums[j] + factor
            largest[j] = max(largest[j], element)
    for j in range(sums.size):
        if n and x[first + j] == -np.inf:
            largest[j] = x[first + j]
"""),
    WrongAnswer(SOFTMAX, "two passes: the largest, then the sum", ("loads",), """
def largest_and_sum(exp, x, n, inner, first, largest, sums):
    largest_of_columns(x, n, inner, first, largest)
    sums[:] = 0
    for row in range(first, first + n * inner, inner):
        for j in range(sums.size):
            element = x[row + j]
            if element != -np.inf:
                sums[j] += exp(element - largest[j])
"""),
    WrongAnswer(SOFTMAX, "the sum is not made smaller", ("ordinary", "edge", "loads", "compiled"), changed(
        OTHER_SOFTMAX, "sums[j] = sums[j] * exp(largest[j] - element) + 1", "sums[j] += 1",
    )),
    WrongAnswer(SOFTMAX, "-inf minus -inf", ("edge",), """
def largest_and_sum(exp, x, n, inner, first, largest, sums):
    largest[:] = -np.inf
    sums[:] = 0
    for row in range(first, first + n * inner, inner):
        for j in range(sums.size):
            element = x[row + j]
            now = max(largest[j], element)
            sums[j] = sums[j] * exp(largest[j] - now) + exp(element - now)
            largest[j] = now
"""),
    WrongAnswer(SOFTMAX, "begins with 0 as the largest", ("ordinary", "edge", "loads", "compiled"), """
def largest_and_sum(exp, x, n, inner, first, largest, sums):
    largest[:] = 0
    sums[:] = 0
    for row in range(first, first + n * inner, inner):
        for j in range(sums.size):
            element = x[row + j]
            now = max(largest[j], element)
            sums[j] = sums[j] * exp(largest[j] - now) + exp(element - now)
            largest[j] = now
"""),
    WrongAnswer(
        SOFTMAX, "scales by the wrong difference, which exp is not made for",
        ("ordinary", "edge", "loads", "compiled"), changed(
        OTHER_SOFTMAX,
        "sums[j] = sums[j] * exp(largest[j] - element) + 1",
        "sums[j] = sums[j] * exp(element - largest[j]) + 1",
    )),
    WrongAnswer(SOFTMAX, "no largest: exp of the numbers themselves", ("ordinary", "edge", "loads", "compiled"), """
def largest_and_sum(exp, x, n, inner, first, largest, sums):
    largest[:] = 0
    sums[:] = 0
    for row in range(first, first + n * inner, inner):
        for j in range(sums.size):
            sums[j] += exp(x[row + j])
"""),
    WrongAnswer(SOFTMAX, "a NaN is passed over", ("edge",), changed(
        OTHER_SOFTMAX,
        "else:",
        "elif element <= largest[j]:",
    )),
    WrongAnswer(SOFTMAX, "rows lie as far apart as they are wide", ("ordinary", "edge", "loads", "compiled"), """
def largest_and_sum(exp, x, n, inner, first, largest, sums):
    largest[:] = np.finfo(largest.dtype).min
    sums[:] = 0
    for i in range(n):
        for j in range(sums.size):
            element = x[first + i * sums.size + j]
            step = element - largest[j]
            sums[j] = sums[j] * exp(-abs(step)) + 1 if step > 0 else sums[j] + exp(-abs(step))
            largest[j] = max(largest[j], element)
"""),
    WrongAnswer(SOFTMAX, "two passes over a copy of the column", ("loads",), """
def largest_and_sum(exp, x, n, inner, first, largest, sums):
    own = np.empty(n, x.dtype)
    for j in range(sums.size):
        most, total = np.finfo(largest.dtype).min, sums.dtype.type(0)
        for i in range(n):
            own[i] = x[first + i * inner + j]
            most = max(most, own[i])
        for i in range(n):
            total += exp(own[i] - most)
        largest[j], sums[j] = most, total
"""),
    WrongAnswer(
        SOFTMAX, "an element equal to the largest so far is passed over",
        ("ordinary", "edge", "loads", "compiled"), changed(
        OTHER_SOFTMAX,
        "else:",
        "elif element != largest[j]:",
    )),
    WrongAnswer(SOFTMAX, "begins with -1e9, as if nothing were below", ("edge",), changed(
        OTHER_SOFTMAX,
        "largest[:] = np.finfo(largest.dtype).min",
        "largest[:] = -1e9",
    )),
    WrongAnswer(SOFTMAX, "NumPy's exp, and not the one that is given", ("loads",), """
def largest_and_sum(exp, x, n, inner, first, largest, sums):
    largest[:] = np.finfo(largest.dtype).min
    sums[:] = 0
    for row in range(first, first + n * inner, inner):
        for j in range(sums.size):
            element = x[row + j]
            step = element - largest[j]
            factor = np.exp(-abs(step))
            sums[j] = sums[j] * factor + 1 if step > 0 else sums[j] + factor
            largest[j] = max(largest[j], element)
"""),
    WrongAnswer(SOFTMAX, "down one column after the other: a line of x is fetched for each element", ("loads",), """
def largest_and_sum(exp, x, n, inner, first, largest, sums):
    for j in range(sums.size):
        most, total = largest.dtype.type(np.finfo(largest.dtype).min), sums.dtype.type(0)
        for i in range(n):
            element = x[first + i * inner + j]
            step = element - most
            factor = exp(-abs(step))
            total = total * factor + 1 if step > 0 else total + factor
            most = larger(most, element)
        largest[j], sums[j] = most, total
"""),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        SOFTMAX, "sums[j] = sums[j] * factor + 1 if step > 0 else sums[j] + factor",
        "sums[j] = sums[j] * factor + 1 if step >= 0 else sums[j] + factor",
        "at a step of 0 the factor is 1, and both are the sum and 1",
    ),
    Equivalent(SOFTMAX, "of = x[row:row + sums.size]", "of = x[row:]", "the loop reads no further than sums.size"),
    Equivalent(
        SOFTMAX, "largest[j] = larger(largest[j], element)", "largest[j] = larger(element, largest[j])",
        "the larger of two does not depend on their order",
    ),
)  # fmt: skip
