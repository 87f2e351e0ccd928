"""Wrong answers to cuda.gemm_tile.multiplier_of."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

MULTIPLIER = "cuda.gemm_tile.multiplier_of"
EVERYTHING = ("ordinary", "steps", "vectors", "loads")

WRONG_ANSWERS = (
    WrongAnswer(MULTIPLIER, "a tile is cleared when it is read", EVERYTHING, (
        "return load_shared(shared, at)", "found = load_shared(shared, at)\nshared[at] = 0\nreturn found",
    )),
    WrongAnswer(MULTIPLIER, "a loop over the steps", ("loads",), (
        """
multiply, steps = device_function(step), 1
for _ in range(tile.depth.bit_length() - 1):
    multiply, steps = twice(multiply, steps * tile.pitch), 2 * steps
return multiply
""",
        """
one, depth, pitch = device_function(step), tile.depth, tile.pitch

def multiply(sums, of_a, at_a, of_b, at_b):
    for number in range(depth):
        sums = one(sums, of_a, at_a + number * pitch, of_b, at_b + number * pitch)
    return sums

return device_function(multiply)
""",
    )),
    WrongAnswer(MULTIPLIER, "one step", ("steps", "loads"), (
        """
multiply, steps = device_function(step), 1
for _ in range(tile.depth.bit_length() - 1):
    multiply, steps = twice(multiply, steps * tile.pitch), 2 * steps
return multiply
""",
        "return device_function(step)",
    )),
    WrongAnswer(MULTIPLIER, "the second vector right behind the first", ("vectors", "loads"), """
def multiplier_of(tile):
    def vector(shared, at):
        return load_shared(shared, at)

    def two_vectors(shared, at):
        return load_shared(shared, at) + load_shared(shared, at + tile.lanes)

    fragment = device_function(vector if tile.rows == tile.lanes else two_vectors)

    def step(sums, of_a, at_a, of_b, at_b):
        return add_outer(sums, fragment(of_a, at_a), fragment(of_b, at_b))

    multiply, steps = device_function(step), 1
    while steps < tile.depth:
        multiply, steps = twice(multiply, steps * tile.pitch), 2 * steps
    return multiply
"""),
    WrongAnswer(MULTIPLIER, "the outer product the other way round", EVERYTHING, (
        "return add_outer(sums, fragment(of_a, at_a), fragment(of_b, at_b))",
        "return add_outer(sums, fragment(of_b, at_b), fragment(of_a, at_a))",
        "for _ in range(tile.depth.bit_length() - 1):",
        "while steps < tile.depth:",
    )),
    WrongAnswer(MULTIPLIER, "loads the numbers of B anew for each row", ("loads",), """
def multiplier_of(tile):
    rows, lanes, side, depth, pitch = tile
    apart = side * lanes // rows

    def vector(shared, at):
        return load_shared(shared, at)

    def two_vectors(shared, at):
        return load_shared(shared, at) + load_shared(shared, at + apart)

    fragment = device_function(vector if rows == lanes else two_vectors)

    def step(sums, of_a, at_a, of_b, at_b):
        x, y = fragment(of_a, at_a), fragment(of_b, at_b)
        for _ in range(1, rows):
            y = fragment(of_b, at_b)
        return add_outer(sums, x, y)

    multiply, steps = device_function(step), 1
    while steps < depth:
        multiply, steps = twice(multiply, steps * pitch), 2 * steps
    return multiply
"""),
    WrongAnswer(MULTIPLIER, "a tuple that grows in a loop has no type", EVERYTHING, """
def multiplier_of(tile):
    rows, lanes, side, depth, pitch = tile
    apart = side * lanes // rows

    def multiply(sums, of_a, at_a, of_b, at_b):
        for step in range(depth):
            x, totals = load_shared(of_a, at_a + step * pitch), ()
            if rows > lanes:
                x = x + load_shared(of_a, at_a + step * pitch + apart)
            for i in range(rows):
                for j in range(rows):
                    y = of_b[at_b + step * pitch + j // lanes * apart + j % lanes]
                    totals = totals + (sums[i * rows + j] + x[i] * y,)
            sums = totals
        return sums

    return device_function(multiply)
"""),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        MULTIPLIER, "fragment = device_function(vector if tile.rows == tile.lanes else two_vectors)",
        "fragment = device_function(vector if tile.rows <= tile.lanes else two_vectors)",
        "a tile has as many rows as a vector lanes, or twice as many",
    ),
)  # fmt: skip
