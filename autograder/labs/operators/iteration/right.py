"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "aten.iterator_geometry.reorder_dimensions": (
        """
def reorder_dimensions(shape, operands, is_reduction=False):
    order = ()
    for dim in range(len(shape) - 1, -1, -1):
        order = placed((*order, dim), len(order), len(order) - 1, shape, operands, is_reduction)
    return order


def placed(order, at, other, *asked):
    if other < 0:
        return order
    shape, operands, is_reduction = asked
    said = should_swap(shape, operands, order[other], order[at], is_reduction)
    if said == -1:
        return order
    if said == 0:
        return placed(order, at, other - 1, *asked)
    changed = [*order]
    changed[at], changed[other] = order[other], order[at]
    return placed(tuple(changed), other, other - 1, *asked)
""",
    ),
    "strides.coalesce_dims": (
        """
def coalesce_dims(sizes, *operands):
    dims = [d for d, size in enumerate(sizes) if size != 1]
    groups = []
    for d in reversed(dims):
        if groups and all(strides[d] == strides[groups[-1][0]] * sizes[groups[-1][0]] for strides in operands):
            groups[-1].insert(0, d)
        else:
            groups.append([d])
    groups.reverse()
    totals = []
    for group in groups:
        total = 1
        for d in group:
            total *= sizes[d]
        totals.append(total)
    rows = [tuple(totals)]
    for strides in operands:
        rows.append(tuple(strides[group[-1]] for group in groups))
    return tuple(rows)
""",
        """
def coalesce_dims(sizes, *operands):
    rows = [list(row) for row in (sizes, *operands)]
    d = 0
    while d < len(rows[0]):
        if rows[0][d] == 1:
            for row in rows:
                del row[d]
        else:
            d += 1
    d = 1
    while d < len(rows[0]):
        if any(row[d - 1] != row[d] * rows[0][d] for row in rows[1:]):
            d += 1
            continue
        rows[0][d] *= rows[0][d - 1]
        for row in rows:
            del row[d - 1]
    return tuple(map(tuple, rows))
""",
    ),
}
