"""Random generators, and the functions of the one that is drawn from by default."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard._engine import DTypeError, ShapeError, Tensor

if TYPE_CHECKING:
    from typing import Self

    from garboard.types import Device

__all__ = [
    "Generator",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]

_WORD = 1 << 64
_STATE_BYTES = 16


class Generator(_engine._Generator):
    """A source of random numbers of its own, to be given to functions as `generator=`.

    Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): the same
    seed gives the same numbers on every device and with any number of threads, so that a generator
    may draw for tensors of any device. It holds 16 bytes, and no tensor. Threads may share it.

    Args:
        device: What `device` tells; nothing else depends on it.

    Raises:
        DeviceError: There is no device of that name.

    >>> generator = gb.Generator().manual_seed(0)
    >>> x = gb.rand(2, generator=generator)
    >>> gb.equal(x, gb.rand(2, generator=generator.manual_seed(0)))
    True
    """

    def __init__(self, device: Device = "cpu") -> None:
        self._device = _engine.device(device)

    @property
    def device(self) -> _engine.device:
        """The device that it was made for."""
        return self._device

    def manual_seed(self, seed: int) -> Self:
        """Start over from `seed`.

        Args:
            seed: An integer in [-2^63, 2^64); a negative one counts from 2^64 down.

        Returns:
            The generator itself.

        Raises:
            TypeError: `seed` is no integer.
            ValueError: It lies outside of that range.

        >>> gb.Generator().manual_seed(7).initial_seed()
        7
        """
        given = check.integer("manual_seed", "seed", seed)
        if not -_WORD // 2 <= given < _WORD:
            raise ArgumentError(f"manual_seed: seed {shown(given)}; one in [-2^63, 2^64) is needed")
        self._set_state(given % _WORD, 0)
        return self

    def seed(self) -> int:
        """Start over from a seed that the operating system draws.

        Returns:
            The seed.

        >>> generator = gb.Generator()
        >>> generator.seed() == generator.initial_seed()
        True
        """
        drawn = int.from_bytes(os.urandom(8), "little") >> 1
        self._set_state(drawn, 0)
        return drawn

    def initial_seed(self) -> int:
        """Return the seed that it last started from.

        >>> gb.Generator().manual_seed(3).initial_seed()
        3
        """
        return self._state()[0]

    def get_state(self) -> Tensor:
        """Return where it stands, for `set_state`.

        Returns:
            A new uint8 tensor of 16 elements on the CPU.

        >>> generator = gb.Generator()
        >>> state = generator.get_state()
        >>> x = gb.rand(2, generator=generator)
        >>> generator = generator.set_state(state)
        >>> gb.equal(x, gb.rand(2, generator=generator))
        True
        """
        seed, offset = self._state()
        whole = seed.to_bytes(8, "little") + offset.to_bytes(8, "little")
        return _engine.tensor(list(whole), dtype=_engine.uint8)

    def set_state(self, new_state: Tensor) -> Self:
        """Go back, or on, to where `get_state` was called, of this generator or another.

        Args:
            new_state: What `get_state` returned.

        Returns:
            The generator.

        Raises:
            DTypeError: It is not of uint8.
            ShapeError: It has not 16 elements.
            DisposedError: It is disposed.

        >>> state = gb.Generator().manual_seed(5).get_state()
        >>> gb.Generator().set_state(state).initial_seed()
        5
        """
        state = check.tensor("set_state", "new_state", new_state)
        if state.dtype != _engine.uint8:
            raise DTypeError(f"set_state: dtype {state.dtype}; what get_state returns is needed")
        if state.shape != (_STATE_BYTES,):
            raise ShapeError(
                f"set_state: sizes {list(state.shape)}; the [{_STATE_BYTES}] of what get_state "
                "returns are needed"
            )
        whole = bytes(state.tolist())
        self._set_state(int.from_bytes(whole[:8], "little"), int.from_bytes(whole[8:], "little"))
        return self

    def get_offset(self) -> int:
        """Return how far it has drawn since its seed, in blocks of four numbers of 32 bits.

        >>> generator = gb.Generator().manual_seed(0)
        >>> x = gb.rand(8, generator=generator)
        >>> generator.get_offset()
        2
        """
        return self._state()[1]

    def set_offset(self, offset: int) -> None:
        """Go to so many blocks of four numbers of 32 bits behind its seed.

        Args:
            offset: As `get_offset` tells it; PyTorch's generators of the CPU have none.

        Raises:
            TypeError: `offset` is no integer.
            ValueError: It lies outside of [0, 2^64).

        >>> generator = gb.Generator().manual_seed(0)
        >>> x = gb.rand(8, generator=generator)
        >>> generator.set_offset(1)
        >>> gb.equal(x[4:], gb.rand(4, generator=generator))
        True
        """
        given = check.integer("set_offset", "offset", offset)
        if not 0 <= given < _WORD:
            raise ArgumentError(f"set_offset: offset {shown(given)}; one in [0, 2^64) is needed")
        self._set_state(self._state()[0], given)

    def clone_state(self) -> Generator:
        """Return another generator that goes on from where this one stands.

        >>> generator = gb.Generator()
        >>> other = generator.clone_state()
        >>> gb.equal(gb.rand(2, generator=generator), gb.rand(2, generator=other))
        True
        """
        return _restored(str(self._device), *self._state())

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (str(self._device), *self._state())

    def __repr__(self) -> str:
        return f"Generator(device='{self._device}', initial_seed={self.initial_seed()})"


def _restored(device: str, seed: int, offset: int) -> Generator:
    made = Generator(device)
    made._set_state(seed, offset)
    return made


def _standard() -> Generator:
    made = Generator()
    made._be_standard()
    return made


# What is drawn from where no generator is given, by all threads but a loader's workers and for all
# devices.
default_generator: Generator = _standard()


def manual_seed(seed: int) -> Generator:
    """Restart the default generator, which all devices and threads share, but a loader's workers.

    Args:
        seed: An integer in [-2^63, 2^64); a negative one counts from 2^64 down.

    Returns:
        `gb.default_generator`.

    Raises:
        TypeError: `seed` is no integer.
        ValueError: It lies outside of that range.

    >>> generator = gb.manual_seed(0)
    >>> x = gb.rand(2)
    >>> generator = gb.manual_seed(0)
    >>> gb.equal(x, gb.rand(2))
    True
    """
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Restart the default generator from a seed that the operating system draws.

    Returns:
        The seed.

    >>> gb.seed() == gb.initial_seed()
    True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed that the default generator last started from.

    >>> generator = gb.manual_seed(3)
    >>> gb.initial_seed()
    3
    """
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return where the default generator stands, for `set_rng_state`.

    Returns:
        A new uint8 tensor of 16 elements on the CPU.

    >>> state = gb.get_rng_state()
    >>> x = gb.rand(2)
    >>> gb.set_rng_state(state)
    >>> gb.equal(x, gb.rand(2))
    True
    """
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Put the default generator where it stood when `get_rng_state` was called.

    Args:
        new_state: What `get_rng_state` returned.

    Raises:
        DTypeError: It is not of uint8.
        ShapeError: It has not 16 elements.
        DisposedError: It is disposed.

    >>> gb.set_rng_state(gb.get_rng_state())
    """
    default_generator.set_state(new_state)
