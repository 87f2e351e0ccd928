"""The gradient of each digit by one call for the whole batch, and training with gradients that are clipped one by one.

    python examples/per_sample_gradients.py            # on the engine
    python examples/per_sample_gradients.py --torch    # the same lines on PyTorch

Clipping, and noise on the sum, limit what a network can reveal of one digit: DP-SGD (Abadi et al., 2016).
"""

import importlib
import time

from digits import BATCH, TEST, T, accuracy, data

nn = T.nn
func = importlib.import_module(f"{T.__name__}.func")

LONGEST = 1.0  # norm that the gradient of a digit is clipped to
NOISE = 0.3  # standard deviation of the noise on a sum of gradients, as a multiple of LONGEST
RATE = 0.5
SHOWN = 100


def network():
    """A convolution, a pooling and a linear layer: 1,370 parameters."""
    convolution = nn.Conv2d(1, 8, 3, padding=1)
    return nn.Sequential(convolution, nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 10))


def gradient_and_loss(model):
    """Return a function of the parameters, one image and its label: the gradients of the loss, and the loss."""

    def loss(parameters, image, label):
        scores = func.functional_call(model, parameters, (image.unsqueeze(0),))
        return nn.functional.cross_entropy(scores, label.unsqueeze(0))

    return func.grad_and_value(loss)


def one_by_one(function, parameters, images, labels):
    """The gradients of each digit, by one call per digit."""
    found = [function(parameters, image, label)[0] for image, label in zip(images, labels, strict=True)]
    return {name: T.stack([each[name] for each in found]) for name in parameters}


def losses(model, images, labels, epochs):
    """Train with clipped gradients and noise, and yield the loss of each step."""
    parameters = {name: parameter.detach() for name, parameter in model.named_parameters()}
    batched = func.vmap(gradient_and_loss(model), in_dims=(None, 0, 0))
    for _ in range(epochs):
        for batch in T.randperm(len(labels)).split(BATCH):
            gradients, loss = batched(parameters, images[batch], labels[batch])
            norms = sum(each.flatten(1).square().sum(1) for each in gradients.values()).sqrt()
            factors = (LONGEST / norms).clamp(max=1)
            for name, parameter in parameters.items():
                total = T.tensordot(factors, gradients[name], dims=1) + NOISE * LONGEST * T.randn(parameter.shape)
                parameter.sub_(total, alpha=RATE / len(batch))
            yield loss.mean().item()


def main():
    T.manual_seed(0)
    images, labels = data()
    model = network()
    function = gradient_and_loss(model)
    given = {name: parameter.detach() for name, parameter in model.named_parameters()}, images[:SHOWN], labels[:SHOWN]
    for _ in range(2):  # the first time, kernels are compiled
        begin = time.perf_counter()
        together, _ = func.vmap(function, in_dims=(None, 0, 0))(*given)
        middle = time.perf_counter()
        looped = one_by_one(function, *given)
        end = time.perf_counter()
    print(f"gradients of {SHOWN} digits: at once {middle - begin:.3f} s, one by one {end - middle:.3f} s")
    print(f"greatest difference: {max((together[name] - looped[name]).abs().max().item() for name in looped):.1e}")
    steps = list(losses(model, images[TEST:], labels[TEST:], epochs=5))
    print(f"losses {' '.join(f'{loss:.4f}' for loss in steps[:8])} ... {sum(steps[-20:]) / 20:.4f}")
    print(f"test accuracy {accuracy(model, images[:TEST], labels[:TEST]):.1%}")


if __name__ == "__main__":
    main()
