"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "cuda.caching_allocator.find_free_block": (
        """
def find_free_block(segments, size, stream):
    mine = [segment for segment in segments if (segment.stream, segment.is_small) == (stream, size <= SMALL_SIZE)]
    blocks = [block for segment in mine for block in segment.blocks if block.is_free]
    for block in sorted(blocks, key=lambda block: block.nbytes):
        if size <= block.nbytes:
            return block
""",
        """
def find_free_block(segments, size, stream):
    def will_do(block):
        segment = block.segment
        is_apart = segment.stream != stream or segment.is_small != (size <= SMALL_SIZE)
        return not is_apart and block.is_free and not block.nbytes < size

    found = [block for segment in segments for block in segment.blocks if will_do(block)]
    return min(found, key=lambda block: block.nbytes, default=None)
""",
    ),
    "cuda.caching_allocator.CachingAllocator": """
class CachingAllocator:
    def malloc(self, nbytes, stream=0):
        size = round_size(nbytes)
        block = find_free_block(self.segments, size, stream)
        if block is None:
            block = self.new_segment(size, stream)
        if should_split(block, size):
            self.split(block, size)
        block.is_free = False
        self.allocated = self.allocated + block.nbytes
        if self.allocated > self.max_allocated:
            self.max_allocated = self.allocated
        return block

    def split(self, block, size):
        segment = block.segment
        place = segment.blocks.index(block)
        segment.blocks[place + 1 : place + 1] = [Block(segment, block.offset + size, block.nbytes - size, True)]
        block.nbytes = size

    def free(self, block):
        if block.is_free:
            raise RuntimeError("this block is free already")
        block.is_free = True
        self.allocated -= block.nbytes
        joined = []
        for one in block.segment.blocks:
            if joined and joined[-1].is_free and one.is_free:
                joined[-1].nbytes += one.nbytes
            else:
                joined.append(one)
        block.segment.blocks[:] = joined
""",
}
