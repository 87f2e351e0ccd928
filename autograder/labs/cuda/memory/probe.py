"""Probes of the caching allocator: segments that are described, and programs that ask for memory and give it back.

A segment is described as (bytes, stream, blocks), a block as (bytes, whether it is free). A program is a list of
("malloc", bytes, stream), ("free", number of the malloc) and ("empty_cache",).
"""

from autograder.examine import error_data
from autograder.labs.cuda.arrays import loaded

STOPS = {98 << 20: KeyboardInterrupt, 96 << 20: ValueError}  # bytes of a segment -> what the device raises


def found(engine, described, size, stream):
    """Call `find_free_block`; return {"changed": its side effects, "block": (segment number, block number)}."""
    loaded(engine)
    module = engine.cuda.caching_allocator
    segments = [_segment(module, *segment) for segment in described]
    before = _snapshot(segments)
    kept = [(segment, list(segment.blocks)) for segment in segments]
    block = module.find_free_block(segments, size, stream)
    places = {id(one): (number, at) for number, (_, blocks) in enumerate(kept) for at, one in enumerate(blocks)}
    answer = None if block is None else places.get(id(block), f"{type(block).__name__}, and no block of the segments")
    return {"changed": _changed(before, _snapshot(segments)), "block": answer}


def _snapshot(segments):
    """Return all that segments and their blocks say of themselves, by what it is."""
    blocks = [block for segment in segments for block in segment.blocks]
    return {
        "the list of segments": [id(segment) for segment in segments],
        "the blocks of a segment": [[id(block) for block in segment.blocks] for segment in segments],
        "is_free": [block.is_free for block in blocks],
        "nbytes": [block.nbytes for block in blocks] + [segment.nbytes for segment in segments],
        "offset": [block.offset for block in blocks],
        "segment": [id(block.segment) for block in blocks],
        "stream": [segment.stream for segment in segments],
    }


def _changed(before, after):
    return ", ".join(what for what in before if before[what] != after[what]) or "nothing"


def _segment(module, nbytes, stream, blocks):
    segment, offset = module.Segment(nbytes, stream, None), 0
    for size, is_free in blocks:
        segment.blocks.append(module.Block(segment, offset, size, is_free))
        offset += size
    return segment


def replayed(engine, program, capacity):
    """Run a program on an allocator for a device of a given size; return its answers and all blocks after each step.

    By name, each for every step: the segments as (bytes, stream, blocks (offset, bytes, free or not)); what was
    answered, the type of what was raised, or None; the bytes allocated and reserved, and the most that were.

    Args:
        capacity: of the device. A request for more raises MemoryError, one for an amount in `STOPS` what is told there.
    """
    loaded(engine)
    held = [0]

    def reserve(nbytes):
        if nbytes in STOPS:
            raise STOPS[nbytes]("the device stops")
        if held[0] + nbytes > capacity:
            raise MemoryError("no room")
        held[0] += nbytes
        return nbytes

    def release(memory):
        held[0] -= memory

    allocator = engine.cuda.caching_allocator.CachingAllocator(reserve, release)
    given: list = []
    seen: dict = {"segments": [], "answers": [], "bytes": []}
    for what, *arguments in program:
        try:
            if what == "malloc":
                given.append(None)
                given[-1] = allocator.malloc(*arguments)
                answer = _place(allocator, given)
            elif what == "free":
                answer = allocator.free(given[arguments[0]])
            else:
                answer = allocator.empty_cache()
        except (Exception, KeyboardInterrupt) as error:
            answer = f"raised {error_data.type_name(error)}"
        for so_far, now in zip(seen.values(), (_segments(allocator), answer, _bytes(allocator)), strict=True):
            so_far.append(now)
    return seen


def _place(allocator, given):
    """Return (segment, offset, bytes, if this is the block's segment, its first malloc) of what was given out last."""
    block = given[-1]
    if block is None:
        return None
    for number, segment in enumerate(allocator.segments):
        if any(one is block for one in segment.blocks):
            first = next(at for at, one in enumerate(given) if one is block)
            return number, block.offset, block.nbytes, segment is block.segment, first
    return f"{type(block).__name__}, in no segment"


def _segments(allocator):
    return [
        (segment.nbytes, segment.stream, [_described(segment, block) for block in segment.blocks])
        for segment in allocator.segments
    ]


def _described(segment, block):
    lost = () if block.segment is segment else ("of another segment",)
    return block.offset, block.nbytes, block.is_free, *lost


def _bytes(allocator):
    return allocator.allocated, allocator.reserved, allocator.max_allocated, allocator.max_reserved
