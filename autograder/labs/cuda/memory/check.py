"""Checks of the caching allocator: which block serves a request, and what becomes of blocks over a program."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check

KIB, MIB = 1 << 10, 1 << 20
SMALL, LARGE = 2 * MIB, 20 * MIB  # segments
PLENTY = 1 << 40


# ---- find_free_block


def _cut(rng: random.Random, nbytes: int, unit: int, free: float = 0.6) -> list[tuple[int, bool]]:
    """A segment cut into blocks that are multiples of `unit`."""
    blocks, left = [], nbytes
    while left:
        size = min(left, unit * rng.randint(1, 6))
        blocks.append((size, rng.random() < free))
        left -= size
    return blocks


def _fits(rng: random.Random) -> Iterator[Case]:
    whole = (SMALL, 0, [(SMALL, True)])
    yield Case(([], 512, 0), "none")
    yield Case(([whole], 512, 0), "one")
    yield Case(([(SMALL, 0, [(SMALL, False)])], 512, 0), "none")
    yield Case(([(SMALL, 0, [(512, True), (SMALL - 512, False)])], 512, 0), "one")
    yield Case(([(SMALL, 0, [(512, True), (SMALL - 512, False)])], 1024, 0), "none")
    sizes = [(4096, True), (512, False), (1024, True), (512, False), (2048, True), (SMALL - 8192, False)]
    for size in (512, 1024, 1536, 2048, 4096, 4608):
        yield Case(([(SMALL, 0, sizes)], size, 0), "best")
    yield Case(([whole, (SMALL, 0, sizes)], 1536, 0), "best")
    yield Case(([(SMALL, 0, sizes), whole], 8192, 0), "best")
    same = [(1024, True), (512, False), (1024, True), (SMALL - 2560, False)]
    yield Case(([(SMALL, 0, same)], 1024, 0), "first of equal ones")
    yield Case(([(SMALL, 0, same), (SMALL, 0, same)], 512, 0), "first of equal ones")
    for _ in range(30):
        segments = [(SMALL, 0, _cut(rng, SMALL, rng.choice((64, 128, 256)) * KIB)) for _ in range(rng.randint(1, 3))]
        yield Case((segments, KIB * rng.choice((64, 128, 192, 256, 512, 768, 1024)), 0), "best")


def _apart(rng: random.Random) -> Iterator[Case]:
    small, large = (SMALL, 0, [(SMALL, True)]), (LARGE, 0, [(LARGE, True)])
    yield Case(([(SMALL, 1, [(SMALL, True)])], 512, 0), "streams")
    yield Case(([small], 512, 1), "streams")
    yield Case(([(SMALL, 1, [(SMALL, True)]), small], 512, 0), "streams")
    yield Case(([(LARGE, 1, [(2 * MIB, True), (18 * MIB, False)]), large], 2 * MIB, 0), "streams")
    yield Case(([large], 512, 0), "pools")
    yield Case(([large], MIB, 0), "pools")
    yield Case(([large], MIB + 512, 0), "pools")
    yield Case(([small], MIB, 0), "pools")
    yield Case(([small], MIB + 512, 0), "pools")
    yield Case(([(LARGE, 0, [(1024, True), (LARGE - 1024, False)]), small], 1024, 0), "pools")
    yield Case(([(4 * MIB, 0, [(4 * MIB, True)]), large], 3 * MIB, 0), "pools")
    for _ in range(40):
        segments = []
        for _ in range(rng.randint(2, 4)):
            nbytes, unit = rng.choice(((SMALL, 256 * KIB), (LARGE, 2 * MIB), (12 * MIB, 2 * MIB)))
            segments.append((nbytes, rng.randrange(2), _cut(rng, nbytes, unit)))
        size = rng.choice((256 * KIB, MIB, MIB + 512, 2 * MIB, 4 * MIB))
        yield Case((segments, size, rng.randrange(2)), "pools")


FIND_FREE_BLOCK = Check(
    "cuda.caching_allocator.find_free_block",
    ("segments", "size", "stream"),
    (Aspect("ordinary", 2, _fits), Aspect("apart", 1, _apart, needs="ordinary")),
    {
        "none": "no free block is large enough: None",
        "one": "a free block of the size, or larger, will do",
        "best": "of all blocks that would do, the smallest: else large pieces are used up for small requests",
        "first of equal ones": "of several smallest ones, the first: replace the best only by a smaller one",
        "streams": "a block of another stream may still be read there by kernels that wait in its queue",
        "pools": "requests of up to SMALL_SIZE and larger ones live in segments of their own: `segment.is_small`",
        "segments": "nothing is given out here: `find_free_block` only looks, and changes no block",
        "raised": "nothing is refused here",
    },
    probe="cuda.memory.found",
)


# ---- CachingAllocator


def _mallocs(rng: random.Random) -> Iterator[Case]:
    yield Case(([("malloc", 512, 0)], PLENTY), "split")
    yield Case(([("malloc", 1, 0)], PLENTY), "rounded")
    yield Case(([("malloc", 513, 0), ("malloc", 1, 0)], PLENTY), "rounded")
    yield Case(([("malloc", MIB, 0), ("malloc", MIB, 0)], PLENTY), "split")
    yield Case(([("malloc", MIB + 1, 0)], PLENTY), "split")
    yield Case(([("malloc", MIB, 0), ("malloc", MIB - 512, 0)], PLENTY), "split")
    yield Case(([("malloc", 9 * MIB, 0), ("malloc", 10 * MIB - 512, 0)], PLENTY), "split")
    yield Case(([("malloc", 11 * MIB, 0)], PLENTY), "split")
    yield Case(([("malloc", 11 * MIB - 512, 0)], PLENTY), "split")
    yield Case(([("malloc", 512, 0), ("malloc", 512, 1)], PLENTY), "streams")
    yield Case(([("malloc", 512, 0), ("malloc", 3 * MIB, 0)], LARGE), "no room")
    yield Case(([("malloc", 512, 0)], 512), "no room")
    for _ in range(30):
        sizes = (1, 512, 1000, 4096, 700 * KIB, MIB, 3 * MIB, 9 * MIB, 12 * MIB + 1)
        program = [("malloc", rng.choice(sizes), rng.randrange(2)) for _ in range(rng.randint(2, 5))]
        yield Case((program, rng.choice((PLENTY, PLENTY, 24 * MIB))), "split")


def _frees(rng: random.Random) -> Iterator[Case]:
    three = [("malloc", 512, 0), ("malloc", 1024, 0), ("malloc", 2048, 0)]
    yield Case(([("malloc", 512, 0), ("free", 0)], PLENTY), "neighbours")
    yield Case(([("malloc", 512, 0), ("free", 0), ("free", 0)], PLENTY), "twice")
    yield Case(([("malloc", 512, 0), ("free", 0), ("malloc", 1024, 0)], PLENTY), "again")
    yield Case(([*three, ("free", 1)], PLENTY), "alone")
    yield Case(([*three, ("free", 1), ("malloc", 512, 0)], PLENTY), "again")
    for one, other, again in ((0, 1, 1), (1, 0, 1), (2, 1, 2)):  # what was joined is free all the same
        yield Case(([*three, ("free", one), ("free", other), ("free", again)], PLENTY), "twice")
    yield Case(([*three, ("free", 0), ("free", 1), ("malloc", 1500, 0)], PLENTY), "first")
    for order in ((0, 1), (1, 0), (1, 2), (2, 1), (0, 2, 1), (2, 0, 1), (1, 0, 2)):
        yield Case(([*three, *(("free", number) for number in order)], PLENTY), "neighbours")
    six = [("malloc", 512 * number, 0) for number in range(1, 7)]
    for order in ((2, 3), (3, 4), (4, 2, 3), (1, 4, 3)):
        yield Case(([*six, *(("free", number) for number in order)], PLENTY), "neighbours")
    two = [("malloc", 512, 0), ("malloc", 512, 1)]
    yield Case(([*two, ("free", 0), ("free", 1)], PLENTY), "streams")
    yield Case(([*two, ("free", 0), ("malloc", 512, 1)], PLENTY), "streams")
    yield Case(([*three, ("free", 1), ("free", 1)], PLENTY), "twice")
    yield Case(([("malloc", MIB, 0), ("malloc", MIB, 0), ("free", 1), ("free", 0), ("empty_cache",)], PLENTY), "whole")
    yield Case(([("malloc", 512, 0), ("free", 0), ("malloc", 3 * MIB, 0)], LARGE), "whole")
    for _ in range(30):
        program: list[tuple] = []
        live: list[int] = []
        for number in range(rng.randint(3, 6)):
            program.append(
                ("malloc", rng.choice((512, 512, 1500, 4096, 300 * KIB, 2 * MIB, 5 * MIB)), rng.choice((0, 0, 1)))
            )
            live.append(number)
            while live and rng.random() < 0.5:
                program.append(("free", live.pop(rng.randrange(len(live)))))
        rng.shuffle(live)
        program += [("free", number) for number in live]
        yield Case((program, PLENTY), "neighbours")


CACHING_ALLOCATOR = Check(
    "cuda.caching_allocator.CachingAllocator",
    ("program", "capacity"),
    (Aspect("malloc", 2, _mallocs), Aspect("free", 2, _frees)),
    {
        "rounded": "the request is rounded to a multiple of 512, and `allocated` counts what was given out",
        "split": "`should_split` says whether the rest is worth a block; it stands right behind, free, with its offset",
        "streams": "blocks of two streams lie in different segments, and are never joined or handed over",
        "no room": "`new_segment` raises MemoryError by itself; nothing is counted as allocated then",
        "alone": "a block between two that are in use stays alone, and free",
        "neighbours": "a free block is joined with the one behind it, and with the one before it, if these are free",
        "twice": "a block that is free already is refused with RuntimeError, before anything is changed",
        "again": "what was freed is given out again: by best fit, and cut anew",
        "whole": "when all of a segment is free it is one block again, so that it can be given back",
        "raised": "the code stops with an error: call it with this program in a cell of your own to see the line",
        "first": "of blocks that are joined the first stays in the list, with the sizes of all",
        "answers": "`malloc` returns the block itself; `free` returns nothing, and refuses what is free already",
        "bytes": "`allocated` grows and shrinks by the block's size, not the request's; `max_allocated` is the most",
    },
    probe="cuda.memory.replayed",
)

CHECKS = (FIND_FREE_BLOCK, CACHING_ALLOCATOR)
