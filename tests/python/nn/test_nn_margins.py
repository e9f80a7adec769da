"""Losses that ask for margins."""

from __future__ import annotations

import garboard as gb
import pytest


@pytest.mark.parametrize("name", ["TripletMarginLoss", "TripletMarginWithDistanceLoss"])
@pytest.mark.parametrize("margin", [0, -1.0])
def test_a_margin_that_is_not_above_0_is_refused_when_the_loss_is_made(name: str, margin: float):
    with pytest.raises(ValueError, match=f"{name}: margin .* a number above 0 is needed"):
        getattr(gb.nn, name)(margin=margin)
