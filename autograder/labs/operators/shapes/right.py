"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "strides.broadcast_shapes": (
        """
def broadcast_shapes(*shapes):
    def joined(one, other):
        ndim = max(len(one), len(other))
        one, other = ((1,) * (ndim - len(shape)) + tuple(shape) for shape in (one, other))
        for d in reversed(range(ndim)):
            if one[d] != other[d] and 1 not in (one[d], other[d]):
                raise RuntimeError(
                    "The size of tensor a (%d) must match the size of tensor b (%d) at non-singleton dimension %d"
                    % (one[d], other[d], d)
                )
        return tuple(b if a == 1 else a for a, b in zip(one, other))

    so_far = ()
    for shape in shapes:
        so_far = joined(so_far, shape)
    return so_far
""",
    ),
    "aten.reduction.make_dim_mask": (
        """
def make_dim_mask(dims, ndim):
    mask = [dims is None or len(dims) == 0] * ndim
    if not dims:
        return tuple(mask)
    if ndim > 64:
        raise RuntimeError(f"{ndim} dimensions are more than 64")
    places = []
    for dim in dims:
        places.append(geometry.wrap_dim(dim, ndim))
    if len(places) > len({*places}):
        raise RuntimeError("twice")
    for place in places:
        if ndim:
            mask[place] = True
    return tuple(mask)
""",
    ),
}
