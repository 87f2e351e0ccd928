"""A generator and a discriminator of 32 x 32 images, both of convolutions (Radford et al. 2015); by two Adams."""

from collections.abc import Callable
from typing import Any

BATCH, LATENT, WIDTH = 16, 32, 16


def setup(T: Any) -> Callable[[], Any]:
    """Return a training step of both, which returns the sum of their losses."""
    nn = T.nn

    class Up(nn.Module):
        """A transposed convolution of 4 x 4."""

        def __init__(self, channels: int, width: int, stride: int = 2, padding: int = 1):
            super().__init__()
            self.weight = nn.Parameter(T.randn(channels, width, 4, 4) * 0.02)
            self.stride, self.padding = stride, padding

        def forward(self, x: Any) -> Any:
            return nn.functional.conv_transpose2d(x, self.weight, stride=self.stride, padding=self.padding)

    generator = nn.Sequential(
        Up(LATENT, 4 * WIDTH, 1, 0), nn.BatchNorm2d(4 * WIDTH), nn.ReLU(True),
        Up(4 * WIDTH, 2 * WIDTH), nn.BatchNorm2d(2 * WIDTH), nn.ReLU(True),
        Up(2 * WIDTH, WIDTH), nn.BatchNorm2d(WIDTH), nn.ReLU(True),
        Up(WIDTH, 3), nn.Tanh(),
    )  # fmt: skip
    discriminator = nn.Sequential(
        nn.Conv2d(3, WIDTH, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(WIDTH, 2 * WIDTH, 4, 2, 1, bias=False), nn.BatchNorm2d(2 * WIDTH), nn.LeakyReLU(0.2, inplace=True),
        nn.Conv2d(2 * WIDTH, 4 * WIDTH, 4, 2, 1, bias=False), nn.BatchNorm2d(4 * WIDTH),
        nn.LeakyReLU(0.2, inplace=True), nn.Conv2d(4 * WIDTH, 1, 4, 1, 0, bias=False), nn.Sigmoid(),
    )  # fmt: skip
    loss_of = nn.BCELoss()
    optimizer_g = T.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    optimizer_d = T.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    images, real, fake = T.rand(BATCH, 3, 32, 32) * 2 - 1, T.ones(BATCH), T.zeros(BATCH)

    def step() -> Any:
        discriminator.zero_grad()
        loss_real = loss_of(discriminator(images).view(-1), real)
        loss_real.backward()
        made = generator(T.randn(BATCH, LATENT, 1, 1))
        loss_fake = loss_of(discriminator(made.detach()).view(-1), fake)
        loss_fake.backward()
        optimizer_d.step()
        generator.zero_grad()
        loss_g = loss_of(discriminator(made).view(-1), real)
        loss_g.backward()
        optimizer_g.step()
        return loss_real.detach() + loss_fake.detach() + loss_g.detach()

    return step
