"""Finds what outlives the code that made it: which line, who holds it, since when, what to change.

`watch()` is for loops, `no_leaks()` for tests, `who_holds()` and `live()` for questions.
"""

from __future__ import annotations

from garboard._shown.site import Site
from garboard.leaks._assertions import ExpectFreed, expect_freed
from garboard.leaks._baseline import load_baseline, save_baseline
from garboard.leaks._checker import LeakChecker
from garboard.leaks._errors import LeakError, MemoryLeakError, MemoryLeakWarning
from garboard.leaks._explain import explain
from garboard.leaks._flat import AssertFlat, assert_flat
from garboard.leaks._frees import frees
from garboard.leaks._no_leaks import NoLeaks, no_leaks
from garboard.leaks._snapshot import Snapshot
from garboard.leaks._watch import LeakWatcher, watch
from garboard.leaks.evidence._live import LiveGroup, live
from garboard.leaks.findings._leak import Leak, Rate
from garboard.leaks.holders._who_holds import Holders, who_holds
from garboard.leaks.judging._exemptions import ignore
from garboard.leaks.reports._reading import load_report
from garboard.leaks.reports._report import LeakReport

__all__ = [
    "AssertFlat",
    "ExpectFreed",
    "Holders",
    "Leak",
    "LeakChecker",
    "LeakError",
    "LeakReport",
    "LeakWatcher",
    "LiveGroup",
    "MemoryLeakError",
    "MemoryLeakWarning",
    "NoLeaks",
    "Rate",
    "Site",
    "Snapshot",
    "assert_flat",
    "expect_freed",
    "explain",
    "frees",
    "ignore",
    "live",
    "load_baseline",
    "load_report",
    "no_leaks",
    "save_baseline",
    "watch",
    "who_holds",
]
