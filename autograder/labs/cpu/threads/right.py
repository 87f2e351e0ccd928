"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "cpu.parallel.take_pieces": """
def take_pieces(pool):
    end, piece = load(pool, END), load(pool, PIECE)
    first = add(pool, NEXT, piece)
    while first < end:
        last = end if end - first < piece else first + piece
        if fails(load(pool, BODY), load(pool, ARGS), first, last):
            exchange(pool, FAILED, first + 1)
        first = add(pool, NEXT, piece)
""",
}
