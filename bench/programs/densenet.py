"""A DenseNet of 48 layers on 32 x 32 images (Huang et al. 2017), by SGD with momentum."""

from collections.abc import Callable
from typing import Any

BATCH, GROWTH, BLOCKS, CLASSES = 8, 16, (6, 8, 8), 10


def setup(T: Any) -> Callable[[], Any]:
    """Return a training step, which returns the loss."""
    nn, F = T.nn, T.nn.functional

    class DenseLayer(nn.Module):
        """The input, followed by `GROWTH` new channels."""

        def __init__(self, channels: int):
            super().__init__()
            self.norm1 = nn.BatchNorm2d(channels)
            self.conv1 = nn.Conv2d(channels, 4 * GROWTH, 1, bias=False)
            self.norm2 = nn.BatchNorm2d(4 * GROWTH)
            self.conv2 = nn.Conv2d(4 * GROWTH, GROWTH, 3, padding=1, bias=False)

        def forward(self, x: Any) -> Any:
            new = self.conv1(F.relu(self.norm1(x)))
            new = self.conv2(F.relu(self.norm2(new)))
            return T.cat([x, new], 1)

    def transition(channels: int) -> Any:
        convolution = nn.Conv2d(channels, channels // 2, 1, bias=False)
        return nn.Sequential(nn.BatchNorm2d(channels), nn.ReLU(), convolution, nn.AvgPool2d(2))

    channels = 2 * GROWTH
    stem = nn.Conv2d(3, channels, 3, stride=2, padding=1, bias=False)
    layers = [stem]
    for number, block in enumerate(BLOCKS):
        if number:
            layers.append(transition(channels))
            channels //= 2
        for _ in range(block):
            layers.append(DenseLayer(channels))
            channels += GROWTH
    pooled = [nn.BatchNorm2d(channels), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    model = nn.Sequential(*layers, *pooled, nn.Linear(channels, CLASSES))
    optimizer = T.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9, weight_decay=1e-4)
    images, labels = T.randn(BATCH, 3, 32, 32), T.randint(0, CLASSES, (BATCH,))

    def step() -> Any:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        return loss

    return step
