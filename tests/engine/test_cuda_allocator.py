"""The caching allocator, as bookkeeping: against a model that keeps every byte, and PyTorch's sizes."""

import random

import pytest

from engine.cuda import caching_allocator as c10
from engine.cuda.caching_allocator import CachingAllocator

MIB = 1 << 20


class Device:
    """A device with a fixed number of bytes, given out once."""

    def __init__(self, room: int = 64 * MIB):
        self.room, self.reserved, self.calls = room, [], 0

    def reserve(self, nbytes: int) -> list:
        self.calls += 1
        if sum(size for (size,) in self.reserved) + nbytes > self.room:
            raise MemoryError
        self.reserved.append([nbytes])
        return self.reserved[-1]

    def release(self, memory: list) -> None:
        self.reserved.remove(memory)


def made(room: int = 64 * MIB) -> tuple[CachingAllocator, Device]:
    device = Device(room)
    return CachingAllocator(device.reserve, device.release), device


@pytest.mark.parametrize(
    ("nbytes", "rounded", "segment"),
    [(0, 512, 2 * MIB), (1, 512, 2 * MIB), (512, 512, 2 * MIB), (513, 1024, 2 * MIB), (MIB, MIB, 2 * MIB),
     (MIB + 1, MIB + 512, 20 * MIB), (10 * MIB - 512, 10 * MIB - 512, 20 * MIB), (10 * MIB, 10 * MIB, 10 * MIB),
     (11 * MIB, 11 * MIB, 12 * MIB)],
)  # fmt: skip
def test_sizes_are_pytorchs(nbytes, rounded, segment):
    assert c10.round_size(nbytes) == rounded and c10.allocation_size(rounded) == segment


def test_what_is_freed_is_given_out_again():
    allocator, device = made()
    first = allocator.malloc(1000)
    allocator.free(first)
    assert allocator.malloc(900) is first and device.calls == 1


def test_a_large_free_block_is_split_and_joined_again():
    allocator, device = made()
    blocks = [allocator.malloc(300_000) for _ in range(4)]
    assert len({id(block.segment) for block in blocks}) == 1 and device.calls == 1
    assert allocator.allocated == 4 * c10.round_size(300_000) and allocator.reserved == 2 * MIB
    for block in (blocks[1], blocks[3], blocks[2], blocks[0]):
        allocator.free(block)
    (segment,) = allocator.segments
    assert [(block.offset, block.nbytes) for block in segment.blocks] == [(0, 2 * MIB)]


def test_a_block_of_one_stream_is_not_given_to_another():
    allocator, device = made()
    first = allocator.malloc(1000, stream=1)
    allocator.free(first)
    assert allocator.malloc(1000, stream=2) is not first and device.calls == 2


def test_the_smallest_block_that_fits_is_taken():
    allocator, _ = made()
    large, wall, small, _ = (allocator.malloc(n) for n in (8192, 512, 2048, 512))
    allocator.free(large)
    allocator.free(small)
    assert allocator.malloc(2000) is small


def test_a_full_device_gets_back_what_is_free_before_the_allocator_gives_up():
    allocator, device = made(room=25 * MIB)
    allocator.free(allocator.malloc(12 * MIB))
    big = allocator.malloc(20 * MIB)
    assert device.reserved == [[20 * MIB]] and big.nbytes == 20 * MIB
    with pytest.raises(MemoryError):
        allocator.malloc(10 * MIB)
    assert allocator.allocated == allocator.reserved == 20 * MIB


def test_a_block_is_freed_once():
    allocator, _ = made()
    block = allocator.malloc(10)
    allocator.free(block)
    with pytest.raises(RuntimeError, match="is free"):
        allocator.free(block)


@pytest.mark.parametrize("seed", range(5))
def test_no_byte_is_given_out_twice(seed):
    """Random calls against sets of bytes, in units of 512."""
    rng, (allocator, _) = random.Random(seed), made(room=1 << 40)
    held: dict = {}
    for _ in range(400):
        if held and rng.random() < 0.45:
            allocator.free(held.pop(rng.choice(list(held)))[0])
        else:
            nbytes = rng.choice([1, 700, 5000, 300_000, 2 * MIB, 15 * MIB])
            block = allocator.malloc(nbytes, stream=rng.randrange(2))
            held[id(block)] = (block, nbytes)
        assert allocator.allocated == sum(block.nbytes for block, _ in held.values())
    for segment in allocator.segments:
        ends = [block.offset + block.nbytes for block in segment.blocks]
        assert [block.offset for block in segment.blocks] == [0, *ends[:-1]] and ends[-1] == segment.nbytes
    assert all(block.nbytes >= nbytes and not block.is_free for block, nbytes in held.values())
    for block, _ in held.values():
        allocator.free(block)
    allocator.empty_cache()
    assert allocator.segments == [] and allocator.reserved == 0 and allocator.max_allocated > 0
