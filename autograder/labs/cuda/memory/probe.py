"""Probes of the caching allocator: segments that are described, and programs that ask for memory and give it back.

A segment is described as (bytes, stream, blocks), a block as (bytes, whether it is free). A program is a list of
("malloc", bytes, stream), ("free", number of the malloc) and ("empty_cache",).
"""

from autograder.labs.cuda.arrays import loaded


def found(engine, described, size, stream):
    """(number of the segment, number of the block) that `find_free_block` finds; and all segments behind it."""
    loaded(engine)
    module = engine.cuda.caching_allocator
    segments = [_segment(module, *segment) for segment in described]
    block = module.find_free_block(segments, size, stream)
    places = {
        id(block): (one, other) for one, segment in enumerate(segments) for other, block in enumerate(segment.blocks)
    }
    answer = None if block is None else places.get(id(block), type(block).__name__)
    return {
        "block": answer,
        "segments": [[(one.nbytes, one.is_free) for one in segment.blocks] for segment in segments],
    }


def _segment(module, nbytes, stream, blocks):
    segment, offset = module.Segment(nbytes, stream, None), 0
    for size, is_free in blocks:
        segment.blocks.append(module.Block(segment, offset, size, is_free))
        offset += size
    return segment


def replayed(engine, program, capacity):
    """Return what a program sees of an allocator on a device of a given size, and all blocks after each step.

    By name, each for every step: the segments as (bytes, stream, blocks (offset, bytes, free or not)); what was
    answered, the type of what was raised, or None; the bytes allocated and reserved, and the most that were.
    """
    loaded(engine)
    held = [0]

    def reserve(nbytes):
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
        except (MemoryError, RuntimeError) as error:
            answer = type(error).__name__
        for so_far, now in zip(seen.values(), (_segments(allocator), answer, _bytes(allocator)), strict=True):
            so_far.append(now)
    return seen


def _place(allocator, given):
    """(number of the segment, offset, bytes) of what was given out last, and which malloc gave this object first."""
    block = given[-1]
    for number, segment in enumerate(allocator.segments):
        if any(one is block for one in segment.blocks):
            first = next(at for at, one in enumerate(given) if one is block)
            return number, block.offset, block.nbytes, segment is block.segment, first
    return "a block of no segment"


def _segments(allocator):
    return [
        (segment.nbytes, segment.stream, [(block.offset, block.nbytes, block.is_free) for block in segment.blocks])
        for segment in allocator.segments
    ]


def _bytes(allocator):
    return allocator.allocated, allocator.reserved, allocator.max_allocated, allocator.max_reserved
