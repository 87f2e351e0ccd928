"""A variational autoencoder of 28 x 28 images (Kingma & Welling 2014), by Adam."""

from collections.abc import Callable
from typing import Any

BATCH, PIXELS, HIDDEN, LATENT = 128, 784, 400, 20


def setup(T: Any) -> Callable[[], Any]:
    """Return a training step, which returns the loss."""
    nn, F = T.nn, T.nn.functional

    class VAE(nn.Module):
        """Images to mean and log variance of a code; a code drawn from them to an image."""

        def __init__(self) -> None:
            super().__init__()
            self.fc1 = nn.Linear(PIXELS, HIDDEN)
            self.mean, self.log_variance = nn.Linear(HIDDEN, LATENT), nn.Linear(HIDDEN, LATENT)
            self.fc3, self.fc4 = nn.Linear(LATENT, HIDDEN), nn.Linear(HIDDEN, PIXELS)

        def forward(self, x: Any) -> Any:
            hidden = F.relu(self.fc1(x.view(-1, PIXELS)))
            mean, log_variance = self.mean(hidden), self.log_variance(hidden)
            deviation = T.exp(0.5 * log_variance)
            code = mean + T.randn_like(deviation) * deviation
            return T.sigmoid(self.fc4(F.relu(self.fc3(code)))), mean, log_variance

    model = VAE()
    optimizer = T.optim.Adam(model.parameters(), lr=1e-3)
    images = T.rand(BATCH, 1, 28, 28)

    def step() -> Any:
        optimizer.zero_grad()
        made, mean, log_variance = model(images)
        reconstruction = F.binary_cross_entropy(made, images.view(-1, PIXELS), reduction="sum")
        divergence = -0.5 * T.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
        loss = reconstruction + divergence
        loss.backward()
        optimizer.step()
        return loss

    return step
