"""The handwritten digits that come with the package; README.md here names their source."""

from __future__ import annotations

from pathlib import Path

from garboard import _engine
from garboard._engine import Tensor
from garboard.utils.data import Subset, TensorDataset, default_collate, random_split

__all__ = ["load_digits", "whole"]

TEST_FRACTION = 0.2


def load_digits() -> list[Subset[tuple[Tensor, ...]]]:
    """Return training and test samples, split at random by the default generator.

    A sample is (pixels, label): float32 [64] from 0 to 1, and int64 [] from 0 to 9.
    """
    import numpy as np

    with np.load(Path(__file__).with_name("digits.npz")) as arrays:
        images, labels = arrays["images"], arrays["labels"]
    x = _engine.tensor(images.reshape(len(images), -1)).float() / 16
    y = _engine.tensor(labels).long()
    return random_split(TensorDataset(x, y), [1 - TEST_FRACTION, TEST_FRACTION])


def whole(samples: Subset[tuple[Tensor, ...]]) -> tuple[Tensor, Tensor]:
    """Return all samples as one batch."""
    x, y = default_collate([samples[number] for number in range(len(samples))])
    return x, y
