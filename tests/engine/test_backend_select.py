"""Factories have no tensor that names a backend: their key is computed from dtype, layout and device."""

import pytest
from compare import engine, needs_torch
from fresh import assert_agree, error_of, keys

from engine.dispatch.backend_select import compute_dispatch_key
from engine.dispatch.keys import DispatchKey


def lines_of(program):
    with engine.dispatch.trace() as steps:
        program()
    return [str(step).strip() for step in steps]


@pytest.mark.parametrize(
    ("device", "key"),
    [(None, "CPU"), ("cpu", "CPU"), ("meta", "Meta"), ("cuda", "CUDA"), ("cuda:1", "CUDA"),
     ("privateuseone", "PrivateUse1")],
)  # fmt: skip
@pytest.mark.parametrize("layout", [None, engine.strided])
@pytest.mark.parametrize("dtype", [None, engine.float32, engine.bool])
def test_the_key_of_a_factory_is_that_of_its_device(dtype, layout, device, key):
    device = None if device is None else engine.device(device)
    assert compute_dispatch_key(dtype, layout, device) is DispatchKey[key]


def test_a_layout_without_a_backend_is_refused():
    with pytest.raises(RuntimeError, match="only torch.strided"):
        compute_dispatch_key(None, "sparse_coo", None)


@pytest.mark.parametrize(("device", "key"), [("cpu", "CPU"), ("meta", "Meta")])
def test_a_factory_goes_by_backend_select_to_the_key_of_its_device(device, key):
    assert lines_of(lambda: engine.empty(2, device=device)) == [
        "[call] op=[aten::empty.memory_format], key=[BackendSelect]",
        f"[redispatch] op=[aten::empty.memory_format], key=[{key}]",
    ]


def test_randn_is_an_empty_tensor_that_is_filled():
    with engine.dispatch.trace() as steps:
        x = engine.randn(3)
    assert [(step.op.removeprefix("aten::"), step.key.name, step.depth) for step in steps] == [
        ("randn", "BackendSelect", 1),
        ("randn", "CPU", 2),
        ("empty.memory_format", "BackendSelect", 3),
        ("empty.memory_format", "CPU", 4),
        ("normal_", "CPU", 3),
    ]
    assert x._version == 0, "a method or function of the binding makes a tensor of version 0"


@needs_torch
@pytest.mark.parametrize(
    "call",
    ["randn([3])", "rand([3])", "zeros([3])", "ones([3])", "full([3], 2)", "arange(3)", "empty.memory_format([3])",
     "randint(9, [3])", "empty_strided([3], [1])"],
)  # fmt: skip
def test_the_version_of_a_new_tensor_counts_what_was_written_below_the_binding(call):
    def program(T, fresh):
        through_ops = eval(f"T.ops.aten.{call}", {"T": T})
        through_binding = eval(f"T.{call.replace('.memory_format', '')}", {"T": T})
        return through_ops._version, through_binding._version

    assert_agree(program)


@needs_torch
@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_a_kernel_at_a_backend_serves_the_factory_of_that_device(device):
    def program(T, fresh):
        kept, log = T.tensor([5.0, 6.0]), []
        keys_of_backend = "CPU" if device == "cpu" else "Meta"
        library = T.library.Library("aten", "IMPL")
        try:
            library.impl("empty.memory_format", lambda *args, **kwargs: log.append(len(args)) or kept, keys_of_backend)
            made = T.empty(2, device=device)
        finally:
            library._destroy()
        return made.tolist(), log

    assert_agree(program)


@needs_torch
def test_a_factory_of_a_library_may_have_its_own_backend_select():
    def program(T, fresh):
        x, log = T.ones(1), []
        fresh.define("make(int n, *, Device? device=None) -> Tensor")
        op = fresh.ops.make.default
        backends = {None: "CPU", "cpu": "CPU", "meta": "Meta"}

        def select(n, *, device=None):
            backend = backends[device and device.type]
            log.append(backend)
            return op.redispatch(keys(T, backend), n, device=device)

        fresh.impl("make", select, "BackendSelect")
        for backend in ("CPU", "Meta"):
            fresh.impl("make", lambda n, *, device=None, backend=backend: log.append(f"at {backend}") or x, backend)
        for device in ({}, {"device": "cpu"}, {"device": T.device("meta")}):
            op(3, **device)
        return log

    assert_agree(program)


@needs_torch
def test_a_factory_without_backend_select_finds_no_key():
    def program(T, fresh):
        fresh.define("make(int n) -> Tensor")
        fresh.impl("make", lambda n: T.ones(n), "CPU")
        return error_of(lambda: fresh.ops.make(3)).partition("Available")[0]

    assert_agree(program)
