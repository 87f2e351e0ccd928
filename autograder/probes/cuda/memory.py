"""Probes of the caching allocator: segments that are described, and programs that ask for memory and give it back.

A segment is described as (bytes, stream, blocks), a block as (bytes, whether it is free). A program is a list of
("malloc", bytes, stream), ("free", number of the malloc) and ("empty_cache",).
"""


def found(engine, described, size, stream):
    """(number of the segment, number of the block) that `find_free_block` finds, or what else it returns."""
    engine.cuda.initialize()
    module = engine.cuda.caching_allocator
    segments = [_segment(module, *segment) for segment in described]
    block = module.find_free_block(segments, size, stream)
    places = {
        id(block): (one, other) for one, segment in enumerate(segments) for other, block in enumerate(segment.blocks)
    }
    return None if block is None else places.get(id(block), type(block).__name__)


def _segment(module, nbytes, stream, blocks):
    segment, offset = module.Segment(nbytes, stream, None), 0
    for size, is_free in blocks:
        segment.blocks.append(module.Block(segment, offset, size, is_free))
        offset += size
    return segment


def replayed(engine, program, capacity):
    """What a program sees of an allocator on a device of so many bytes, and all blocks after each step.

    A step gives what was answered, the type of what was raised, or None; then the segments as (bytes, stream, blocks
    (offset, bytes, free or not)), then the bytes allocated and reserved, and the most that were.
    """
    engine.cuda.initialize()
    held = [0]

    def reserve(nbytes):
        if held[0] + nbytes > capacity:
            raise MemoryError("no room")
        held[0] += nbytes
        return nbytes

    def release(memory):
        held[0] -= memory

    allocator = engine.cuda.caching_allocator.CachingAllocator(reserve, release)
    given, steps = [], []
    for what, *arguments in program:
        try:
            if what == "malloc":
                given.append(None)
                given[-1] = allocator.malloc(*arguments)
                answer = _place(allocator, given[-1])
            elif what == "free":
                answer = allocator.free(given[arguments[0]])
            else:
                answer = allocator.empty_cache()
        except (MemoryError, RuntimeError) as error:
            answer = type(error).__name__
        steps.append((answer, _segments(allocator), _bytes(allocator)))
    return steps


def _place(allocator, block):
    """(number of the segment, offset, bytes) of what was given out."""
    for number, segment in enumerate(allocator.segments):
        if any(one is block for one in segment.blocks):
            return number, block.offset, block.nbytes, segment is block.segment
    return "a block of no segment"


def _segments(allocator):
    return [
        (segment.nbytes, segment.stream, [(block.offset, block.nbytes, block.is_free) for block in segment.blocks])
        for segment in allocator.segments
    ]


def _bytes(allocator):
    return allocator.allocated, allocator.reserved, allocator.max_allocated, allocator.max_reserved
