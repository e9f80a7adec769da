"""What grad mode does to ops, and a fixture: a test leaves no block open."""

from __future__ import annotations

from collections.abc import Iterator

import garboard as gb
import pytest
from garboard import _engine


def is_recorded() -> bool:
    """Tell whether ops are recorded here, as `is_grad_enabled` must say too."""
    x = gb.ones(1, requires_grad=True)
    said = gb.is_grad_enabled()
    [recorded] = {(x + 1).requires_grad, x.sum().requires_grad, x[0].requires_grad, said}
    return recorded


@pytest.fixture
def nothing_is_left_open() -> Iterator[None]:
    """Fail a test that leaves a block open, or recording switched off."""
    yield
    assert gb.is_grad_enabled()
    assert _engine._grad_mode_depth() == 0
