"""Wrong answers to tiny_tensor.add and tiny_tensor.matmul."""

from autograder.made_up.wrong_answer import WrongAnswer

ADD, MATMUL = "tiny_tensor.add", "tiny_tensor.matmul"

WRONG_ANSWERS = (
    WrongAnswer(ADD, "adds the storages", ("views",), """
def add(x, y):
    if x.sizes != y.sizes:
        raise RuntimeError("sizes")
    return Tensor([a + b for a, b in zip(x.storage, y.storage)], x.sizes)
"""),
    WrongAnswer(ADD, "nothing is refused", ("refusals",), ("if x.sizes != y.sizes:", "if False:")),
    WrongAnswer(ADD, "only the number of dimensions counts", ("refusals",), (
        "if x.sizes != y.sizes:", "if len(x.sizes) != len(y.sizes):",
    )),
    WrongAnswer(ADD, "into the first one's storage", ("sums", "views", "refusals"), """
def add(x, y):
    if x.sizes != y.sizes:
        raise RuntimeError("sizes")
    for i in indices(x.sizes):
        x.storage[x.offset_of(i)] += y[i]
    return x
"""),
    WrongAnswer(ADD, "only the first size is compared", ("refusals",), (
        "if x.sizes != y.sizes:", "if x.sizes[:1] != y.sizes[:1] or len(x.sizes) != len(y.sizes):",
    )),
    WrongAnswer(ADD, "broadcasts", ("refusals",), (
        'if x.sizes != y.sizes:\n    raise RuntimeError(f"expected equal sizes, got {x.sizes} and {y.sizes}")',
        "if y.sizes == ():\n    y = Tensor(y.storage, x.sizes, (0,) * len(x.sizes))\n"
        "if x.sizes != y.sizes:\n    raise RuntimeError('sizes')",
    )),
    WrongAnswer(ADD, "the result has the keys of the arguments", ("sums", "refusals"), (
        "return Tensor([x[i] + y[i] for i in indices(x.sizes)], x.sizes)",
        "return Tensor([x[i] + y[i] for i in indices(x.sizes)], x.sizes, None, x.keys | y.keys)",
    )),
    WrongAnswer(ADD, "whole numbers", ("sums", "views", "refusals"), (
        "return Tensor([x[i] + y[i] for i in indices(x.sizes)], x.sizes)",
        "return Tensor([int(x[i] + y[i]) for i in indices(x.sizes)], x.sizes)",
    )),
    WrongAnswer(ADD, "one list for all results", ("sums", "refusals"), """
def add(x, y, sums=[]):
    if x.sizes != y.sizes:
        raise RuntimeError("sizes")
    sums[:] = [x[i] + y[i] for i in indices(x.sizes)]
    return Tensor(sums, x.sizes)
"""),
    WrongAnswer(ADD, "only views of two dimensions", ("views",), """
def add(x, y):
    if x.sizes != y.sizes:
        raise RuntimeError("sizes")
    if len(x.sizes) == 2:
        return Tensor([x[i] + y[i] for i in indices(x.sizes)], x.sizes)
    return Tensor([a + b for a, b in zip(x.storage, y.storage)], x.sizes)
"""),
    WrongAnswer(MATMUL, "a single row is used for all columns", ("refusals",), (
        "if k != rows:", "if k != rows and rows != 1:",
        "return Tensor([sum(x[i, p] * y[p, j] for p in range(k)) for i, j in indices((n, m))], (n, m))",
        "return Tensor([sum(x[i, p] * y[p % rows, j] for p in range(k)) for i, j in indices((n, m))], (n, m))",
    )),
    WrongAnswer(MATMUL, "reads the storages", ("views",), """
def matmul(x, y):
    (n, k), (rows, m) = x.sizes, y.sizes
    if k != rows:
        raise RuntimeError("rows")
    cells = [sum(x.storage[i * k + p] * y.storage[p * m + j] for p in range(k)) for i in range(n) for j in range(m)]
    return Tensor(cells, (n, m))
"""),
    WrongAnswer(MATMUL, "the second matrix transposed", ("products", "views", "refusals"), """
def matmul(x, y):
    (n, k), (rows, m) = x.sizes, y.sizes
    if k != rows:
        raise RuntimeError("rows")
    return Tensor([sum(x[i, p] * y.t()[p % m, j % rows] for p in range(k)) for i, j in indices((n, m))], (n, m))
"""),
    WrongAnswer(MATMUL, "nothing is refused", ("refusals",), """
def matmul(x, y):
    (n, k), (rows, m) = x.sizes, y.sizes
    k = min(k, rows)
    return Tensor([sum(x[i, p] * y[p, j] for p in range(k)) for i, j in indices((n, m))], (n, m))
"""),
    WrongAnswer(MATMUL, "the result lies on its side", ("products", "views", "refusals"), (
        "return Tensor([sum(x[i, p] * y[p, j] for p in range(k)) for i, j in indices((n, m))], (n, m))",
        "return Tensor([sum(x[i, p] * y[p, j] for p in range(k)) for i, j in indices((n, m))], (m, n))",
    )),
)  # fmt: skip
