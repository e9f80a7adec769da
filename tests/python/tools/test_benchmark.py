"""Measurements say what was measured, and stand side by side."""

from __future__ import annotations

from typing import Any

import garboard as gb
import pytest
from garboard.utils.benchmark import Compare, Measurement, TaskSpec, Timer


def taken(seconds: float, **named: Any) -> Measurement:
    return Measurement(2, [2 * seconds], TaskSpec("x.f()", **named))


class TestAMeasurement:
    def test_says_what_was_measured(self):
        it = Timer("x + 1", globals={"x": gb.ones(2)}, label="sums", sub_label="ones").timeit(3)

        assert it.task_spec == TaskSpec("x + 1", label="sums", sub_label="ones")
        assert repr(it).startswith("sums: ones: median ")
        assert it.num_threads == 1
        assert not it.has_warnings
        assert Measurement(1, [1.0], "exp").title == "exp"


class TestComparing:
    def test_puts_descriptions_into_columns_and_threads_apart(self):
        results = [
            taken(seconds * 1e-6, label="dot", sub_label=size, description=by, num_threads=count)
            for seconds, size, by, count in (
                (20, "[1]", "mul", 2),
                (10.26, "[1]", "mul", 1),
                (300, "[1000]", "mul", 1),
                (5, "[1]", "bmm", 1),
            )
        ]
        compared = Compare(results[:1])
        compared.extend_results(results[1:])

        assert str(compared).splitlines() == [
            "[----------- dot -----------]",
            "            |    mul |    bmm",
            "1 threads:",
            "    [1]     |   10.3 |    5.0",
            "    [1000]  |  300.0 |",
            "2 threads:",
            "    [1]     |   20.0 |",
            "Times are in us.",
        ]

    def test_has_a_table_for_each_label_and_prints_whole_numbers_when_told(self, capsys):
        compared = Compare([taken(2.4, label="a"), taken(3e-3), taken(5e-3)])
        compared.trim_significant_figures()
        compared.colorize(rowwise=True)
        compared.highlight_warnings()

        compared.print()

        first, second = capsys.readouterr().out.split("\n\n")
        assert first.splitlines()[-1] == "Times are in s."
        assert first.splitlines()[-2].split() == ["x.f()", "|", "2"]
        assert second.splitlines()[-2].split() == ["x.f()", "|", "4"]

    def test_refuses_what_is_no_measurement(self):
        with pytest.raises(TypeError, match="Measurements"):
            Compare([3])  # type: ignore[list-item]


def test_a_statement_of_several_lines_may_be_indented():
    lines = """
        y = x + 1
        y = y * 2
    """
    assert Timer(lines, setup="\n    x = 1\n").timeit(2).number_per_run == 2


def test_blocks_are_measured_until_they_agree_or_the_time_is_over():
    ticks = iter(range(0, 10_000, 1))
    timer = Timer("pass", timer=lambda: float(next(ticks)))

    found = timer.adaptive_autorange(threshold=0.1, max_run_time=50)

    assert len(found.raw_times) == 4  # which agree
    assert len(timer.adaptive_autorange(max_run_time=2).raw_times) == 2
    with pytest.raises(ValueError, match="adaptive_autorange: max_run_time -1"):
        timer.adaptive_autorange(max_run_time=-1)
