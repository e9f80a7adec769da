"""A bag of words tells which package of Python's standard library a docstring comes from."""

from __future__ import annotations

import ast
import re
import sysconfig
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from examples.shared import Step, equal_start, main

PACKAGES = ("asyncio", "concurrent", "email", "http", "importlib", "logging", "multiprocessing")
WORDS = 2000  # the most frequent ones; 0 stands for all others

Words = np.ndarray[Any, Any]


def docstrings(package: str) -> list[list[str]]:
    """Return the words of each docstring in a package of the standard library, as installed."""
    found = []
    for file in sorted((Path(sysconfig.get_path("stdlib")) / package).rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8", errors="ignore"))
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                words = re.findall(r"[a-z_]{2,}", (ast.get_docstring(node) or "").lower())
                if len(words) > 3:
                    found.append(words)
    return found


def labelled() -> tuple[list[Words], Words]:
    """Return docstrings as numbers of words, and the number of each one's package."""
    texts = [(words, at) for at, name in enumerate(PACKAGES) for words in docstrings(name)]
    counts = Counter(word for words, _ in texts for word in words)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))[: WORDS - 1]
    number_of = {word: number for number, word in enumerate(ranked, 1)}
    bags = [np.array([number_of.get(word, 0) for word in words], np.int64) for words, _ in texts]
    return bags, np.array([at for _, at in texts], np.int64)


def build(lib: Any) -> Step:
    """Make the classifier and its training step."""
    nn = lib.nn
    bags, labels = labelled()
    random = np.random.default_rng(0)

    class Packages(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.EmbeddingBag(WORDS, 32, mode="mean")
            self.head = nn.Linear(32, len(PACKAGES))

        def forward(self, numbers: Any, starts: Any) -> Any:
            return self.head(self.words(numbers, starts))

    model = equal_start(lib, Packages())
    optimizer = lib.optim.Adam(model.parameters(), lr=3e-2)

    def step(number: int) -> float:
        chosen = random.integers(0, len(bags), 64)
        lengths = [len(bags[at]) for at in chosen]
        starts = lib.from_numpy(np.cumsum([0, *lengths[:-1]]).astype(np.int64))
        numbers = lib.from_numpy(np.concatenate([bags[at] for at in chosen]))
        loss = nn.functional.cross_entropy(model(numbers, starts), lib.from_numpy(labels[chosen]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return float(loss.item())

    return step


if __name__ == "__main__":
    main(build, 200, __doc__ or "")
