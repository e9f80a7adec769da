"""Nodes of a graph tell their class: a convolution and attention over edges, both by scatter."""

from __future__ import annotations

from typing import Any

import numpy as np

from examples.shared import Step, equal_start

NODES, EDGES, CLASSES = 80, 400, 4


def build(lib: Any) -> Step:
    """Make the network and the step that trains it."""
    nn, functional = lib.nn, lib.nn.functional

    class Convolution(nn.Module):
        def __init__(self, before: int, after: int) -> None:
            super().__init__()
            self.weight = nn.Parameter(lib.empty(before, after))
            self.bias = nn.Parameter(lib.empty(after))

        def forward(self, x: Any, source: Any, target: Any) -> Any:
            degree = lib.zeros(len(x)).scatter_add_(0, target, lib.ones(len(target)))
            scale = degree.pow(-0.5)
            scale[scale == float("inf")] = 0.0
            sent = (x @ self.weight)[source] * (scale[source] * scale[target]).unsqueeze(1)
            return x.new_zeros(len(x), sent.size(1)).index_add_(0, target, sent) + self.bias

    class Attention(nn.Module):
        def __init__(self, before: int, after: int, heads: int) -> None:
            super().__init__()
            self.heads, self.linear = heads, nn.Linear(before, heads * after, bias=False)
            self.ask = nn.Parameter(lib.empty(1, heads, after))
            self.answer = nn.Parameter(lib.empty(1, heads, after))

        def forward(self, x: Any, source: Any, target: Any) -> Any:
            x = self.linear(x).view(len(x), self.heads, -1)
            scores = (x * self.ask).sum(-1)[source] + (x * self.answer).sum(-1)[target]
            scores = functional.leaky_relu(scores, 0.2)
            index = target[:, None].expand_as(scores)
            lowest = lib.full((len(x), self.heads), float("-inf"))
            highest = lowest.scatter_reduce(0, index, scores.detach(), "amax")
            weights = (scores - highest[target]).exp()
            total = lib.zeros(len(x), self.heads).scatter_add(0, index, weights)
            weights = weights / (total.index_select(0, target) + 1e-16)
            sent = weights.unsqueeze(-1) * x[source]
            mean = lib.zeros_like(x).scatter_reduce_(
                0, target[:, None, None].expand_as(sent), x[source], "mean", include_self=False
            )
            return (lib.zeros_like(x).index_add(0, target, sent) + 0.1 * mean).flatten(1)

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = Convolution(12, 24), Attention(24, 8, 3)
            self.last = Convolution(24, CLASSES)

        def forward(self, x: Any, edges: Any) -> Any:
            x = functional.relu(self.first(x, *edges))
            x = functional.elu(self.second(x, *edges))
            return functional.log_softmax(self.last(x, *edges), dim=1)

    random = np.random.default_rng(0)
    classes = random.integers(0, CLASSES, NODES)
    ends = random.integers(0, NODES, (2, EDGES))
    ends = ends[:, (classes[ends[0]] == classes[ends[1]]) | (random.random(EDGES) < 0.3)]
    loops = np.arange(NODES)
    edges = lib.from_numpy(np.concatenate([ends, [loops, loops]], axis=1)).unbind(0)
    x = lib.from_numpy(random.normal(size=(NODES, 12)).astype(np.float32))
    labels = lib.from_numpy(classes)
    is_known = lib.from_numpy(random.random(NODES) < 0.5)
    model = equal_start(lib, Network())
    optimizer = lib.optim.Adam(model.parameters(), lr=1e-2, weight_decay=5e-4)

    def step(number: int) -> float:
        optimizer.zero_grad()
        scores = model(x, edges)
        loss = functional.nll_loss(scores[is_known], labels[is_known])
        loss.backward()
        optimizer.step()
        right = int((scores.argmax(dim=1)[~is_known] == labels[~is_known]).sum())
        assert 0 <= right <= int((~is_known).sum())
        return float(loss.item())

    return step
