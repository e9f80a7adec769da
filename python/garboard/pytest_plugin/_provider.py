"""pytest: whose tensors are judged, by `--leaks-provider`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from garboard.leaks.evidence._evidence import Evidence, Provider

__all__ = ["add_options", "evidence_for", "provider_for"]

_opened = pytest.StashKey["Evidence"]()


def add_options(group: Any) -> None:
    group.addoption(
        "--leaks-provider",
        choices=("garboard", "torch"),
        default="garboard",
        help="whose tensors are judged; torch: PyTorch's, from the first test on that begins with "
        "PyTorch imported",
    )


def provider_for(config: pytest.Config) -> Provider:
    """Return whose tensors are judged: nothing can be PyTorch's before it is imported."""
    is_other = config.getoption("leaks_provider") == "torch" and "torch" in sys.modules
    return "torch" if is_other else "garboard"


def evidence_for(config: pytest.Config) -> Evidence:
    """Return what is judged by; births are told until the run ends, for fixtures live long."""
    from garboard.leaks.evidence._evidence import evidence_of

    found = evidence_of("--leaks-provider", provider_for(config))
    if provider_for(config) == "torch" and _opened not in config.stash:
        config.stash[_opened] = found
        found.open()
        config.add_cleanup(found.close)
    return found
