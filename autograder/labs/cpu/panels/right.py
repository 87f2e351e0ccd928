"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "cpu.gemm.multiply_panels": (
        """
def multiply_panels(height, m, n, k, alpha, a, b, beta, c, edge):
    # The panels of B outside, those of A inside.
    columns = columns_of(a)
    for j in range(0, n, columns):
        there = min(columns, n - j)
        for i in range(0, m, height):
            left = min(height, m - i)
            rows = height_of(left)
            at = b.start + j * b.column_stride
            first = c.start + i * c.row_stride + j * c.column_stride
            if left == rows and there == columns and c.column_stride == 1:
                multiply_tile(rows, a, i * k, b.elements, at, b.row_stride, c.elements, first, c.row_stride, k,
                              alpha, beta)
                continue
            multiply_tile(rows, a, i * k, b.elements, at, b.row_stride, edge, 0, columns, k, alpha, a.dtype.type(0))
            for y in range(there):
                for x in range(left):
                    cell = first + x * c.row_stride + y * c.column_stride
                    if beta == 0:
                        c.elements[cell] = edge[x * columns + y]
                    else:
                        c.elements[cell] = edge[x * columns + y] + beta * c.elements[cell]
""",
        """
def multiply_panels(height, m, n, k, alpha, a, b, beta, c, edge):
    # While loops, and alpha where the edge is copied.
    columns, one, zero = columns_of(a), a.dtype.type(1), a.dtype.type(0)
    x, q, b_k, b_n = b
    y, o, c_m, c_n = c
    i = 0
    while i < m:
        count = m - i if m - i < height else height
        rows = height_of(count)
        j = 0
        while j < n:
            width = n - j if n - j < columns else columns
            cell = o + i * c_m + j * c_n
            if c_n != 1 or count < rows or width < columns:
                multiply_tile(rows, a, i * k, x, q + j * b_n, b_k, edge, 0, columns, k, one, zero)
                for r in range(count):
                    for s in range(width):
                        to = cell + r * c_m + s * c_n
                        value = alpha * edge[r * columns + s]
                        y[to] = value + beta * y[to] if beta != 0 else value
            else:
                multiply_tile(rows, a, i * k, x, q + j * b_n, b_k, y, cell, c_m, k, alpha, beta)
            j += columns
        i += height
""",
        """
@register_jitable
def from_edge(count, width, columns, edge, beta, out, first, c_m, c_n):
    for r in range(count):
        for s in range(width):
            cell = first + r * c_m + s * c_n
            if beta != 0:
                out[cell] = beta * out[cell] + edge[r * columns + s]
            else:
                out[cell] = edge[r * columns + s]


def multiply_panels(height, m, n, k, alpha, a, b, beta, c, edge):
    # Panels are counted, and the edge has a function of its own.
    columns = columns_of(a)
    for panel in range((m + height - 1) // height):
        i = panel * height
        count = min(height, m - i)
        rows = height_of(count)
        for other in range((n + columns - 1) // columns):
            j = other * columns
            width = min(columns, n - j)
            q = b.start + j * b.column_stride
            o = c.start + i * c.row_stride + j * c.column_stride
            if count == rows and width == columns and c.column_stride == 1:
                multiply_tile(rows, a, i * k, b.elements, q, b.row_stride, c.elements, o, c.row_stride, k, alpha, beta)
            else:
                multiply_tile(rows, a, i * k, b.elements, q, b.row_stride, edge, 0, columns, k, alpha,
                              a.dtype.type(0))
                from_edge(count, width, columns, edge, beta, c.elements, o, c.row_stride, c.column_stride)
""",
    ),
}
