"""A small transformer that predicts the next symbol, its attention written out (Vaswani et al. 2017); by AdamW."""

import math
from collections.abc import Callable
from typing import Any

BATCH, LENGTH, SYMBOLS, WIDTH, HEADS, LAYERS = 8, 32, 64, 64, 4, 2


def setup(T: Any) -> Callable[[], Any]:
    """Return a training step, which returns the loss."""
    nn, F = T.nn, T.nn.functional

    class Attention(nn.Module):
        """Each position looks at itself and those before it, with several heads."""

        def __init__(self) -> None:
            super().__init__()
            self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.register_buffer("mask", T.tril(T.ones(LENGTH, LENGTH)).view(1, 1, LENGTH, LENGTH))

        def forward(self, x: Any) -> Any:
            batch, length, width = x.size()
            q, k, v = (
                part.view(batch, length, HEADS, width // HEADS).transpose(1, 2)
                for part in self.qkv(x).split(width, dim=2)
            )
            scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
            scores = scores.masked_fill(self.mask[:, :, :length, :length] == 0, float("-inf"))
            mixed = F.softmax(scores, dim=-1) @ v
            return self.out(mixed.transpose(1, 2).contiguous().view(batch, length, width))

    class Block(nn.Module):
        """Attention and a network of two layers, each beside a shortcut."""

        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.attention = Attention()
            self.mlp = nn.Sequential(
                nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH), nn.Dropout(0.1)
            )

        def forward(self, x: Any) -> Any:
            x = x + self.attention(self.norm1(x))
            return x + self.mlp(self.norm2(x))

    class Model(nn.Module):
        """Symbols to the scores of the next one."""

        def __init__(self) -> None:
            super().__init__()
            self.symbols, self.positions = nn.Embedding(SYMBOLS, WIDTH), nn.Embedding(LENGTH, WIDTH)
            self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
            self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, SYMBOLS, bias=False)

        def forward(self, text: Any) -> Any:
            x = self.symbols(text) + self.positions(T.arange(text.size(1)))
            return self.head(self.norm(self.blocks(x)))

    model = Model()
    optimizer = T.optim.AdamW(model.parameters(), lr=1e-3)
    text = T.randint(0, SYMBOLS, (BATCH, LENGTH + 1))

    def step() -> Any:
        scores = model(text[:, :-1])
        loss = F.cross_entropy(scores.view(-1, SYMBOLS), text[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        T.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss

    return step
