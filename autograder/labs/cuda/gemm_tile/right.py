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

    def multiply(sums, of_a, at_a, of_b, at_b):
        for step in range(tile.depth):
            x, y = read(of_a, at_a + step * tile.pitch), read(of_b, at_b + step * tile.pitch)
            sums = add_outer(sums, x, y)
        return sums

    return device_function(multiply)
""",
}
