"""Checks of the caching allocator: which block serves a request, and what becomes of blocks over a program."""

import random
from collections.abc import Callable, Iterator

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation

KIB, MIB = 1 << 10, 1 << 20
SMALL, LARGE = 2 * MIB, 20 * MIB  # segments
PLENTY = 1 << 40


# ---- find_free_block


def _cut(rng: random.Random, nbytes: int, unit: int, free: float = 0.6) -> list[tuple[int, bool]]:
    """Cut a segment at random into blocks that are multiples of `unit`."""
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


def _fitting(args: tuple, is_apart: bool = True, is_free: bool = True) -> list[tuple[int, tuple[int, int]]]:
    """Return (bytes, (segment, block)) of the blocks that would do, or would if a condition were left out."""
    segments, size, stream = args
    return [
        (nbytes, (number, at))
        for number, (of_segment, its_stream, blocks) in enumerate(segments)
        for at, (nbytes, free) in enumerate(blocks)
        if (free or not is_free) and nbytes >= size
        if not is_apart or its_stream == stream and (of_segment == SMALL) == (size <= MIB)
    ]


def _takes(choose: Callable[[tuple], object]) -> Callable[[tuple, Observation, Observation], bool]:
    """Build a `Mistake.shows`: the block that was found is the one that a mistake finds."""
    return lambda args, wanted, got: got.value["changed"] == "nothing" and got.value["block"] == choose(args)


def _best(blocks: list[tuple[int, tuple[int, int]]]) -> tuple[int, int]:
    return min(blocks, key=lambda block: block[0])[1]


def _of_pool_only(args: tuple) -> tuple[int, int]:
    segments, size, _ = args
    return _best([one for one in _fitting(args, False) if (segments[one[1][0]][0] == SMALL) == (size <= MIB)])


def _of_stream_only(args: tuple) -> tuple[int, int]:
    segments, _, stream = args
    return _best([one for one in _fitting(args, False) if segments[one[1][0]][1] == stream])


FIND_FREE_BLOCK = Check(
    "cuda.caching_allocator.find_free_block",
    ("segments", "size", "stream"),
    (Aspect("ordinary", 2, _fits), Aspect("apart", 2, _apart, needs="ordinary")),
    {
        "none": "no free block is large enough: None",
        "one": "a free block of the size, or larger, will do",
        "best": "of all blocks that would do, the smallest: else large pieces are used up for small requests",
        "first of equal ones": "of several smallest ones, the first: replace the best only by a smaller one",
        "streams": "a block of another stream may still be read there by kernels that wait in its queue",
        "pools": "requests of up to SMALL_SIZE and larger ones live in segments of their own: `segment.is_small`",
        "changed": "nothing is given out here: `find_free_block` only looks, and changes nothing",
        "raised": "nothing is refused here",
    },
    mistakes=(
        Mistake("this is the first block that will do: the answer is the smallest, in all of the segments",
                _takes(lambda args: _fitting(args)[0][1])),
        Mistake("of several smallest ones the first: replace the best only by a smaller one",
                _takes(lambda args: _best(_fitting(args)[::-1]))),
        Mistake("this is the largest block that will do: the answer is the smallest",
                _takes(lambda args: max(_fitting(args), key=lambda block: block[0])[1])),
        Mistake("this block is of another stream: kernels that wait in its queue may still read it",
                _takes(_of_pool_only)),
        Mistake("this segment is of the other pool: `segment.is_small` must say the same as `size <= SMALL_SIZE`",
                _takes(_of_stream_only)),
        Mistake("this block is in use: only one with `is_free` will do",
                _takes(lambda args: _best(_fitting(args, is_free=False)))),
        Mistake("there is a block that will do: free, of `size` bytes or more, in any segment of this stream and pool",
                lambda args, wanted, got: got.value["block"] is None and bool(_fitting(args))),
    ),
    probe="cuda.memory.found",
    program="cuda.program.memory",
)  # fmt: skip


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
    yield Case(([("malloc", 0, 0), ("malloc", 512)], PLENTY), "rounded")
    three = [("malloc", 512, 0), ("malloc", 1024, 0), ("malloc", 2048, 0)]
    yield Case(([*three, ("free", 1), ("malloc", 512, 0)], PLENTY), "split")  # the rest has a block behind it
    yield Case(([*three, ("free", 1), ("malloc", 1024, 0)], PLENTY), "peak")
    # After a refusal all is as before, but for what was given back; and the allocator goes on.
    yield Case(([("malloc", 512, 0), ("malloc", 3 * MIB, 0), ("malloc", 512, 0)], LARGE), "no room")
    yield Case(([("malloc", 3 * MIB, 0), ("malloc", 512, 0), ("malloc", 2 * MIB, 0)], LARGE), "no room")
    yield Case(([("malloc", 512, 0), ("malloc", 97 * MIB, 0), ("malloc", 1024, 0)], PLENTY), "stopped")
    yield Case(([("malloc", 512, 0), ("malloc", 95 * MIB, 0), ("malloc", 1024, 0)], PLENTY), "stopped")
    for _ in range(30):
        sizes = (1, 512, 1000, 4096, 700 * KIB, MIB, 3 * MIB, 9 * MIB, 12 * MIB + 1)
        program = [("malloc", rng.choice(sizes), rng.randrange(2)) for _ in range(rng.randint(2, 5))]
        yield Case((program, rng.choice((PLENTY, PLENTY, 24 * MIB))), "split")


def _frees(rng: random.Random) -> Iterator[Case]:
    three = [("malloc", 512, 0), ("malloc", 1024, 0), ("malloc", 2048, 0)]
    yield Case(([("malloc", 512, 0), ("free", 0)], PLENTY), "neighbors")
    yield Case(([("malloc", 512, 0), ("free", 0), ("free", 0)], PLENTY), "twice")
    yield Case(([("malloc", 512, 0), ("free", 0), ("malloc", 1024, 0)], PLENTY), "again")
    yield Case(([*three, ("free", 1)], PLENTY), "alone")
    yield Case(([*three, ("free", 1), ("malloc", 512, 0)], PLENTY), "again")
    for one, other, again in ((0, 1, 1), (1, 0, 1), (2, 1, 2)):  # what was joined is free all the same
        yield Case(([*three, ("free", one), ("free", other), ("free", again)], PLENTY), "twice")
    yield Case(([*three, ("free", 0), ("free", 1), ("malloc", 1536, 0)], PLENTY), "first")
    for order in ((0, 1), (1, 0), (1, 2), (2, 1), (0, 2, 1), (2, 0, 1), (1, 0, 2)):
        yield Case(([*three, *(("free", number) for number in order)], PLENTY), "neighbors")
    six = [("malloc", 512 * number, 0) for number in range(1, 7)]
    for order in ((2, 3), (3, 4), (4, 2, 3), (1, 4, 3)):
        yield Case(([*six, *(("free", number) for number in order)], PLENTY), "neighbors")
    two = [("malloc", 512, 0), ("malloc", 512, 1)]
    yield Case(([*two, ("free", 0), ("free", 1)], PLENTY), "streams")
    yield Case(([*two, ("free", 0), ("malloc", 512, 1)], PLENTY), "streams")
    yield Case(([*three, ("free", 1), ("free", 1)], PLENTY), "twice")
    yield Case(([("malloc", MIB, 0), ("malloc", MIB, 0), ("free", 1), ("free", 0), ("empty_cache",)], PLENTY), "whole")
    yield Case(([("malloc", 512, 0), ("free", 0), ("malloc", 3 * MIB, 0)], LARGE), "whole")
    yield Case(([*three, ("free", 1), ("free", 0), ("malloc", 1536, 0), ("free", 3)], PLENTY), "first")
    yield Case(([*three, ("free", 0), ("free", 2), ("free", 1), ("malloc", 9216, 0)], PLENTY), "first")
    for _ in range(30):
        program: list[tuple] = []
        live: list[int] = []
        for number in range(rng.randint(3, 6)):
            program.append(
                ("malloc", rng.choice((512, 512, 1536, 4096, 300 * KIB, 2 * MIB, 5 * MIB)), rng.choice((0, 0, 1)))
            )
            live.append(number)
            while live and rng.random() < 0.5:
                program.append(("free", live.pop(rng.randrange(len(live)))))
        rng.shuffle(live)
        program += [("free", number) for number in live]
        yield Case((program, PLENTY), "neighbors")


def _but_peaks(args: tuple, observed: dict) -> dict:
    """Return all that was seen except `max_allocated`, which `malloc` keeps."""
    return {**observed, "bytes": [(now, reserved) for now, reserved, *_ in observed["bytes"]]}


def first_apart(args: tuple, wanted: dict, got: dict) -> list[str]:
    """Return the first difference in the first step that differs: "malloc: answer", "refusal: bytes" ..."""
    for at, (what, *_) in enumerate(args[0]):
        one, other = wanted["answers"][at], got["answers"][at]
        if one != other:
            refused = [str(answer).startswith("raised ") for answer in (one, other)]
            return [f"{what}: refusal" if any(refused) else f"{what}: answer"]
        after = "refusal" if str(one).startswith("raised ") else what
        for key in ("segments", "bytes"):
            if wanted[key][at] != got[key][at]:
                return [f"{after}: {key}"]
    return []


def _at_first(args: tuple, wanted: Observation, got: Observation, key: str) -> tuple[int, str]:
    """Return the number of the first step that differs in an entry, and the name of this step."""
    at = next(at for at, pair in enumerate(zip(wanted.value[key], got.value[key], strict=True)) if pair[0] != pair[1])
    return at, args[0][at][0]


def _is_another_object(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if the block that `malloc` gives out is right except for the object, which tells what was joined."""
    at, what = _at_first(args, wanted, got, "answers")
    one, other = wanted.value["answers"][at], got.value["answers"][at]
    return what == "malloc" and one[:4] == other[:4] and one[4] != other[4]


def _joins_not(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if a `free` leaves two free blocks side by side."""
    at, what = _at_first(args, wanted, got, "segments")
    return what == "free" and any(
        one[2] and other[2] for *_, blocks in got.value["segments"][at]
        for one, other in zip(blocks, blocks[1:], strict=False)
    )  # fmt: skip


def _gives_back(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if a `free` leaves fewer segments than it should."""
    at, what = _at_first(args, wanted, got, "segments")
    return what == "free" and len(got.value["segments"][at]) < len(wanted.value["segments"][at])


def _counts_request(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if `allocated` has grown by what was asked for, not by what was given."""
    at, what = _at_first(args, wanted, got, "bytes")
    one, other = (observed.value["bytes"][at][0] for observed in (wanted, got))
    before = got.value["bytes"][at - 1][0] if at else 0
    return what == "malloc" and one > other and other - before in (args[0][at][1], -(-args[0][at][1] // 512) * 512)


def _loses_the_most(args: tuple, wanted: Observation, got: Observation) -> bool:
    at, _ = _at_first(args, wanted, got, "bytes")
    one, other = wanted.value["bytes"][at], got.value["bytes"][at]
    return one[:2] == other[:2] and one[2] != other[2]


def _cuts_always(args: tuple, wanted: Observation, got: Observation) -> bool:
    return _more_blocks(args, wanted, got) > 0


def _cuts_never(args: tuple, wanted: Observation, got: Observation) -> bool:
    return _more_blocks(args, wanted, got) < 0


def _more_blocks(args: tuple, wanted: Observation, got: Observation) -> int:
    """Return how many blocks too many a `malloc` leaves in the right segments, below 0 if there are too few."""
    at, what = _at_first(args, wanted, got, "segments")
    one, other = (observed.value["segments"][at] for observed in (wanted, got))
    if what != "malloc" or [segment[:2] for segment in one] != [segment[:2] for segment in other]:
        return 0
    return sum(len(blocks) for *_, blocks in other) - sum(len(blocks) for *_, blocks in one)


CACHING_ALLOCATOR = Check(
    "cuda.caching_allocator.CachingAllocator",
    ("program", "capacity"),
    (Aspect("malloc", 2, _mallocs), Aspect("free", 2, _frees, findings=_but_peaks)),
    {
        "rounded": "the request is rounded to a multiple of 512, and `allocated` counts what was given out",
        "split": "`should_split` says whether the rest is worth a block; it is right behind, free, with its offset",
        "streams": "blocks of two streams are in different segments, and are never joined or handed over",
        "no room": "`new_segment` raises MemoryError by itself; nothing is counted as allocated then",
        "peak": "`max_allocated` is the most that `allocated` ever was, also after something was freed",
        "stopped": "whatever `new_segment` raises goes on to the caller, and nothing is counted then",
        "alone": "a block between two that are in use stays alone, and free",
        "neighbors": "a free block is joined with the one behind it, and with the one before it, if these are free",
        "twice": "a block that is free already is refused with RuntimeError, before anything is changed",
        "again": "what was freed is given out again: by best fit, and cut anew",
        "whole": "when all of a segment is free it is one block again, so that it can be given back",
        "raised": "the code stops with an error: call it with this program in a cell of your own to see the line",
        "first": "of blocks that are joined the first stays in the list, with the sizes of all",
        "malloc: answer": "a block for the size and the stream is returned, found or new; once cut it has `size` bytes",
        "malloc: segments": "a segment is for one stream; the block is in use; once cut, the rest is free, behind it",
        "malloc: bytes": "`allocated` grows by the size of the block that is given out, `max_allocated` is the most",
        "malloc: refusal": "only `new_segment` refuses, and what it raises goes on to the caller",
        "free: answer": "`free` returns nothing",
        "free: segments": "a freed block is joined with the one behind it and the one before it, if these are free",
        "free: bytes": "`allocated` shrinks by the size of the block, before it is joined",
        "free: refusal": "`free` raises RuntimeError for a block that is free already, and for no other",
        "refusal: segments": "after a refusal the segments are as before: nothing is marked or cut too early",
        "refusal: bytes": "after a refusal nothing is counted: `allocated` changes when the block is there",
    },
    mistakes=(
        Mistake("of blocks that are joined, the first one's object stays in the list", _is_another_object),
        Mistake("`free` keeps the segment, to give it out again: only `empty_cache` gives memory back to the device",
                _gives_back),
        Mistake("two free blocks are side by side: join a freed block with the one behind and the one before",
                _joins_not),
        Mistake("not every rest is worth a block: ask `should_split`", _cuts_always),
        Mistake("a rest that is worth it, by `should_split`, becomes a free block of its own", _cuts_never),
        Mistake("`allocated` counts the bytes of the block that is given out, which may be more than the request",
                _counts_request),
        Mistake("`max_allocated` is the most that `allocated` ever was", _loses_the_most),
    ),
    differs=first_apart,
    words={
        "malloc": "malloc(bytes, stream); what it returns is numbered: 0 for the first malloc, 1, 2, ...",
        "free": "free(the block that the malloc of this number returned)",
        "empty_cache": "empty_cache()",
    },
    probe="cuda.memory.replayed",
    program="cuda.program.memory",
)  # fmt: skip

CHECKS = (FIND_FREE_BLOCK, CACHING_ALLOCATOR)
