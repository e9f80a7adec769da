"""The default random generator: one draws for all devices, so its state is each device's."""

from __future__ import annotations

from collections.abc import Iterable

from garboard import _engine
from garboard._contexts import generator as _generator
from garboard._engine import Tensor
from garboard.cuda._devices import device_count, device_number

__all__ = [
    "get_rng_state",
    "get_rng_state_all",
    "initial_seed",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "set_rng_state",
    "set_rng_state_all",
]


def manual_seed(seed: int) -> None:
    """Restart the default generator, which draws for the CPU, too, as `gb.manual_seed` does.

    Args:
        seed: An integer in [-2^63, 2^64); a negative one counts from 2^64 down.

    >>> gb.cuda.manual_seed(0)
    """
    _generator.manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """Restart the default generator, which draws for all devices, as `gb.manual_seed` does.

    Args:
        seed: An integer in [-2^63, 2^64); a negative one counts from 2^64 down.

    >>> gb.cuda.manual_seed_all(0)
    """
    _generator.manual_seed(seed)


def seed() -> None:
    """Restart the default generator from a seed that the system draws, as `gb.seed` does.

    >>> gb.cuda.seed()
    """
    _generator.seed()


def seed_all() -> None:
    """Restart the default generator, which draws for all devices, as `gb.seed` does.

    >>> gb.cuda.seed_all()
    """
    _generator.seed()


def initial_seed() -> int:
    """Return the seed that the default generator last started from.

    >>> gb.cuda.manual_seed(3)
    >>> gb.cuda.initial_seed()
    3
    """
    return _generator.initial_seed()


def get_rng_state(device: int | str | _engine.device | None = "cuda") -> Tensor:
    """Return where the default generator stands, for `set_rng_state`.

    Args:
        device: The generator draws for all; a device that is not there is refused all the same.

    Returns:
        A new uint8 tensor of 16 elements on the CPU.

    Raises:
        DeviceError: There is no such device.

    >>> if gb.cuda.is_available():
    ...     assert gb.cuda.get_rng_state().shape == (16,)
    """
    device_number("get_rng_state", device)
    return _generator.get_rng_state()


def set_rng_state(new_state: Tensor, device: int | str | _engine.device | None = "cuda") -> None:
    """Go back, or on, to where `get_rng_state` was called.

    Args:
        new_state: What `get_rng_state` returned.
        device: The generator draws for all; a device that is not there is refused all the same.

    Raises:
        DTypeError: `new_state` is not of uint8.
        ShapeError: It has not 16 elements.
        DeviceError: There is no such device.

    >>> if gb.cuda.is_available():
    ...     gb.cuda.set_rng_state(gb.cuda.get_rng_state())
    """
    device_number("set_rng_state", device)
    _generator.set_rng_state(new_state)


def get_rng_state_all() -> list[Tensor]:
    """Return `get_rng_state` of each device; they are equal.

    Returns:
        As many tensors as there are devices.

    >>> len(gb.cuda.get_rng_state_all()) == gb.cuda.device_count()
    True
    """
    return [_generator.get_rng_state() for _ in range(device_count())]


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """Go back to where `get_rng_state_all` was called.

    Args:
        new_states: What `get_rng_state_all` returned; the last one counts.

    Raises:
        DTypeError: One of them is not of uint8.
        ShapeError: One of them has not 16 elements.

    >>> gb.cuda.set_rng_state_all(gb.cuda.get_rng_state_all())
    """
    for state in new_states:
        _generator.set_rng_state(state)
