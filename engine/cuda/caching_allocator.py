"""A caching allocator: large segments are allocated on the device once, and their blocks reused again and again.

Allocating on the device is slow, and giving memory back waits for all of its work, so what is freed is kept. Here is
only the bookkeeping, in integers: which bytes of which segment belong to whom. Mirrors
c10/cuda/CUDACachingAllocator.cpp, with its sizes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

MIN_BLOCK_SIZE = 512  # bytes; all sizes are multiples of it
SMALL_SIZE = 1 << 20  # the largest block that comes from the pool of small ones
SMALL_BUFFER = 2 << 20  # a segment of the pool of small blocks
LARGE_BUFFER = 20 << 20  # a segment for blocks of 1 to 10 MiB
MIN_LARGE_ALLOC = 10 << 20  # from here on a block has a segment of its own
ROUND_LARGE = 2 << 20  # whose size is a multiple of this


@dataclass(eq=False)
class Segment:
    """Memory of the device in one piece.

    Args:
        nbytes: its size.
        stream: the stream whose kernels its blocks are for; a block that is free is safe to use again in that one only.
        memory: what the device gave for it.
        blocks: all of it, in the order of their offsets, free or not.
    """

    nbytes: int
    stream: int
    memory: Any
    blocks: list["Block"] = field(default_factory=list)

    @property
    def is_small(self) -> bool:
        return self.nbytes == SMALL_BUFFER


@dataclass(eq=False)
class Block:
    """Bytes offset..offset + nbytes of a segment."""

    segment: Segment
    offset: int
    nbytes: int
    is_free: bool = True


def round_size(nbytes: int) -> int:
    """The size of the block for a request: a multiple of 512 bytes, at least 512.

    Source: CUDACachingAllocator.cpp, round_size.
    """
    return max(MIN_BLOCK_SIZE, -(-nbytes // MIN_BLOCK_SIZE) * MIN_BLOCK_SIZE)


def allocation_size(nbytes: int) -> int:
    """The size of the segment to allocate on the device for a block of `nbytes` (rounded).

    Source: CUDACachingAllocator.cpp, get_allocation_size.
    """
    if nbytes <= SMALL_SIZE:
        return SMALL_BUFFER
    if nbytes < MIN_LARGE_ALLOC:
        return LARGE_BUFFER
    return -(-nbytes // ROUND_LARGE) * ROUND_LARGE


def should_split(block: Block, nbytes: int) -> bool:
    """True if the bytes of a block beyond `nbytes` are worth a block of their own.

    Source: CUDACachingAllocator.cpp, should_split.
    """
    remaining = block.nbytes - nbytes
    return remaining >= MIN_BLOCK_SIZE if block.segment.is_small else remaining > SMALL_SIZE


def find_free_block(segments: Sequence[Segment], size: int, stream: int) -> Block | None:
    """The free block that a request is served from: the best fit; None if no block will do.

    A block will do if it is free, has at least `size` bytes, is in a segment of this stream, and in one of the pool
    that the size belongs to: requests of at most SMALL_SIZE are served from segments that are small, all others from
    those that are not. The best fit is the smallest of them; of several the first, in the order of the segments, then
    of their blocks. It is only looked for: no segment and no block changes.

    Args:
        size: bytes, rounded by `round_size`.
        stream: the number of the stream whose kernels will use the block.

    >>> segment = Segment(SMALL_BUFFER, stream=0, memory=None)
    >>> segment.blocks = [Block(segment, 0, 4096), Block(segment, 4096, 512, is_free=False), Block(segment, 4608, 1024)]
    >>> find_free_block([segment], 512, 0).offset, find_free_block([segment], 512, 1)
    (4608, None)

    Source: CUDACachingAllocator.cpp, get_free_block.
    """
    is_small = size <= SMALL_SIZE
    best = None
    for segment in segments:
        if segment.stream != stream or segment.is_small != is_small:
            continue
        for block in segment.blocks:
            if block.is_free and block.nbytes >= size and (best is None or block.nbytes < best.nbytes):
                best = block
    return best


class CachingAllocator:
    """Gives out blocks of segments, and keeps what is freed.

    Args:
        reserve: nbytes -> memory of the device. Raises MemoryError if there is not so much.
        release: gives such memory back.

    Attributes:
        allocated, reserved: bytes of blocks in use, of segments.
        max_allocated, max_reserved: the most that they were.
    """

    def __init__(self, reserve: Callable[[int], Any], release: Callable[[Any], None]):
        self.reserve, self.release = reserve, release
        self.segments: list[Segment] = []
        self.allocated = self.reserved = self.max_allocated = self.max_reserved = 0

    def malloc(self, nbytes: int, stream: int = 0) -> Block:
        """A block in use of at least `nbytes`, for the kernels of a stream.

        The request is rounded by `round_size`. The block is what `find_free_block` finds, or else what `new_segment`
        makes. If what it has beyond the rounded request is worth it (`should_split`), it is cut. Then `allocated` grows
        by the size of the block that is given out, and `max_allocated` is the most that it ever was.

        Raises:
            MemoryError: the device has no more, also after all that is free was given back: `new_segment` raises it.
                Then nothing is in use or counted that was not before, and later calls work. The same goes for
                whatever else `new_segment` raises.
        """
        size = round_size(nbytes)
        block = find_free_block(self.segments, size, stream) or self.new_segment(size, stream)
        if should_split(block, size):
            self.split(block, size)
        block.is_free = False
        self.allocated += block.nbytes
        self.max_allocated = max(self.max_allocated, self.allocated)
        return block

    def new_segment(self, size: int, stream: int) -> Block:
        """The block of a segment allocated on the device; once more after `empty_cache` if there is no room."""
        nbytes = allocation_size(size)
        try:
            memory = self.reserve(nbytes)
        except MemoryError:
            self.empty_cache()
            memory = self.reserve(nbytes)
        segment = Segment(nbytes, stream, memory)
        segment.blocks.append(Block(segment, 0, nbytes))
        self.segments.append(segment)
        self.reserved += nbytes
        self.max_reserved = max(self.max_reserved, self.reserved)
        return segment.blocks[0]

    def split(self, block: Block, size: int) -> None:
        """Cut a free block after `size` bytes.

        `block` itself becomes the first part; the rest is a new `Block`, free, right behind it in `segment.blocks`.
        """
        rest = Block(block.segment, block.offset + size, block.nbytes - size)
        blocks = block.segment.blocks
        blocks.insert(blocks.index(block) + 1, rest)
        block.nbytes = size

    def free(self, block: Block) -> None:
        """Take a block back, and join it with its neighbors in the segment that are free.

        Nothing is returned. `allocated` shrinks by the block's size. Two free blocks are never adjacent in
        `segment.blocks`: what was one piece before it was cut is one piece again when all of it is free. Of blocks that
        are joined the first remains, with the sizes of all.

        Raises:
            RuntimeError: it is free already; then nothing changes.
        """
        if block.is_free:
            raise RuntimeError(f"the block at offset {block.offset} of a segment of {block.segment.nbytes} B is free")
        block.is_free = True
        self.allocated -= block.nbytes
        blocks = block.segment.blocks
        at = blocks.index(block)
        for first in (at, at - 1):  # the one behind it, then the one before it
            if 0 <= first < len(blocks) - 1 and blocks[first].is_free and blocks[first + 1].is_free:
                blocks[first].nbytes += blocks.pop(first + 1).nbytes

    def empty_cache(self) -> None:
        """Give back to the device each segment of which nothing is in use."""
        for segment in [segment for segment in self.segments if all(block.is_free for block in segment.blocks)]:
            self.segments.remove(segment)
            self.reserved -= segment.nbytes
            self.release(segment.memory)

    def reset_peak(self) -> None:
        """Count the most that was in use from now on."""
        self.max_allocated, self.max_reserved = self.allocated, self.reserved
