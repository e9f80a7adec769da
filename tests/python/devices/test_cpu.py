"""The CPU is a device like another, for programs that name either."""

from __future__ import annotations

import os
import subprocess
import sys

import garboard as gb
import pytest


class TestTheCpu:
    def test_is_one_device_that_is_always_there(self):
        assert gb.cpu.is_available() is True
        assert gb.cpu.device_count() == 1
        assert gb.device(gb.cpu.current_device()) == gb.zeros(1).device

    def test_has_nothing_to_wait_for(self):
        assert gb.cpu.synchronize() is None

    def test_speaks_of_its_own_memory(self):
        before = gb.cpu.memory_allocated()

        with gb.dispose_scope():
            gb.zeros(1000)

            assert gb.cpu.memory_allocated() - before == 0
            x = gb.zeros(1000)
            assert gb.cpu.memory_allocated() - before == x.nbytes
            assert gb.cpu.max_memory_allocated() >= gb.cpu.memory_allocated()
        assert gb.cpu.memory_allocated() == before

    @pytest.mark.parametrize("name", [name for name in gb.cpu.__all__ if "memory" in name])
    def test_has_what_cuda_has_for_memory(self, name):
        assert getattr(gb.cpu, name) is getattr(gb.memory, name)
        assert hasattr(gb.cuda, name)

    def test_runs_the_kernels_that_the_environment_names(self):
        program = "import garboard as gb; print(gb.cpu.instruction_set(), gb.ones(3).tolist())"
        least = gb.cpu.instruction_sets()[-1]
        environment = {**os.environ, "GARBOARD_ISA": least}

        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )

        assert done.stdout == f"{least} [1.0, 1.0, 1.0]\n"

    def test_names_the_kernels_there_are_where_others_are_asked_for(self):
        environment = {**os.environ, "GARBOARD_ISA": "v5"}

        done = subprocess.run(
            [sys.executable, "-c", "import garboard as gb; gb.ones(3)"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

        names = ", ".join(gb.cpu.instruction_sets())
        assert "DeviceError: GARBOARD_ISA: v5 was given" in done.stderr
        assert done.stderr.endswith(f"is needed: {names}\n")
