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
    """A contiguous range of device memory, allocated in one call.

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
    """The bytes offset..offset + nbytes of a segment."""

    segment: Segment
    offset: int
    nbytes: int
    is_free: bool = True


def round_size(nbytes: int) -> int:
    """Return the size of the block for a request: `nbytes` rounded up to a multiple of 512, at least 512.

    Source: CUDACachingAllocator.cpp, round_size.
    """
    return max(MIN_BLOCK_SIZE, -(-nbytes // MIN_BLOCK_SIZE) * MIN_BLOCK_SIZE)


def allocation_size(nbytes: int) -> int:
    """Return the size of the segment to allocate on the device for a block of `nbytes`, which are rounded already.

    Source: CUDACachingAllocator.cpp, get_allocation_size.
    """
    if nbytes <= SMALL_SIZE:
        return SMALL_BUFFER
    if nbytes < MIN_LARGE_ALLOC:
        return LARGE_BUFFER
    return -(-nbytes // ROUND_LARGE) * ROUND_LARGE


def should_split(block: Block, nbytes: int) -> bool:
    """Return True if the bytes of a block beyond `nbytes` are worth a separate block.

    Source: CUDACachingAllocator.cpp, should_split.
    """
    remaining = block.nbytes - nbytes
    return remaining >= MIN_BLOCK_SIZE if block.segment.is_small else remaining > SMALL_SIZE


def find_free_block(segments: Sequence[Segment], size: int, stream: int) -> Block | None:
    """Return the free block that best fits a request, or None if no block fits.

    A block will do if it is free, has at least `size` bytes, and is in a segment of this stream and of the right pool:
    requests of at most SMALL_SIZE bytes go to segments that are small, all others to segments that are not. The best
    fit is the smallest such block; of several the first, in the order of the segments, then of their blocks. No segment
    and no block changes.

    Args:
        segments: all segments of the allocator, of all streams.
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
    """An allocator that hands out blocks of segments and caches freed blocks for reuse.

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
        """Allocate a block of at least `nbytes` for the kernels of a stream.

        The request is rounded by `round_size`. It gets the block of `find_free_block`, or of `new_segment` if there is
        none. The block is split if `should_split` says that its rest is worth a block. `allocated` grows by the size of
        the block that is given out, and `max_allocated` is the most that it ever was.

        Raises:
            MemoryError: `new_segment` raises it if the device has no more memory, even after all free segments were
                given back. Then nothing is in use or counted that was not before, and later calls work. The same goes
                for any other exception of `new_segment`.
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
        """Allocate a segment on the device and return its only block; if out of memory, empty the cache and retry."""
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
        """Split a free block in two, the first one of `size` bytes.

        `block` itself becomes the first part. The rest is a new free `Block`, right behind it in `segment.blocks`.
        """
        rest = Block(block.segment, block.offset + size, block.nbytes - size)
        blocks = block.segment.blocks
        blocks.insert(blocks.index(block) + 1, rest)
        block.nbytes = size

    def free(self, block: Block) -> None:
        """Free a block, and merge it with its free neighbors in the segment.

        `allocated` shrinks by the block's size. Afterwards no two free blocks are adjacent in `segment.blocks`: a piece
        that was split is one block again when all of it is free. When blocks are merged the first one remains, with the
        bytes of all. Nothing is returned.

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
        """Return each segment with no block in use to the device."""
        for segment in [segment for segment in self.segments if all(block.is_free for block in segment.blocks)]:
            self.segments.remove(segment)
            self.reserved -= segment.nbytes
            self.release(segment.memory)

    def reset_peak(self) -> None:
        """Reset the peaks of allocated and reserved bytes to the current numbers."""
        self.max_allocated, self.max_reserved = self.allocated, self.reserved
