"""Wrong answers to the caching allocator, the model of queues and the fused kernel of lab 6."""

from autograder.mutants.model import Equivalent, WrongAnswer

FIND = "cuda.caching_allocator.find_free_block"
ALLOCATOR = "cuda.caching_allocator.CachingAllocator"
SCHEDULE = "cuda.queue.schedule"
FUSED = "cuda.bias_activation.bias_activation_kernel"

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
SPLIT = """
    def split(self, block, size):
        rest = Block(block.segment, block.offset + size, block.nbytes - size)
        blocks = block.segment.blocks
        blocks.insert(blocks.index(block) + 1, rest)
        block.nbytes = size
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
FUSED_HEAD = """
def bias_activation_kernel(activate):
    def bias_activation(sizes, beta, bias, p, bias_steps, out, o, out_steps):
        m, n = sizes
"""
QUEUE_HEAD = """
def schedule(calls, overhead):
    now, free, happens, times = 0, {}, {}, []
    for call, *what in calls:
        now += what[0] if call == "host" else overhead
        begin = end = now
"""

WRONG_ANSWERS = (
    WrongAnswer(FIND, "first fit", ("ordinary", "apart"), '''
def find_free_block(segments, size, stream):
    for segment in segments:
        if segment.stream == stream and segment.is_small == (size <= SMALL_SIZE):
            for block in segment.blocks:
                if block.is_free and block.nbytes >= size:
                    return block
'''),
    WrongAnswer(FIND, "best fit in the first segment that has any", ("ordinary", "apart"), '''
def find_free_block(segments, size, stream):
    for segment in segments:
        if segment.stream == stream and segment.is_small == (size <= SMALL_SIZE):
            fitting = [block for block in segment.blocks if block.is_free and block.nbytes >= size]
            if fitting:
                return min(fitting, key=lambda block: block.nbytes)
'''),
    WrongAnswer(FIND, "blocks of all streams", ("apart",), '''
def find_free_block(segments, size, stream):
    fitting = [block for segment in segments if segment.is_small == (size <= SMALL_SIZE)
               for block in segment.blocks if block.is_free and block.nbytes >= size]
    return min(fitting, key=lambda block: block.nbytes, default=None)
'''),
    WrongAnswer(FIND, "one pool for all sizes", ("apart",), '''
def find_free_block(segments, size, stream):
    fitting = [block for segment in segments if segment.stream == stream
               for block in segment.blocks if block.is_free and block.nbytes >= size]
    return min(fitting, key=lambda block: block.nbytes, default=None)
'''),
    WrongAnswer(FIND, "worst fit", ("ordinary", "apart"), '''
def find_free_block(segments, size, stream):
    fitting = [block for segment in segments if segment.stream == stream and segment.is_small == (size <= SMALL_SIZE)
               for block in segment.blocks if block.is_free and block.nbytes >= size]
    return max(fitting, key=lambda block: block.nbytes, default=None)
'''),
    WrongAnswer(FIND, "takes the block as well", ("ordinary", "apart"), '''
def find_free_block(segments, size, stream):
    fitting = [block for segment in segments if segment.stream == stream and segment.is_small == (size <= SMALL_SIZE)
               for block in segment.blocks if block.is_free and block.nbytes >= size]
    best = min(fitting, key=lambda block: block.nbytes, default=None)
    if best is not None:
        best.is_free = False
    return best
'''),
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
    WrongAnswer(ALLOCATOR, "counts what was asked for, not what was given", ("malloc", "free"),
                "class CachingAllocator:" + MALLOC.replace("+= block.nbytes", "+= nbytes") + SPLIT + FREE),
    WrongAnswer(ALLOCATOR, "the rest stands at the end of the segment", ("free",), "class CachingAllocator:" + MALLOC
                + SPLIT.replace("blocks.insert(blocks.index(block) + 1, rest)", "blocks.append(rest)") + FREE),
    WrongAnswer(SCHEDULE, "a launch waits for its kernel", ("ordinary", "streams"), QUEUE_HEAD + '''
        if call == "launch":
            now = end = begin + what[1]
        elif call == "record":
            happens[what[1]] = now
        elif call == "wait":
            begin = end = max(now, happens.get(what[1], 0))
        times.append(Times(now, begin, end))
    return times
'''),
    WrongAnswer(SCHEDULE, "streams and events in one dict", ("streams",), QUEUE_HEAD + '''
        if call in ("launch", "record", "wait"):
            stream, last = what
            begin = end = max(now, free.get(stream, 0))
            if call == "launch":
                end = begin + last
            elif call == "record":
                free[last] = end
            else:
                begin = end = max(end, free.get(last, 0))
            free[stream] = end
        elif call == "synchronize":
            begin = end = now = max([now, *(free.values() if what[0] is None else [free.get(what[0], 0)])])
        times.append(Times(now, begin, end))
    return times
'''),
    WrongAnswer(SCHEDULE, "one queue for all streams", ("streams",), QUEUE_HEAD + '''
        if call in ("launch", "record", "wait"):
            begin = end = max(now, free.get(0, 0))
            if call == "launch":
                end = begin + what[1]
            elif call == "record":
                happens[what[1]] = end
            else:
                begin = end = max(end, happens.get(what[1], 0))
            free[0] = end
        elif call == "synchronize":
            begin = end = now = max(now, free.get(0, 0))
        times.append(Times(now, begin, end))
    return times
'''),
    WrongAnswer(SCHEDULE, "a wait stops the host", ("streams",), QUEUE_HEAD + '''
        if call in ("launch", "record"):
            begin = end = max(now, free.get(what[0], 0))
            if call == "launch":
                end = begin + what[1]
            else:
                happens[what[1]] = end
            free[what[0]] = end
        elif call == "wait":
            begin = end = now = max(now, free.get(what[0], 0), happens.get(what[1], 0))
        elif call == "synchronize":
            begin = end = now = max([now, *(free.values() if what[0] is None else [free.get(what[0], 0)])])
        times.append(Times(now, begin, end))
    return times
'''),
    WrongAnswer(SCHEDULE, "an event happens when it is recorded by the host", ("ordinary", "streams"), QUEUE_HEAD + '''
        if call in ("launch", "wait"):
            begin = end = max(now, free.get(what[0], 0))
            if call == "launch":
                end = begin + what[1]
            else:
                begin = end = max(end, happens.get(what[1], 0))
            free[what[0]] = end
        elif call == "record":
            happens[what[1]] = now
        elif call == "synchronize":
            begin = end = now = max([now, *(free.values() if what[0] is None else [free.get(what[0], 0)])])
        times.append(Times(now, begin, end))
    return times
'''),
    WrongAnswer(SCHEDULE, "synchronize without a stream waits for the default stream", ("streams",), QUEUE_HEAD + '''
        if call in ("launch", "record", "wait"):
            stream, last = what
            begin = end = max(now, free.get(stream, 0))
            if call == "launch":
                end = begin + last
            elif call == "record":
                happens[last] = end
            else:
                begin = end = max(end, happens.get(last, 0))
            free[stream] = end
        elif call == "synchronize":
            begin = end = now = max(now, free.get(what[0] or 0, 0))
        times.append(Times(now, begin, end))
    return times
'''),
    WrongAnswer(FUSED, "two passes: the sum travels through memory", ("once",), FUSED_HEAD + '''
        element = cuda.grid(1)
        while element < m * n:
            i, j = element // n, element % n
            at = o + i * out_steps[0] + j * out_steps[1]
            if beta != 0:
                out[at] += beta * bias[p + i * bias_steps[0] + j * bias_steps[1]]
            out[at] = activate(out[at])
            element += cuda.gridsize(1)
    return cuda.jit(bias_activation)
'''),
    WrongAnswer(FUSED, "loads the bias also where beta is 0", ("ordinary", "once"), FUSED_HEAD + '''
        element = cuda.grid(1)
        while element < m * n:
            i, j = element // n, element % n
            at = o + i * out_steps[0] + j * out_steps[1]
            out[at] = activate(out[at] + beta * bias[p + i * bias_steps[0] + j * bias_steps[1]])
            element += cuda.gridsize(1)
    return cuda.jit(bias_activation)
'''),
    WrongAnswer(FUSED, "the activation before the bias", ("ordinary", "once"), FUSED_HEAD + '''
        element = cuda.grid(1)
        while element < m * n:
            i, j = element // n, element % n
            at = o + i * out_steps[0] + j * out_steps[1]
            x = activate(out[at])
            if beta != 0:
                x += beta * bias[p + i * bias_steps[0] + j * bias_steps[1]]
            out[at] = x
            element += cuda.gridsize(1)
    return cuda.jit(bias_activation)
'''),
    WrongAnswer(FUSED, "the activation hard-coded", ("ordinary", "once"), FUSED_HEAD + '''
        element = cuda.grid(1)
        while element < m * n:
            i, j = element // n, element % n
            at = o + i * out_steps[0] + j * out_steps[1]
            x = out[at]
            if beta != 0:
                x += beta * bias[p + i * bias_steps[0] + j * bias_steps[1]]
            out[at] = x if x > 0 else 10 * x
            element += cuda.gridsize(1)
    return cuda.jit(bias_activation)
'''),
    WrongAnswer(FUSED, "no steps of the grid", ("ordinary", "once"), FUSED_HEAD + '''
        element = cuda.grid(1)
        if element < m * n:
            i, j = element // n, element % n
            at = o + i * out_steps[0] + j * out_steps[1]
            x = out[at]
            if beta != 0:
                x += beta * bias[p + i * bias_steps[0] + j * bias_steps[1]]
            out[at] = activate(x)
    return cuda.jit(bias_activation)
'''),
    WrongAnswer(FUSED, "the first block does everything", ("once",), FUSED_HEAD + '''
        element = m * n if cuda.blockIdx.x else cuda.threadIdx.x
        while element < m * n:
            i, j = element // n, element % n
            at = o + i * out_steps[0] + j * out_steps[1]
            x = out[at]
            if beta != 0:
                x += beta * bias[p + i * bias_steps[0] + j * bias_steps[1]]
            out[at] = activate(x)
            element += cuda.blockDim.x
    return cuda.jit(bias_activation)
'''),
    WrongAnswer(FUSED, "a thread goes through a row", ("once",), FUSED_HEAD + '''
        i = cuda.grid(1)
        while i < m:
            for j in range(n):
                at = o + i * out_steps[0] + j * out_steps[1]
                x = out[at]
                if beta != 0:
                    x += beta * bias[p + i * bias_steps[0] + j * bias_steps[1]]
                out[at] = activate(x)
            i += cuda.gridsize(1)
    return cuda.jit(bias_activation)
'''),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        ALLOCATOR, "if 0 <= first < len(blocks) - 1 and blocks[first].is_free and blocks[first + 1].is_free:",
        "if 0 <= first != len(blocks) - 1 and blocks[first].is_free and blocks[first + 1].is_free:",
        "no block stands behind the last one",
    ),
)  # fmt: skip
