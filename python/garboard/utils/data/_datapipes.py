"""The types of PyTorch's older pipes of data: datasets that programs derive from, and ask for."""

from __future__ import annotations

from typing import NoReturn, TypeVar

from garboard.utils.data._datasets import Dataset, IterableDataset

__all__ = ["IterDataPipe", "MapDataPipe", "ShufflerIterDataPipe", "apply_shuffle_settings"]

_T = TypeVar("_T")
T_co = TypeVar("T_co", covariant=True)


class IterDataPipe(IterableDataset[T_co]):
    """An `IterableDataset` under its name in pipes. A subclass defines `__iter__`.

    >>> class Squares(gb.utils.data.IterDataPipe[int]):
    ...     def __iter__(self):
    ...         return iter([0, 1, 4])
    >>> list(Squares())
    [0, 1, 4]
    """


class MapDataPipe(Dataset[T_co]):
    """A `Dataset` under its name in pipes. A subclass defines `__getitem__` and `__len__`.

    >>> class Squares(gb.utils.data.MapDataPipe[int]):
    ...     def __getitem__(self, number):
    ...         return number**2
    >>> Squares()[3]
    9
    """


class ShufflerIterDataPipe(IterDataPipe[T_co]):
    """A pipe that shuffles another: the type that programs ask for.

    >>> from garboard.utils.data._datapipes import ShufflerIterDataPipe
    >>> isinstance([1], ShufflerIterDataPipe)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        """Refuse: a loader shuffles."""
        raise NotImplementedError(
            f"{cls.__name__}: pipes do not shuffle; give a Dataset to DataLoader(shuffle=True)"
        )


def apply_shuffle_settings(datapipe: _T, shuffle: bool | None = None) -> _T:
    """Return a pipe as it is: none shuffles.

    Args:
        datapipe: The pipe.
        shuffle: Ignored.

    >>> from garboard.utils.data._datapipes import apply_shuffle_settings
    >>> apply_shuffle_settings([1, 2], shuffle=True)
    [1, 2]
    """
    return datapipe
