"""What PyTorch's older programs ask of a CUDA device's memory; without a device, too."""

from __future__ import annotations

import garboard as gb
import pytest


class TestOlderNames:
    @pytest.mark.parametrize(
        ("older", "name"),
        [("memory_cached", "memory_reserved"), ("max_memory_cached", "max_memory_reserved")],
    )
    def test_return_what_the_newer_ones_do_and_warn(self, older, name):
        with pytest.warns(FutureWarning, match=f"{older} is an older name; use .*{name}$"):
            found = getattr(gb.cuda, older)()

        assert found == getattr(gb.cuda, name)()

    @pytest.mark.parametrize("older", ["reset_max_memory_allocated", "reset_max_memory_cached"])
    def test_reset_peaks_and_warn(self, older):
        with pytest.warns(FutureWarning, match=f"{older} is an older .*reset_peak_memory_stats"):
            getattr(gb.cuda, older)()

        assert gb.cuda.max_memory_allocated() == gb.cuda.memory_allocated()

    def test_ipc_collect_does_nothing(self):
        assert gb.cuda.ipc_collect() is None
