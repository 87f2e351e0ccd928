"""A small convolutional network learns to read digits: 1,797 of 8 x 8 pixels, which come with scikit-learn.

    python examples/digits.py            # on the engine
    python examples/digits.py --torch    # the same lines on PyTorch

Both print the same losses: the same seed gives the same weights and the same order of the digits.
"""

import importlib
import signal
import sys
import time

if __name__ == "__main__":
    signal.signal(signal.SIGINT, lambda *_: sys.exit("\nstopped"))  # one line instead of a traceback
    print("loading", "torch" if "--torch" in sys.argv else "engine", "and the digits", flush=True)

from sklearn.datasets import load_digits

T = importlib.import_module("torch" if "--torch" in sys.argv else "engine")
nn = T.nn

TEST = 360  # digits that are kept for the test
BATCH = 32
EPOCHS = 10


def data():
    """Return images (1797, 1, 8, 8) with pixels in 0..1 and labels (1797,), shuffled."""
    digits = load_digits()
    images = T.tensor(digits.images / 16, dtype=T.float32).unsqueeze(1)
    labels = T.tensor(digits.target)
    order = T.randperm(len(labels))
    return images[order], labels[order]


def network():
    """Two convolutions, each with a pooling, and a linear layer: 6,090 parameters."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 2 * 2, 10),
    )


def losses(model, images, labels, epochs):
    """Train, and yield the loss of each step."""
    optimizer = T.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for _ in range(epochs):
        for batch in T.randperm(len(labels)).split(BATCH):
            loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss.item()


def accuracy(model, images, labels):
    """The share of digits that are read right."""
    with T.no_grad():
        return (model(images).argmax(dim=1) == labels).sum().item() / len(labels)


def main():
    begin = time.perf_counter()
    T.manual_seed(0)
    images, labels = data()
    model = network()
    count = sum(parameter.numel() for parameter in model.parameters())
    print(f"training {count:,} parameters on {len(labels) - TEST:,} digits for {EPOCHS} epochs", flush=True)
    steps = []
    print("first losses:", end="", flush=True)
    for loss in losses(model, images[TEST:], labels[TEST:], EPOCHS):
        steps.append(loss)
        if len(steps) <= 20:
            print(f" {loss:.5f}", end="" if len(steps) < 20 else "\n", flush=True)
    print(f"last losses:  {sum(steps[-20:]) / 20:.4f} on average")
    print(f"test accuracy: {accuracy(model, images[:TEST], labels[:TEST]):.1%}")
    print(f"{time.perf_counter() - begin:.1f} s with {T.__name__}")


if __name__ == "__main__":
    main()
