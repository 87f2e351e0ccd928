"""The programs of lab 2 on the whole engine: what they give, by numbers worked out by hand, and by PyTorch's."""

import engine
from autograder.labs.dispatch.program.probe import on_the_cpu, registered, run


def test_values_and_gradients_are_those_worked_out_by_hand():
    found = run(engine)
    # (ones(2, 3) @ full((3, 2), 0.5) * by).relu() is 1.5 * by; its sum's derivative by w is 2 rows * by.
    assert found["y"] == [[3.0, 3.0]] * 2 and found["gradient"] == [[4.0, 4.0]] * 3
    assert found["y on the device"] == [[4.5, 4.5]] * 2 and found["gradient on the device"] == [[6.0, 6.0]] * 3
    assert set(found["devices"]) == {"privateuseone"} and found["requires grad below autograd"] is False


def test_calls_go_where_the_text_says_that_they_go():
    found = run(engine)
    assert found["keys of add_"] == ["AutogradCPU", "ADInplaceOrView", "CPU"]
    assert found["graph"] == "%1 = aten::neg(%0)\n%2 = aten::add.Tensor(%1, %0, 1)"
    assert found["table"] == {"CPU": "math", "AutogradCPU": "math", "Tracer": "fallback"}


def test_the_newest_kernel_serves_at_once():
    assert registered(engine) == {
        "results": [[2.0, 2.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0], True, [5.0, 5.0]],
        "kernels": {"CompositeImplicitAutograd": 1, "CPU": 2, "Autograd": 1},
    }


def test_the_programs_leave_nothing_behind():
    before = set(engine.dispatch.registry.operators), dict(engine.dispatch.registry.fallbacks)
    assert run(engine) == run(engine) and registered(engine) == registered(engine) and on_the_cpu(engine)
    assert before == (set(engine.dispatch.registry.operators), engine.dispatch.registry.fallbacks)


def test_pytorch_gives_the_same_values_and_gradients(pytorch):
    torch = pytorch

    w = torch.full((3, 2), 0.5, requires_grad=True)
    y = (torch.matmul(torch.ones(2, 3), w) * 2).relu()
    y.sum().backward()
    found = run(engine)
    assert (found["y"], found["gradient"]) == (y.tolist(), w.grad.tolist())
