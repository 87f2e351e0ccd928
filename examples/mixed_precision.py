"""One network trained three times on the same digits: in float32, and with products in bfloat16 and in float16.

    python examples/mixed_precision.py            # on the engine
    python examples/mixed_precision.py --torch    # the same lines on PyTorch

With float16 the first scale of the loss is too large: gradients overflow, and steps are skipped until it fits.
"""

from digits import BATCH, TEST, T, accuracy, data

nn = T.nn

PRECISIONS = {"float32": None, "bfloat16": T.bfloat16, "float16": T.float16}
SHOWN = 8


def network():
    """Two linear layers: 2,410 parameters."""
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))


def losses(model, images, labels, dtype, epochs):
    """Train, and yield the loss of each step and the scale after it."""
    optimizer = T.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scaler = T.amp.GradScaler("cpu", init_scale=2.0**22, growth_interval=100, enabled=dtype is T.float16)
    for _ in range(epochs):
        for batch in T.randperm(len(labels)).split(BATCH):
            optimizer.zero_grad()
            with T.autocast("cpu", dtype=dtype, enabled=dtype is not None):
                loss = nn.functional.cross_entropy(model(images[batch]), labels[batch])
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            yield loss.item(), scaler.get_scale()


def main():
    for name, dtype in PRECISIONS.items():
        T.manual_seed(0)
        images, labels = data()
        model = network()
        steps = list(losses(model, images[TEST:], labels[TEST:], dtype, epochs=5))
        share = accuracy(model, images[:TEST], labels[:TEST])
        print(f"{name:9} losses {' '.join(f'{loss:.4f}' for loss, _ in steps[:SHOWN])}")
        print(f"{'':9} scales {' '.join(f'{scale:,.0f}' for _, scale in steps[:SHOWN])}; test accuracy {share:.1%}")


if __name__ == "__main__":
    main()
