"""Inference mode: every operator has the results there that PyTorch has, of ordinary and of inference tensors."""

import pytest
from compare import needs_torch, torch

import engine

pytestmark = needs_torch

if torch is not None:
    from conformance import op_db, scope
    from conformance.calls import differences, outcome
    from conformance.forms import applies, exists, forms

    KINDS = scope.OPERATORS | {name: kind for name, kind in scope.LATER.items() if exists(engine, op_db.INFOS[name])}
    del KINDS["nn.functional.batch_norm.without_cudnn"]  # the same operator; has no inputs on the CPU
else:
    KINDS = {"each of them": ""}  # not run

SAMPLES = 2


def inside(call, inferred):
    """The form `call` in inference mode, on the arguments or on their clones, which are inference tensors there.

    It returns the result and, for each tensor in it, whether that is an inference tensor.
    """

    def form(T, value, args, kwargs):
        with T.inference_mode():
            if inferred:
                value, args, kwargs = (cloned(T, part) for part in (value, args, kwargs))
            result = call(T, value, args, kwargs)
            return [result, [entry.is_inference() for entry in tensors(T, result)]]

    return form


def cloned(T, value):
    if isinstance(value, T.Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {key: cloned(T, entry) for key, entry in value.items()}
    return type(value)(cloned(T, entry) for entry in value) if type(value) in (list, tuple) else value


def tensors(T, result):
    """The tensors of a result."""
    if isinstance(result, T.Tensor):
        return [result]
    return [tensor for entry in result for tensor in tensors(T, entry)] if isinstance(result, (list, tuple)) else []


def failures(info, kind):
    """The differences of an operator's first samples, and the number of calls."""
    found, calls = [], 0
    dtypes = op_db.dtypes(info)
    dtype = torch.float64 if torch.float64 in dtypes else dtypes[0]  # in float32 the order of a sum shows
    for sample, why in op_db.samples(info, dtype, SAMPLES):
        for name, call in forms(info).items():
            if why or name == "out=" or not applies(name, sample):
                continue
            for inferred in (False, True):
                ours, theirs = (outcome(T, inside(call, inferred), sample, kind) for T in (engine, torch))
                calls += 1
                found += [f"{name}, {inferred=}, {sample}: {what}" for what in differences(ours, theirs, kind)]
    return found, calls


@pytest.mark.parametrize("name", KINDS)
def test_operator_in_inference_mode_is_pytorchs(name):
    found, calls = failures(op_db.INFOS[name], KINDS[name])
    assert calls
    assert not found, "\n".join(found[:3])


def test_an_inference_tensor_is_written_to_in_its_mode_only():
    with engine.inference_mode():
        made = engine.ones(2)
        made += 1
        made[engine.tensor([0])] = 5.0
    assert made.tolist() == [5.0, 2.0]
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        made += 1
