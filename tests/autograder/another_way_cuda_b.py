"""Right answers to the second half of lab 6, written another way."""

ANOTHER_WAY = {
    "cuda.gemm.naive_kernel": """
def naive_kernel(kind):
    @cuda.jit
    def product(sizes, alpha, left, p, of_left, right, q, of_right, beta, target, o, of_target):
        batch, m, n, k = sizes
        for number in range(cuda.grid(1), batch * m * n, cuda.gridsize(1)):
            matrix = number // (m * n)
            i = (number - matrix * m * n) // n
            j = number - matrix * m * n - i * n
            total = kind(0)
            for t in range(k - 1, -1, -1):
                total += (left[p + matrix * of_left[0] + i * of_left[1] + t * of_left[2]]
                          * right[q + matrix * of_right[0] + t * of_right[1] + j * of_right[2]])
            cell = o + matrix * of_target[0] + i * of_target[1] + j * of_target[2]
            if beta == 0:
                target[cell] = alpha * total
            else:
                target[cell] = alpha * total + beta * target[cell]

    return product
""",
    "cuda.gemm.tiled_kernel": """
def tiled_kernel(kind, is_row_a, is_row_b, side=T):
    across_a = side if is_row_a else pitch_of(kind, side)
    across_b = side if is_row_b else pitch_of(kind, side)

    @cuda.jit
    def tiles(sizes, alpha, a, p, a_steps, b, q, b_steps, beta, c, o, c_steps):
        tile_a = cuda.shared.array(side * across_a, kind)
        tile_b = cuda.shared.array(side * across_b, kind)
        batch, m, n, k = sizes
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        columns = -(-n // side)
        rows = -(-m // side)
        tile = cuda.blockIdx.x
        while tile < batch * rows * columns:
            matrix = tile // (rows * columns)
            i = tile // columns % rows * side
            j = tile % columns * side
            total = kind(0)
            first = 0
            while first < k:
                if is_row_a:
                    row, step = y, x
                else:
                    row, step = x, y
                value = kind(0)
                if i + row < m and first + step < k:
                    value = a[p + matrix * a_steps[0] + (i + row) * a_steps[1] + (first + step) * a_steps[2]]
                tile_a[row * across_a + step] = value
                if is_row_b:
                    step, column = y, x
                else:
                    step, column = x, y
                value = kind(0)
                if first + step < k and j + column < n:
                    value = b[q + matrix * b_steps[0] + (first + step) * b_steps[1] + (j + column) * b_steps[2]]
                tile_b[step * across_b + column] = value
                cuda.syncthreads()
                for u in range(min(side, k - first)):
                    total += tile_a[y * across_a + u] * tile_b[u * across_b + x]
                cuda.syncthreads()
                first += side
            if i + y < m and j + x < n:
                cell = o + matrix * c_steps[0] + (i + y) * c_steps[1] + (j + x) * c_steps[2]
                if beta != 0:
                    total = alpha * total + beta * c[cell]
                else:
                    total = alpha * total
                c[cell] = total
            tile += cuda.gridDim.x

    return tiles
""",
    "cuda.gemm_tile.multiplier_of": """
def multiplier_of(tile):
    vectors = tile.rows // tile.lanes
    apart = tile.side // vectors

    def fragment(shared, at):
        numbers = load_shared(shared, at)
        for vector in range(1, vectors):
            numbers = numbers + load_shared(shared, at + vector * apart)
        return numbers

    read = device_function(fragment)

    def multiply(sums, of_a, at_a, of_b, at_b):
        for step in range(tile.depth):
            x, y = read(of_a, at_a + step * tile.pitch), read(of_b, at_b + step * tile.pitch)
            sums = add_outer(sums, x, y)
        return sums

    return device_function(multiply)
""",
    "cuda.bias_activation.bias_activation_kernel": """
def bias_activation_kernel(activate):
    @cuda.jit
    def layer(sizes, beta, bias, p, bias_steps, out, o, out_steps):
        rows, columns = sizes
        for number in range(cuda.grid(1), rows * columns, cuda.gridsize(1)):
            row = number // columns
            column = number - row * columns
            cell = o + row * out_steps[0] + column * out_steps[1]
            if beta == 0:
                out[cell] = activate(out[cell])
            else:
                out[cell] = activate(beta * bias[p + row * bias_steps[0] + column * bias_steps[1]] + out[cell])

    return layer
""",
    "cuda.queue.schedule": """
def schedule(calls, overhead):
    clock, ends, marks, answer = 0, {}, {}, []

    def at_least(stream):
        return max(clock, ends.get(stream, clock))

    for name, *rest in calls:
        if name == "host":
            clock += rest[0]
            answer.append(Times(clock, clock, clock))
            continue
        clock += overhead
        if name == "synchronize":
            for stream in list(ends) if rest[0] is None else rest:
                clock = at_least(stream)
            answer.append(Times(clock, clock, clock))
            continue
        stream, last = rest
        begin = at_least(stream)
        if name == "wait":
            begin = max(begin, marks.get(last, begin))
        if name == "record":
            marks[last] = begin
        ends[stream] = begin + (last if name == "launch" else 0)
        answer.append(Times(clock, begin, ends[stream]))
    return answer
""",
    "cuda.caching_allocator.find_free_block": """
def find_free_block(segments, size, stream):
    mine = [segment for segment in segments if (segment.stream, segment.is_small) == (stream, size <= SMALL_SIZE)]
    blocks = [block for segment in mine for block in segment.blocks if block.is_free]
    for block in sorted(blocks, key=lambda block: block.nbytes):
        if size <= block.nbytes:
            return block
""",
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
