"""Exact draws of binomial counts."""

from __future__ import annotations

from garboard import _engine
from garboard._arguments.overridable import all_overridable
from garboard._engine import Tensor, where
from garboard.distributions._gamma_draws import log_gamma_draws

__all__ = ["binomial_draws"]

_FEW = 16  # so many trials are made one by one


def binomial_draws(counts: Tensor, probs: Tensor) -> Tensor:
    """Successes in `counts` trials each, in the dtype of `probs`; both of one shape.

    Of n uniform numbers the i-th smallest is a beta number. Where it lies below p, i numbers do and
    the n - i above it are left, uniform beyond it; else the i - 1 below it are (Devroye,
    "Non-uniform random variate generation", 1986, X.4.3). Of counts that are not finite, and
    of a share that is NaN: NaN.
    """
    device = probs.device
    is_known = counts.isfinite() & ~probs.isnan()
    left = where(is_known, counts.to(_engine.float64), 0)
    share = probs.to(_engine.float64).clamp(0, 1)
    found = _engine.zeros_like(left)
    while bool((left > _FEW).any()):
        middle = ((left + 1) / 2).floor().clamp(min=1)
        below = log_gamma_draws(middle)
        above = log_gamma_draws((left - middle + 1).clamp(min=1))
        cut = (below - above).sigmoid()
        is_many = left > _FEW
        is_below = is_many & (cut <= share)
        is_above = is_many & (cut > share)
        found = where(is_below, found + middle, found)
        beyond = ((share - cut) / (1 - cut)).clamp(0, 1)
        within = (share / cut).clamp(0, 1)
        share = where(is_below, beyond, where(is_above, within, share))
        left = where(is_below, left - middle, where(is_above, middle - 1, left))
    trials = _engine.rand((*left.shape, _FEW), dtype=_engine.float64, device=device)
    is_made = _engine.arange(_FEW, device=device) < left.unsqueeze(-1)
    found = found + ((trials < share.unsqueeze(-1)) & is_made).sum(-1)
    return where(is_known, found, float("nan")).to(probs.dtype)


all_overridable(globals())
