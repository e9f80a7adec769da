"""The fixture `balanced`: what a test makes is gone when it ends."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import garboard as gb
import pytest


@pytest.fixture
def balanced() -> Iterator[None]:
    """Fail a test that leaves an alias, a storage, a graph node or a byte behind."""
    gc.collect()
    before = gb.memory.live()
    yield
    gc.collect()
    assert gb.memory.live() == before
