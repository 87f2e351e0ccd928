"""A few of the random registrations, call traces and threads that `make conformance` runs many of."""

import pytest
from compare import needs_torch, torch


@needs_torch
@pytest.mark.parametrize("first_seed", range(0, 60, 20))
def test_tables_of_random_registrations_are_pytorchs(first_seed):
    from conformance import dispatch_tables

    assert not dispatch_tables.check(20, first_seed)


@needs_torch
@pytest.mark.parametrize("first_seed", range(0, 60, 20))
def test_calls_go_through_the_kernels_that_pytorchs_do(first_seed):
    from conformance import dispatch_calls

    assert not dispatch_calls.check(20, first_seed)


def test_no_thread_sees_a_table_half_made():
    from conformance import threads

    assert not threads.check(1.0, threads=16)


@needs_torch
def test_the_comparison_notices_another_kernel():
    from conformance.dispatch_tables import table_of_torch
    from conformance.registrations import Action, Side

    side = Side(torch, "conformance_notices", "op(Tensor x) -> Tensor", lambda number: lambda x: x, lambda number: None)
    for number, action in enumerate(
        (Action("define"), Action("impl", "CPU"), Action("impl", "CompositeExplicitAutograd"))
    ):
        assert side.run(number, action) is None
    table = table_of_torch("conformance_notices::op")
    side.close()
    assert (
        table["CPU"] == (1, "kernel") and table["CUDA"] == (2, "default") and table["AutogradCPU"] == (None, "fallback")
    )
