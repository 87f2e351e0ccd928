"""A ResNet of fourteen layers on 32 x 32 images (He et al. 2016), by SGD with momentum."""

from collections.abc import Callable
from typing import Any

BATCH, WIDTHS, BLOCKS, CLASSES = 16, (16, 32, 64), 2, 10


def setup(T: Any) -> Callable[[], Any]:
    """Return a training step, which returns the loss."""
    nn, F = T.nn, T.nn.functional

    class BasicBlock(nn.Module):
        """Two convolutions beside a shortcut."""

        def __init__(self, channels: int, width: int, stride: int):
            super().__init__()
            self.conv1 = nn.Conv2d(channels, width, 3, stride=stride, padding=1, bias=False)
            self.norm1 = nn.BatchNorm2d(width)
            self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
            self.norm2 = nn.BatchNorm2d(width)
            self.shortcut = nn.Sequential()
            if channels != width:
                projection = nn.Conv2d(channels, width, 1, stride=stride, bias=False)
                self.shortcut = nn.Sequential(projection, nn.BatchNorm2d(width))

        def forward(self, x: Any) -> Any:
            out = F.relu(self.norm1(self.conv1(x)))
            out = self.norm2(self.conv2(out))
            out += self.shortcut(x)
            return F.relu(out)

    channels = WIDTHS[0]
    layers = [nn.Conv2d(3, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU()]
    for width in WIDTHS:
        for _ in range(BLOCKS):
            layers.append(BasicBlock(channels, width, stride=1 if channels == width else 2))
            channels = width
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, CLASSES))
    optimizer = T.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    images, labels = T.randn(BATCH, 3, 32, 32), T.randint(0, CLASSES, (BATCH,))

    def step() -> Any:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        return loss

    return step
