"""Wrong answers to cuda.caching_allocator.find_free_block, cuda.caching_allocator.CachingAllocator."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

FIND_FREE_BLOCK = "cuda.caching_allocator.find_free_block"
ALLOCATOR = "cuda.caching_allocator.CachingAllocator"
SPLIT = """
    def split(self, block, size):
        rest = Block(block.segment, block.offset + size, block.nbytes - size)
        blocks = block.segment.blocks
        blocks.insert(blocks.index(block) + 1, rest)
        block.nbytes = size
"""
MALLOC = """
    def malloc(self, nbytes, stream=0):
        size = round_size(nbytes)
        block = find_free_block(self.segments, size, stream) or self.new_segment(size, stream)
        if should_split(block, size):
            self.split(block, size)
        block.is_free = False
        self.allocated += block.nbytes
        self.max_allocated = max(self.max_allocated, self.allocated)
        return block
"""
FREE = """
    def free(self, block):
        if block.is_free:
            raise RuntimeError("the block is free")
        block.is_free = True
        self.allocated -= block.nbytes
        blocks = block.segment.blocks
        at = blocks.index(block)
        for first in (at, at - 1):
            if 0 <= first < len(blocks) - 1 and blocks[first].is_free and blocks[first + 1].is_free:
                blocks[first].nbytes += blocks.pop(first + 1).nbytes
"""

WRONG_ANSWERS = (
    WrongAnswer(FIND_FREE_BLOCK, "sorts the blocks of the segments", ("ordinary", "apart"), """
def find_free_block(segments, size, stream):
    best = None
    for segment in segments:
        if segment.stream == stream and segment.is_small == (size <= SMALL_SIZE):
            segment.blocks.sort(key=lambda block: block.nbytes)
            for block in segment.blocks:
                if block.is_free and block.nbytes >= size and (best is None or block.nbytes < best.nbytes):
                    best = block
    return best
"""),
    WrongAnswer(FIND_FREE_BLOCK, "only a larger block will do", ("ordinary", "apart"),
        ("if block.is_free and block.nbytes >= size and (best is None or block.nbytes < best.nbytes):",
         "if block.is_free and block.nbytes > size and (best is None or block.nbytes < best.nbytes):"),
    ),
    WrongAnswer(FIND_FREE_BLOCK, "of equal ones the last", ("ordinary", "apart"),
        ("if block.is_free and block.nbytes >= size and (best is None or block.nbytes < best.nbytes):",
         "if block.is_free and block.nbytes >= size and (best is None or block.nbytes <= best.nbytes):"),
    ),
    WrongAnswer(ALLOCATOR, "counts before there is a block: wrong after a refusal", ("malloc",),
                "class CachingAllocator:" + """
    def malloc(self, nbytes, stream=0):
        size = round_size(nbytes)
        self.allocated += size
        block = find_free_block(self.segments, size, stream) or self.new_segment(size, stream)
        if should_split(block, size):
            self.split(block, size)
        block.is_free = False
        self.allocated += block.nbytes - size
        self.max_allocated = max(self.max_allocated, self.allocated)
        return block
""" + SPLIT + FREE),
    WrongAnswer(ALLOCATOR, "returns None where there is no room", ("malloc",), "class CachingAllocator:" + """
    def malloc(self, nbytes, stream=0):
        size = round_size(nbytes)
        block = find_free_block(self.segments, size, stream)
        if block is None:
            try:
                block = self.new_segment(size, stream)
            except MemoryError:
                return None
        if should_split(block, size):
            self.split(block, size)
        block.is_free = False
        self.allocated += block.nbytes
        self.max_allocated = max(self.max_allocated, self.allocated)
        return block
""" + SPLIT + FREE),
    WrongAnswer(ALLOCATOR, "counts a second free before it refuses", ("free",), "class CachingAllocator:" + MALLOC
                + SPLIT + """
    def free(self, block):
        self.allocated -= block.nbytes
        if block.is_free:
            raise RuntimeError("the block is free")
        block.is_free = True
        blocks = block.segment.blocks
        at = blocks.index(block)
        for first in (at, at - 1):
            if 0 <= first < len(blocks) - 1 and blocks[first].is_free and blocks[first + 1].is_free:
                blocks[first].nbytes += blocks.pop(first + 1).nbytes
"""),
    WrongAnswer(ALLOCATOR, "the rest knows no segment", ("malloc", "free"), "class CachingAllocator:" + MALLOC
                + SPLIT.replace("Block(block.segment,", "Block(None,") + FREE),
    WrongAnswer(ALLOCATOR, "the peak is not kept", ("malloc",), "class CachingAllocator:"
                + MALLOC.replace("self.max_allocated = max(self.max_allocated, self.allocated)",
                                 "self.max_allocated = self.allocated") + SPLIT + FREE),
    WrongAnswer(FIND_FREE_BLOCK, "first fit", ("ordinary", "apart"), """
def find_free_block(segments, size, stream):
    for segment in segments:
        if segment.stream == stream and segment.is_small == (size <= SMALL_SIZE):
            for block in segment.blocks:
                if block.is_free and block.nbytes >= size:
                    return block
"""),
    WrongAnswer(FIND_FREE_BLOCK, "best fit in the first segment that has any", ("ordinary", "apart"), """
def find_free_block(segments, size, stream):
    for segment in segments:
        if segment.stream == stream and segment.is_small == (size <= SMALL_SIZE):
            fitting = [block for block in segment.blocks if block.is_free and block.nbytes >= size]
            if fitting:
                return min(fitting, key=lambda block: block.nbytes)
"""),
    WrongAnswer(FIND_FREE_BLOCK, "blocks of all streams", ("apart",), """
def find_free_block(segments, size, stream):
    fitting = [block for segment in segments if segment.is_small == (size <= SMALL_SIZE)
               for block in segment.blocks if block.is_free and block.nbytes >= size]
    return min(fitting, key=lambda block: block.nbytes, default=None)
"""),
    WrongAnswer(FIND_FREE_BLOCK, "one pool for all sizes", ("apart",), """
def find_free_block(segments, size, stream):
    fitting = [block for segment in segments if segment.stream == stream
               for block in segment.blocks if block.is_free and block.nbytes >= size]
    return min(fitting, key=lambda block: block.nbytes, default=None)
"""),
    WrongAnswer(FIND_FREE_BLOCK, "worst fit", ("ordinary", "apart"), """
def find_free_block(segments, size, stream):
    fitting = [block for segment in segments if segment.stream == stream and segment.is_small == (size <= SMALL_SIZE)
               for block in segment.blocks if block.is_free and block.nbytes >= size]
    return max(fitting, key=lambda block: block.nbytes, default=None)
"""),
    WrongAnswer(FIND_FREE_BLOCK, "takes the block as well", ("ordinary", "apart"), """
def find_free_block(segments, size, stream):
    fitting = [block for segment in segments if segment.stream == stream and segment.is_small == (size <= SMALL_SIZE)
               for block in segment.blocks if block.is_free and block.nbytes >= size]
    best = min(fitting, key=lambda block: block.nbytes, default=None)
    if best is not None:
        best.is_free = False
    return best
"""),
    WrongAnswer(ALLOCATOR, "of two that are joined the second stays", ("free",), "class CachingAllocator:" + MALLOC
                + SPLIT + FREE.replace("blocks[first].nbytes += blocks.pop(first + 1).nbytes", '''
                gone = blocks.pop(first)
                blocks[first].offset, blocks[first].nbytes = gone.offset, gone.nbytes + blocks[first].nbytes''')),
    WrongAnswer(ALLOCATOR, "never merges", ("free",), "class CachingAllocator:" + MALLOC + SPLIT + '''
    def free(self, block):
        if block.is_free:
            raise RuntimeError("the block is free")
        block.is_free = True
        self.allocated -= block.nbytes
'''),
    WrongAnswer(ALLOCATOR, "merges only with the block behind", ("free",),
                "class CachingAllocator:" + MALLOC + SPLIT + FREE.replace("(at, at - 1)", "(at,)")),
    WrongAnswer(ALLOCATOR, "frees twice", ("free",), "class CachingAllocator:" + MALLOC + SPLIT
                + FREE.replace('if block.is_free:\n            raise RuntimeError("the block is free")', "pass")),
    WrongAnswer(ALLOCATOR, "splits whenever something is left", ("malloc",), "class CachingAllocator:"
                + MALLOC.replace("should_split(block, size)", "block.nbytes > size") + SPLIT + FREE),
    WrongAnswer(ALLOCATOR, "counts what was asked for, not what was given", ("malloc",),
                "class CachingAllocator:" + MALLOC.replace("+= block.nbytes", "+= nbytes") + SPLIT + FREE),
    WrongAnswer(ALLOCATOR, "the rest is at the end of the segment", ("malloc", "free"), "class CachingAllocator:"
                + MALLOC + SPLIT.replace("blocks.insert(blocks.index(block) + 1, rest)", "blocks.append(rest)") + FREE),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        ALLOCATOR, "if 0 <= first < len(blocks) - 1 and blocks[first].is_free and blocks[first + 1].is_free:",
        "if 0 <= first != len(blocks) - 1 and blocks[first].is_free and blocks[first + 1].is_free:",
        "no block stands behind the last one",
    ),
)  # fmt: skip
