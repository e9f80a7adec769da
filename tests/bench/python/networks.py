"""Small networks of the usual kinds, written once for garboard and for PyTorch.

Each function takes the library and returns a model with a batch for it: what goes in, and classes.
"""

from collections.abc import Callable
from typing import Any

__all__ = ["NETWORKS"]

VOCABULARY, WIDTH = 1000, 128


def plain_cnn(lib: Any) -> tuple[Any, Any, Any]:
    nn = lib.nn
    model = nn.Sequential(
        *(nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(64 * 8 * 8, 128), nn.ReLU(), nn.Dropout(0.5)),
        nn.Linear(128, 10),
    )
    return model, lib.rand(64, 3, 32, 32), lib.zeros(64, dtype=lib.int64)


def residual_cnn(lib: Any) -> tuple[Any, Any, Any]:
    nn, relu = lib.nn, lib.nn.functional.relu

    class Residual(nn.Module):
        def __init__(self, channels: int, outputs: int, stride: int) -> None:
            super().__init__()
            self.first = nn.Conv2d(channels, outputs, 3, stride, padding=1, bias=False)
            self.first_norm = nn.BatchNorm2d(outputs)
            self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
            self.second_norm = nn.BatchNorm2d(outputs)
            self.skip = nn.Conv2d(channels, outputs, 1, stride, bias=False)

        def forward(self, x: Any) -> Any:
            y = relu(self.first_norm(self.first(x)))
            return relu(self.second_norm(self.second(y)) + self.skip(x))

    model = nn.Sequential(
        *(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2)),
        *(Residual(32, 32, 1), Residual(32, 64, 2)),
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)),
    )
    return model, lib.rand(64, 3, 32, 32), lib.zeros(64, dtype=lib.int64)


def lstm(lib: Any) -> tuple[Any, Any, Any]:
    nn = lib.nn

    class Recurrent(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(VOCABULARY, 64)
            self.lstm = nn.LSTM(64, WIDTH, 2, batch_first=True)
            self.head = nn.Linear(WIDTH, VOCABULARY)

        def forward(self, tokens: Any) -> Any:
            return self.head(self.lstm(self.embedding(tokens))[0]).flatten(0, 1)

    return Recurrent(), *tokens(lib, 32, 32)


def transformer(lib: Any) -> tuple[Any, Any, Any]:
    nn = lib.nn
    layer = nn.TransformerEncoderLayer(WIDTH, 8, 4 * WIDTH, batch_first=True)
    model = nn.Sequential(
        nn.Embedding(VOCABULARY, WIDTH),
        nn.TransformerEncoder(layer, 2, enable_nested_tensor=False),
        *(nn.Linear(WIDTH, VOCABULARY), nn.Flatten(0, 1)),
    )
    return model, *tokens(lib, 16, 64)


def gpt(lib: Any) -> tuple[Any, Any, Any]:
    """As people write it themselves: attention by one call, residual sums around it."""
    nn, attention = lib.nn, lib.nn.functional.scaled_dot_product_attention

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])
            self.inward, self.outward = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            wide = nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
            self.wide, self.dropout = nn.Sequential(*wide), nn.Dropout(0.1)

        def forward(self, x: Any) -> Any:
            rows, length, _ = x.shape
            query, key, value = (
                part.view(rows, length, 8, WIDTH // 8).transpose(1, 2)
                for part in self.inward(self.norms[0](x)).split(WIDTH, dim=2)
            )
            seen = attention(query, key, value, is_causal=True)
            seen = seen.transpose(1, 2).reshape(rows, length, WIDTH)
            x = x + self.dropout(self.outward(seen))
            return x + self.dropout(self.wide(self.norms[1](x)))

    model = nn.Sequential(
        *(nn.Embedding(VOCABULARY, WIDTH), Block(), Block()),
        *(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY), nn.Flatten(0, 1)),
    )
    return model, *tokens(lib, 16, 64)


def tokens(lib: Any, rows: int, length: int) -> tuple[Any, Any]:
    return lib.zeros(rows, length, dtype=lib.int64), lib.zeros(rows * length, dtype=lib.int64)


NETWORKS: dict[str, Callable[[Any], tuple[Any, Any, Any]]] = {
    "CNN with residuals, batch 64": residual_cnn,
    "plain CNN, batch 64": plain_cnn,
    "LSTM, two layers, batch 32": lstm,
    "transformer encoder, two layers, batch 16": transformer,
    "GPT, two blocks, batch 16": gpt,
}
