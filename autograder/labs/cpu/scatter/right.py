"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "cpu.scatter_gather.lines": """
def lines(f):
    def loop(begin, end, x, p, index, q, y, r, walk, way, report):
        for number in range(begin, end):
            of_x, of_index, of_y, rest = p, q, r, number
            for d in range(walk.shape[1] - 1, -1, -1):
                place = rest % walk[0, d]
                rest //= walk[0, d]
                of_x += place * walk[1, d]
                of_index += place * walk[2, d]
                of_y += place * walk[3, d]
            for i in range(way[0]):
                position = index[of_index + i * way[3]]
                if position < 0 or position >= way[1]:
                    report[:] = 1, position
                    return
            for i in range(way[0]):
                f(x, of_x + index[of_index + i * way[3]] * way[2], y, of_y + i * way[4])
    return loop
""",
}
