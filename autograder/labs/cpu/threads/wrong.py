"""Wrong answers to cpu.parallel.take_pieces."""

from autograder.made_up.wrong_answer import WrongAnswer

TAKE_PIECES = "cpu.parallel.take_pieces"

WRONG_ANSWERS = (
    WrongAnswer(TAKE_PIECES, "reads NEXT and writes it: two threads take one piece", ("interleaved",), """
def take_pieces(pool):
    entry, args, end, piece = load(pool, BODY), load(pool, ARGS), load(pool, END), load(pool, PIECE)
    while True:
        first = load(pool, NEXT)
        store(pool, NEXT, first + piece)
        if first >= end:
            return
        if fails(entry, args, first, min(first + piece, end)):
            store(pool, FAILED, first + 1)
"""),
    WrongAnswer(TAKE_PIECES, "looks whether something is left, and takes it afterwards", ("interleaved",), """
def take_pieces(pool):
    entry, args, end, piece = load(pool, BODY), load(pool, ARGS), load(pool, END), load(pool, PIECE)
    while load(pool, NEXT) < end:
        first = add(pool, NEXT, piece)
        if fails(entry, args, first, min(first + piece, end)):
            store(pool, FAILED, first + 1)
"""),
    WrongAnswer(
        TAKE_PIECES, "the last piece runs over the end", ("ordinary", "interleaved", "failures", "compiled"), """
def take_pieces(pool):
    entry, args, end, piece = load(pool, BODY), load(pool, ARGS), load(pool, END), load(pool, PIECE)
    while True:
        first = add(pool, NEXT, piece)
        if first >= end:
            return
        if fails(entry, args, first, first + piece):
            store(pool, FAILED, first + 1)
"""),
    WrongAnswer(
        TAKE_PIECES, "one piece for each thread, and what is left stays",
        ("ordinary", "interleaved", "failures", "compiled"), """
def take_pieces(pool):
    entry, args, end, piece = load(pool, BODY), load(pool, ARGS), load(pool, END), load(pool, PIECE)
    first = add(pool, NEXT, piece)
    if first < end and fails(entry, args, first, min(first + piece, end)):
        store(pool, FAILED, first + 1)
"""),
    WrongAnswer(TAKE_PIECES, "goes home when a piece has raised", ("failures",), """
def take_pieces(pool):
    entry, args, end, piece = load(pool, BODY), load(pool, ARGS), load(pool, END), load(pool, PIECE)
    while True:
        first = add(pool, NEXT, piece)
        if first >= end:
            return
        if fails(entry, args, first, min(first + piece, end)):
            store(pool, FAILED, first + 1)
            return
"""),
    WrongAnswer(TAKE_PIECES, "FAILED is the begin itself, and 0 means that nothing failed", ("failures",), """
def take_pieces(pool):
    entry, args, end, piece = load(pool, BODY), load(pool, ARGS), load(pool, END), load(pool, PIECE)
    while True:
        first = add(pool, NEXT, piece)
        if first >= end:
            return
        if fails(entry, args, first, min(first + piece, end)):
            store(pool, FAILED, first)
"""),
    WrongAnswer(TAKE_PIECES, "each piece is clear of FAILED again", ("failures",), """
def take_pieces(pool):
    entry, args, end, piece = load(pool, BODY), load(pool, ARGS), load(pool, END), load(pool, PIECE)
    while True:
        first = add(pool, NEXT, piece)
        if first >= end:
            return
        failed = fails(entry, args, first, min(first + piece, end))
        store(pool, FAILED, first + 1 if failed else 0)
"""),
    WrongAnswer(
        TAKE_PIECES, "takes everything that is left at once", ("ordinary", "interleaved", "failures", "compiled"), """
def take_pieces(pool):
    entry, args, end = load(pool, BODY), load(pool, ARGS), load(pool, END)
    first = exchange(pool, NEXT, end)
    if first < end and fails(entry, args, first, end):
        store(pool, FAILED, first + 1)
"""),
    WrongAnswer(TAKE_PIECES, "says of a piece that raised where NEXT is: another thread's by then", ("failures",), """
def take_pieces(pool):
    entry, args, end, piece = load(pool, BODY), load(pool, ARGS), load(pool, END), load(pool, PIECE)
    while True:
        first = add(pool, NEXT, piece)
        if first >= end:
            return
        if fails(entry, args, first, min(first + piece, end)):
            store(pool, FAILED, load(pool, NEXT) - piece + 1)
"""),
    WrongAnswer(TAKE_PIECES, "takes the whole range, and cuts it up for itself", ("interleaved",), """
def take_pieces(pool):
    entry, args, end, piece = load(pool, BODY), load(pool, ARGS), load(pool, END), load(pool, PIECE)
    first = add(pool, NEXT, end)
    while first < end:
        if fails(entry, args, first, min(first + piece, end)):
            store(pool, FAILED, first + 1)
        first += piece
"""),
)  # fmt: skip
