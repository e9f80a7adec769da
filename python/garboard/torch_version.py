"""Versions that are compared as numbers, as PyTorch's programs compare them."""

from __future__ import annotations

import re

from garboard._arguments import check

__all__ = ["TorchVersion"]


class TorchVersion(str):
    """A version as a text whose order is that of its numbers: "0.10" comes after "0.9".

    Compared with texts and with tuples of numbers. What follows the numbers, as in "1.2.0+cpu" or
    "1.2.0rc1", does not count.

    >>> version = gb.torch_version.TorchVersion("0.10.0")
    >>> version > "0.9", version >= (0, 11)
    (True, False)
    """

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return _numbers(self) < _numbers(other)

    def __le__(self, other: object) -> bool:
        return _numbers(self) <= _numbers(other)

    def __gt__(self, other: object) -> bool:
        return _numbers(self) > _numbers(other)

    def __ge__(self, other: object) -> bool:
        return _numbers(self) >= _numbers(other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (str, tuple, list)) and _numbers(self) == _numbers(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(_numbers(self)))


def _numbers(given: object) -> list[int]:
    """The numbers of a version, without zeros at their end."""
    if isinstance(given, (tuple, list)):
        found = [check.integer("TorchVersion", "a part", part) for part in given]
    else:
        text = check.text("TorchVersion", "a version", given)
        numbers = re.sub(r"[^\d.].*", "", text)
        found = [int(it) for it in numbers.split(".") if it]
    while found and not found[-1]:
        found.pop()
    return found
