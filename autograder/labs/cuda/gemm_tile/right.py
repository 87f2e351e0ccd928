"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "cuda.gemm_tile.multiplier_of": """
def multiplier_of(tile):
    vectors = tile.rows // tile.lanes
    apart = tile.side // vectors

    def one(shared, at):
        return load_shared(shared, at)

    def two(shared, at):
        return load_shared(shared, at) + load_shared(shared, at + apart)

    read = device_function(one if vectors == 1 else two)

    def steps(first, count):
        # a device function of `count` steps, from step `first` on
        if count == 1:
            far = first * tile.pitch

            def step(sums, of_a, at_a, of_b, at_b):
                x = read(of_a, at_a + far)
                y = read(of_b, at_b + far)
                return add_outer(sums, x, y)

            return device_function(step)
        early, late = steps(first, count // 2), steps(first + count // 2, count - count // 2)

        def both(sums, of_a, at_a, of_b, at_b):
            return late(early(sums, of_a, at_a, of_b, at_b), of_a, at_a, of_b, at_b)

        return device_function(both)

    return steps(0, tile.depth)
""",
}
