"""garboard's version, as programs compare it that ask which PyTorch they run on."""

from __future__ import annotations

__all__ = ["Version"]


class Version(str):
    """A version of garboard's, below 1: later than every version of PyTorch's, which begin there.

    Programs of PyTorch's choose by `torch.__version__ >= "1.5.0"` what to compute, and what is here
    follows the newest. With a text, or with a tuple of numbers, below 1 the numbers are compared.
    """

    __slots__ = ()

    def __lt__(self, other: object) -> bool:
        return self._numbers(self) < self._asked(other)

    def __le__(self, other: object) -> bool:
        return self._numbers(self) <= self._asked(other)

    def __gt__(self, other: object) -> bool:
        return self._numbers(self) > self._asked(other)

    def __ge__(self, other: object) -> bool:
        return self._numbers(self) >= self._asked(other)

    @classmethod
    def _asked(cls, other: object) -> list[int]:
        numbers = cls._numbers(other)
        return [] if numbers and numbers[0] >= 1 else numbers

    @staticmethod
    def _numbers(given: object) -> list[int]:
        """The numbers at the beginning, without zeros at their end."""
        if not isinstance(given, (str, tuple, list)):
            raise TypeError(
                f"__version__: compared with what is of type {type(given).__name__}; a text or a "
                "tuple of numbers is needed"
            )
        found = []
        for part in given.split(".") if isinstance(given, str) else map(str, given):
            digits = part[: len(part) - len(part.lstrip("0123456789"))]
            if digits:
                found.append(int(digits))
            if digits != part:
                break
        while found and not found[-1]:
            found.pop()
        return found
