"""What programs ask a device's driver, with a driver that is none, and without one."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import garboard as gb
import pytest

needs_no_device = pytest.mark.skipif("gb.cuda.is_available()", reason="needs no device")
ASKED = [
    "clock_rate",
    "device_memory_used",
    "memory_usage",
    "power_draw",
    "temperature",
    "utilization",
]


def library(*, fails=False):
    class NVMLError(Exception):
        pass

    def start():
        if fails:
            raise NVMLError("Driver Not Loaded")

    return SimpleNamespace(nvmlInit=start, NVMLError=NVMLError)


@pytest.mark.parametrize("name", ASKED)
def test_the_package_that_is_missing_is_named(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)

    with pytest.raises(ModuleNotFoundError, match=f"{name}: the package nvidia-ml-py is not"):
        getattr(gb.cuda, name)()


@pytest.mark.parametrize("name", ASKED)
def test_a_driver_that_is_missing_is_told(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", library(fails=True))

    with pytest.raises(gb.DeviceError, match=f"{name}: no NVIDIA driver.*Driver Not Loaded"):
        getattr(gb.cuda, name)()


def test_a_list_of_programs_is_text_in_any_case(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert "pip install nvidia-ml-py" in gb.cuda.list_gpu_processes()

    monkeypatch.setitem(sys.modules, "pynvml", library(fails=True))
    assert "no NVIDIA driver" in gb.cuda.list_gpu_processes()


@needs_no_device
def test_without_a_device_there_is_code_for_none(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", library())

    assert gb.cuda.get_arch_list() == []
    assert gb.cuda.get_gencode_flags() == ""
    assert gb.cuda.is_tf32_supported() is False
    assert (gb.cuda.has_half, gb.cuda.has_magma) == (True, False)
    assert gb.cuda.list_gpu_processes() == "list_gpu_processes: no CUDA device"
    with pytest.raises(gb.DeviceError, match="can_device_access_peer"):
        gb.cuda.can_device_access_peer(0, 1)
    with pytest.raises(gb.DeviceError, match="temperature"):
        gb.cuda.temperature()


def test_waits_are_not_told_of():
    gb.cuda.set_sync_debug_mode(0)
    gb.cuda.set_sync_debug_mode("default")

    assert gb.cuda.get_sync_debug_mode() == 0
    for mode in ("warn", 2):
        with pytest.raises(NotImplementedError, match="set_sync_debug_mode: mode"):
            gb.cuda.set_sync_debug_mode(mode)
    for mode in ("often", 3, -1):
        with pytest.raises(ValueError, match="set_sync_debug_mode: debug_mode"):
            gb.cuda.set_sync_debug_mode(mode)
