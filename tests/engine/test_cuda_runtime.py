"""The device beside its kernels: how CUDA begins, memory that is counted, streams, events, launches."""

import gc
import subprocess
import sys

import numpy as np
import pytest

import engine

cuda = engine.cuda


def in_a_new_process(program: str, **environment: str) -> str:
    """Return everything that a program prints, errors included."""
    import os

    clean = {name: value for name, value in os.environ.items() if name != "NUMBA_ENABLE_CUDASIM"}
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**clean, **environment}, check=False
    )
    return run.stdout + run.stderr


def test_importing_the_engine_imports_nothing_of_cuda():
    program = "import engine, sys; print('numba.cuda' in sys.modules, engine.cuda.is_initialized())"
    assert in_a_new_process(program).split() == ["False", "False"]


def test_the_simulator_is_turned_on_once_and_says_so(needs_no_gpu):
    program = "import engine as T; x = T.ones(2, device='cuda'); y = x + x; print(y.tolist(), T.cuda.is_simulated())"
    said = in_a_new_process(program)
    assert "[2.0, 2.0] True" in said and said.count("no GPU with a CUDA driver was found") == 1


@pytest.mark.slow
def test_a_program_that_has_imported_numba_cuda_before_loses_nothing(needs_no_gpu):
    program = "import numba.cuda, engine as T; print((T.ones(2, device='cuda') * 3).tolist(), T.cuda.is_available())"
    assert "[3.0, 3.0] False" in in_a_new_process(program)


@pytest.fixture
def needs_no_gpu():
    if cuda.is_available():
        pytest.skip("not run: the simulator (a GPU is there)")


# ---- memory


def test_memory_is_counted_in_blocks_of_512_bytes():
    gc.collect()
    before = cuda.memory_allocated()
    x = engine.empty(130, device="cuda")
    assert cuda.memory_allocated() - before == 1024 <= cuda.memory_reserved()
    view = x[10:]
    del x
    assert cuda.memory_allocated() - before == 1024, "a view holds the storage"
    del view
    assert cuda.memory_allocated() == before


def test_freed_memory_is_used_again_and_the_peak_is_kept():
    cuda.reset_peak_memory_stats()
    first = engine.empty(2000, device="cuda")
    address = first.data_ptr()
    peak = cuda.max_memory_allocated()
    del first
    assert engine.empty(2000, device="cuda").data_ptr() == address != 0
    assert cuda.max_memory_allocated() == peak >= 8192
    assert cuda.memory_stats()["allocated_bytes.all.peak"] == peak and "reserved_bytes" in cuda.memory_summary()


def test_what_nobody_uses_goes_back_to_the_device():
    x = engine.empty(3 << 20, device="cuda")
    reserved = cuda.memory_reserved()
    del x
    cuda.empty_cache()
    assert cuda.memory_reserved() <= reserved - (12 << 20)


def test_a_full_device_says_what_was_asked_allocated_and_reserved(monkeypatch):
    from engine.cuda import memory

    def no_room(nbytes):
        raise MemoryError

    monkeypatch.setattr(memory._allocator, "reserve", no_room)
    with pytest.raises(cuda.OutOfMemoryError, match=r"Tried to allocate 96.00 MiB. \d.* MiB are allocated .* reserved"):
        engine.empty(24 << 20, device="cuda")
    assert issubclass(cuda.OutOfMemoryError, RuntimeError)


def test_who_watches_hears_of_each_allocation_and_free():
    from engine.cuda import memory

    heard: list[int] = []
    listener = heard.append
    memory.watch(listener)
    try:
        x = engine.empty(10, device="cuda")
        del x
    finally:
        memory.unwatch(listener)
    assert heard == [512, -512]


# ---- streams and events


def test_a_stream_is_current_inside_its_block():
    stream, default = cuda.Stream(), cuda.current_stream()
    assert default == cuda.default_stream() and stream != default
    with cuda.stream(stream):
        assert cuda.current_stream() is stream
        x = engine.ones(3, device="cuda") + 1
    assert cuda.current_stream() == default and x.tolist() == [2.0, 2.0, 2.0]
    stream.synchronize()
    assert stream.query()


def test_events_measure_milliseconds_of_what_lies_between():
    begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    begin.record()
    engine.ones(3, device="cuda")
    end.record()
    cuda.synchronize()
    assert end.query() and 0 < begin.elapsed_time(end) < 10_000
    assert begin.is_host_clock == cuda.is_simulated()


def test_an_event_that_was_waited_for_has_happened_and_a_later_one_has_not(needs_no_gpu):
    first, second = cuda.Event(), cuda.Event()
    first.record()
    second.record()
    first.synchronize()
    assert first.query() and not second.query()


def test_an_event_that_nobody_has_waited_for_tells_no_time(needs_no_gpu):
    begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    begin.record()
    x = engine.ones(3, device="cuda")
    end.record()
    assert not end.query()
    with pytest.raises(RuntimeError, match="must be completed before calculating elapsed time: call synchronize"):
        begin.elapsed_time(end)
    x.cpu()  # a copy to the host waits
    assert end.query() and begin.elapsed_time(end) > 0


def test_events_that_can_not_tell_say_why():
    begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    begin.record()
    with pytest.raises(ValueError, match="Both events must be recorded before calculating elapsed time"):
        begin.elapsed_time(end)
    with pytest.raises(ValueError, match="created with argument 'enable_timing=True'"):
        begin.elapsed_time(cuda.Event())


# ---- launches


def test_who_watches_is_put_around_each_launch():
    from engine.cuda import launch

    seen = []

    def listener(name, grid, block, stream, run):
        seen.append((name, "before"))
        run()
        seen.append((name, "after"))

    x = engine.ones(3, device="cuda")
    launch.watch(listener)
    try:
        y = x * x
    finally:
        launch.unwatch(listener)
    assert seen == [("mul_contiguous", "before"), ("mul_contiguous", "after")] and y.tolist() == [1, 1, 1]
    x * x
    assert len(seen) == 2


def test_nothing_is_launched_for_no_elements():
    from engine.cuda import launch

    seen = []
    launch.watch(lambda name, *rest: seen.append(name))
    try:
        x = engine.empty(0, 3, device="cuda")
        assert (x + 1).shape == (0, 3) and (x * x).clone().fill_(2).tolist() == []
    finally:
        launch._listeners = ()
    assert seen == []


@pytest.mark.parametrize("count", [1, 7, 8, 9, 41])
def test_sizes_around_the_grid(count):
    """The simulator's grid has 8 threads: fewer, as many, more, and several rounds."""
    x = engine.arange(count).to("cuda")
    assert (x + x).tolist() == list(range(0, 2 * count, 2))


def test_a_grid_has_at_most_the_blocks_of_its_row():
    from engine.cuda.launch import SHAPES, grid_of

    for kind, (threads, blocks) in SHAPES.items():
        assert grid_of(kind, 1) == (1, threads) and grid_of(kind, 10**12) == (blocks, threads)


def test_an_operator_without_a_kernel_lists_the_keys_that_have_one():
    x = engine.ones(1, 1, 2, 2, device="cuda")
    with pytest.raises(NotImplementedError) as raised:
        engine.ops.aten._scaled_dot_product_flash_attention_for_cpu(x, x, x)
    first = str(raised.value).split("\n")[0]
    assert "with arguments from the 'CUDA' backend" in first and "only available for these backends: [CPU" in first


def test_keys_of_a_tensor_on_the_device():
    keys = engine._C._dispatch_keys(engine.ones(1, device="cuda"))
    names = {"CUDA", "ADInplaceOrView", "AutogradCUDA", "AutocastCUDA"}
    assert {key.name for key in keys} == names
    assert np.array_equal((engine.ones(2, device="cuda") * 2).cpu().numpy(), [2, 2])
