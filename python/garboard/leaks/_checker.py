"""TorchSeal's interface: a checker made before a loop, asked in it or after it."""

from __future__ import annotations

import warnings

from garboard._engine import Tensor
from garboard.leaks._errors import LeakError, MemoryLeakWarning
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.evidence._steps import Steps
from garboard.leaks.judging._exact import judged
from garboard.leaks.judging._exemptions import Exemptions
from garboard.leaks.kinds._variable import KIND as VARIABLE
from garboard.leaks.reports._report import LeakReport

__all__ = ["LeakChecker"]


class LeakChecker:
    """Checks that nothing lives but what lived when the checker was made.

    What a plain variable holds when it is asked is no leak: the loop that asks has its own.
    Gradients, optimizer state, and what modules own are none either. A graph is one once it links
    what was recorded between six checks.

    Args:
        error_on_leak: Raise; otherwise warn.

    >>> checker = gb.leaks.LeakChecker()
    >>> for _ in range(3):
    ...     value = gb.ones(2).sum().item()
    ...     checker.check_leaks()
    """

    def __init__(self, error_on_leak: bool = True) -> None:
        self.error_on_leak = error_on_leak
        self._since, self._steps = EVIDENCE.now(), Steps(EVIDENCE)
        self._exemptions = Exemptions()

    def check_leaks(self) -> None:
        """Report everything that leaked, at once.

        Raises:
            LeakError: Tensors or graphs have leaked, and `error_on_leak` is True; it is a
                `MemoryLeakError`. Otherwise a `MemoryLeakWarning` is given.

        >>> checker = gb.leaks.LeakChecker()
        >>> seen = [gb.zeros(3)]
        >>> try:
        ...     checker.check_leaks()
        ... except gb.leaks.LeakError as error:
        ...     print(error.leaks[0].count)
        1
        """
        self._steps.advance()
        report = judged(
            self._since, self._steps, (), lambda it: self._exemptions.is_excluded(it.serial)
        )
        leaks = tuple(leak for leak in report.leaks if leak.kind != VARIABLE.name)
        if not leaks:
            return
        found = LeakReport(leaks, report.notes, report.checked)
        if self.error_on_leak:
            raise LeakError(found)
        warnings.warn(f"{found.headline}\n{found}", MemoryLeakWarning, stacklevel=2)

    def exclude_tensors_from_report(self, *tensors: Tensor) -> None:
        """Never report these tensors.

        Args:
            *tensors: Tensors; they are not kept alive.

        >>> table = [gb.zeros(3)]
        >>> checker = gb.leaks.LeakChecker()
        >>> checker.exclude_tensors_from_report(*table)
        >>> checker.check_leaks()
        """
        self._exemptions.exclude(tensors, "")
