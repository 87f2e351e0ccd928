"""Ten small networks, trained at once: their parameters are stacked, and each operator computes all ten.

    python examples/ten_networks.py            # on the engine
    python examples/ten_networks.py --torch    # the same lines on PyTorch

Each has its own first parameters. The same ten are then trained one after the other, with the same losses.
"""

import copy
import importlib
import time

from digits import BATCH, TEST, T, data

nn = T.nn
func = importlib.import_module(f"{T.__name__}.func")

NETWORKS = 10
EPOCHS = 2
RATE = 0.2


def network():
    """Two linear layers: 1,210 parameters."""
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 10))


def at_once(networks, images, labels, batches):
    """Train all networks by the same calls, and yield the losses (networks,) of each step."""
    stacked, buffers = func.stack_module_state(networks)
    parameters = {name: parameter.detach() for name, parameter in stacked.items()}

    def loss(parameters, images, labels):
        return nn.functional.cross_entropy(func.functional_call(networks[0], parameters, (images,)), labels)

    step = func.vmap(func.grad_and_value(loss), in_dims=(0, None, None))
    for batch in batches:
        gradients, losses = step(parameters, images[batch], labels[batch])
        for name, parameter in parameters.items():
            parameter.sub_(gradients[name], alpha=RATE)
        yield losses


def by_itself(model, images, labels, batches):
    """Train one network, and yield the loss of each step."""
    optimizer = T.optim.SGD(model.parameters(), lr=RATE)
    for batch in batches:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])
        loss.backward()
        optimizer.step()
        yield loss.detach()


def both(networks, images, labels, batches):
    """Return the losses (steps, networks) of both ways of training, and the seconds of each."""
    alone = copy.deepcopy(networks)
    begin = time.perf_counter()
    together = T.stack(list(at_once(networks, images, labels, batches)))
    middle = time.perf_counter()
    separate = [T.stack(list(by_itself(model, images, labels, batches))) for model in alone]
    return together, T.stack(separate, dim=1), middle - begin, time.perf_counter() - middle


def main():
    T.manual_seed(0)
    images, labels = data()
    images, labels = images[TEST:], labels[TEST:]
    networks = [network() for _ in range(NETWORKS)]
    batches = [batch for _ in range(EPOCHS) for batch in T.randperm(len(labels)).split(BATCH)]
    both(networks, images, labels, batches[:3])  # kernels are compiled
    together, separate, seconds, of_separate = both(networks, images, labels, batches)
    print(f"first losses {' '.join(f'{loss.item():.4f}' for loss in together[0])}")
    print(f"last losses  {' '.join(f'{loss.item():.4f}' for loss in together[-1])}")
    print(f"greatest difference from ten runs: {(together - separate).abs().max().item():.1e}")
    print(f"at once {seconds:.2f} s, one after the other {of_separate:.2f} s")


if __name__ == "__main__":
    main()
