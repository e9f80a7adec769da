"""The programs whose allocations are recorded: ordinary PyTorch, with shapes drawn from seeds.

Their sizes are those of people who train on one machine: 1 to 4 GiB live at the peak.
"""

from collections.abc import Callable, Iterable
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

VOCABULARY = 16000


def train(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    batches: Iterable[tuple[Tensor, Tensor]],
    loss_of: Callable[[Tensor, Tensor], Tensor] = functional.cross_entropy,
) -> float:
    total = 0.0
    for x, y in batches:
        loss = loss_of(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


def mlp() -> None:
    """Adam on 784-5120-5120-5120-10, 10 batches of 4096."""
    torch.manual_seed(1)
    sizes = (784, 5120, 5120, 5120, 10)
    layers = [layer for pair in pairwise(sizes) for layer in (nn.Linear(*pair), nn.ReLU())]
    model = nn.Sequential(*layers[:-1])
    batches = ((torch.rand(4096, 784), torch.randint(10, (4096,))) for _ in range(10))
    train(model, torch.optim.Adam(model.parameters(), lr=1e-3), batches)


class Residual(nn.Module):
    """Two convolutions around which the input passes; the first may halve the image."""

    def __init__(self, channels: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, outputs, 3, stride, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(outputs)
        self.skip = nn.Conv2d(channels, outputs, 1, stride, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.first_norm(self.first(x)))
        return functional.relu(self.second_norm(self.second(y)) + self.skip(x))


def cnn() -> None:
    """SGD with momentum on a residual network, 30 batches of 64 images of 64 to 248 pixels."""
    torch.manual_seed(2)
    channels = (32, 32, 64, 128, 256)
    blocks = [Residual(c, outputs, 1 + (c < outputs)) for c, outputs in pairwise(channels)]
    ends = (nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels[-1], 100))
    model = nn.Sequential(nn.Conv2d(3, channels[0], 7, 2, padding=3), nn.ReLU(), *blocks, *ends)
    sides = (8 * int(torch.randint(8, 32, ())) for _ in range(30))
    batches = ((torch.rand(64, 3, side, side), torch.randint(100, (64,))) for side in sides)
    train(model, torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9), batches)


class Recurrent(nn.Module):
    """Predicts the next of `VOCABULARY` tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 512)
        self.lstm = nn.LSTM(512, 1024, num_layers=2, batch_first=True)
        self.head = nn.Linear(1024, VOCABULARY)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.lstm(self.embedding(tokens))[0])


def next_token_loss(scores: Tensor, tokens: Tensor) -> Tensor:
    return functional.cross_entropy(scores.flatten(0, 1), tokens.flatten())


def token_batches(count: int, rows: int, low: int, high: int) -> Iterable[tuple[Tensor, Tensor]]:
    """Batches of `rows` sentences, of low to high - 1 tokens."""
    for _ in range(count):
        length = int(torch.randint(low, high, ()))
        tokens = torch.randint(VOCABULARY, (rows, length + 1))
        yield tokens[:, :-1], tokens[:, 1:]


def lstm() -> None:
    """Adam on two layers of 1024, 20 batches of 32 sentences of 16 to 143 tokens."""
    torch.manual_seed(3)
    model = Recurrent()
    optimizer = torch.optim.Adam(model.parameters())
    train(model, optimizer, token_batches(20, 32, 16, 144), next_token_loss)


class Attention(nn.Module):
    """Attention of 8 heads, causal; `cache` is prolonged by what is seen now."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inward, self.outward = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: Tensor, cache: list[Tensor] | None = None) -> Tensor:
        rows, length, width = x.shape
        query, key, value = (
            part.view(rows, length, 8, width // 8).transpose(1, 2)
            for part in self.inward(x).split(width, dim=2)
        )
        if cache is not None:
            key, value = (torch.cat(pair, dim=2) for pair in zip(cache, (key, value), strict=True))
            cache[:] = key, value
        scores = query @ key.transpose(2, 3) / (width // 8) ** 0.5
        if cache is None:
            future = torch.ones(length, length, dtype=torch.bool).triu(1)
            scores = scores.masked_fill(future, float("-inf"))
        seen = functional.softmax(scores, dim=3) @ value
        return self.outward(seen.transpose(1, 2).reshape(rows, length, width))


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first_norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: Tensor, cache: list[Tensor] | None = None) -> Tensor:
        x = x + self.attention(self.first_norm(x), cache)
        return x + self.mlp(self.second_norm(x))


class Transformer(nn.Module):
    """A decoder of `depth` blocks over `VOCABULARY` tokens."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))
        self.head = nn.Linear(width, VOCABULARY)

    def forward(self, tokens: Tensor, caches: list[list[Tensor]] | None = None) -> Tensor:
        x = self.embedding(tokens)
        for number, block in enumerate(self.blocks):
            x = block(x, caches[number] if caches else None)
        return self.head(x)


def transformer() -> None:
    """AdamW on 6 blocks of 768, 20 batches of 8 sentences of 64 to 383 tokens."""
    torch.manual_seed(4)
    model = Transformer(768, 6)
    optimizer = torch.optim.AdamW(model.parameters())
    train(model, optimizer, token_batches(20, 8, 64, 384), next_token_loss)


@torch.no_grad()
def decoding() -> None:
    """6 requests of 1 to 16 rows and 64 to 831 tokens, 60 more each; caches by concatenation."""
    torch.manual_seed(5)
    model = Transformer(1024, 12)
    for _ in range(6):
        rows, length = int(torch.randint(1, 17, ())), int(torch.randint(64, 832, ()))
        caches = [[torch.zeros(rows, 8, length, 128) for _ in "kv"] for _ in model.blocks]
        tokens = torch.randint(VOCABULARY, (rows, 1))
        for _ in range(60):
            tokens = model(tokens, caches)[:, -1:].argmax(dim=2)


PROGRAMS = (mlp, cnn, lstm, transformer, decoding)
