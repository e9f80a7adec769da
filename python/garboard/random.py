"""The default random generator: Philox4x32-10, the same numbers on every device."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from garboard._contexts.blocks import block
from garboard._contexts.generator import (
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from garboard._names.missing import module_getattr

if TYPE_CHECKING:
    from garboard.types import Device

__all__ = ["fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)


@block
def fork_rng(
    devices: Iterable[Device] | None = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str = "cuda",
) -> Iterator[None]:
    """Put the default generator back, at the end of a block, where it stood at its start.

    Args:
        devices: Not needed: one generator draws for all of them.
        enabled: False changes nothing, so that a block need not be written twice.
        device_type: Of which `devices` are; not needed either.

    Yields:
        Nothing. The block draws on from where the generator stands.

    >>> generator = gb.manual_seed(0)
    >>> with gb.random.fork_rng():
    ...     x = gb.rand(2)
    >>> gb.equal(x, gb.rand(2))
    True
    """
    before = default_generator._state()
    try:
        yield
    finally:
        if enabled:
            default_generator._set_state(*before)
