"""Limits of memory for tests, the list of the largest, and known leaks: real runs of pytest."""

from __future__ import annotations

import re

import pytest

from tests.python.tools.test_pytest_plugin import alone, run  # noqa: F401
from tests.support.live_memory import balanced  # noqa: F401

pytest_plugins = ["pytester"]

LIMITED = """
    import garboard as gb
    import pytest

    @pytest.fixture
    def table():
        return gb.ones(1 << 18)

    @pytest.mark.limit_memory({limit})
    def test_large(table):
        brief = gb.ones(1000)
        del brief

    def test_small():
        gb.ones(10)
"""


class TestLimits:
    @pytest.mark.parametrize("limit", ["4000", "'4000 B'", "limit='1 MiB'"])
    def test_let_pass_what_keeps_them(self, run, limit):  # noqa: F811
        run(LIMITED.format(limit=limit)).assert_outcomes(passed=2)

    def test_fail_a_test_and_name_the_line(self, run):  # noqa: F811
        result = run(LIMITED.format(limit="3999"))

        result.assert_outcomes(passed=1, failed=1)
        result.stdout.fnmatch_lines(
            ["limit_memory: 3.9* KiB more lived at once on cpu; 3.9* KiB are allowed"]
        )
        assert "born at test_fail_a_test_and_name_the_line.py:10 test_large()" in (
            result.stdout.str()
        )

    @pytest.mark.parametrize(
        ("limit", "message"),
        [
            ("", "limit_memory: one limit is needed"),
            ("1, 2", "limit_memory: one limit is needed"),
            ("most=1", "limit_memory: one limit is needed"),
            ("'much'", "parse_bytes: "),
            ("-1", "limit_memory: limit -1; 0 or more"),
            ("None", "limit_memory: limit is of type NoneType"),
        ],
    )
    def test_that_say_nonsense_fail_their_test(self, run, limit, message):  # noqa: F811
        result = run(LIMITED.format(limit=limit))

        result.assert_outcomes(passed=1, failed=1)
        assert message in result.stdout.str()


class TestTheLargest:
    def test_are_listed_by_what_lived_above_the_beginning(self, run):  # noqa: F811
        result = run(LIMITED.format(limit="4000"), "--memory-peaks=5")

        result.stdout.fnmatch_lines(
            ["*largest 2 tests by live bytes*", "*KiB  *::test_large", "*40 bytes  *::test_small"]
        )

    def test_are_not_listed_where_nobody_asks(self, run):  # noqa: F811
        result = run(LIMITED.format(limit="4000"))

        assert "largest" not in result.stdout.str()


class TestKnownLeaks:
    def test_that_are_no_baseline_end_the_run(self, run, pytester):  # noqa: F811
        (pytester.path / "known.toml").write_text("leak = 5", encoding="utf-8")

        for file in ("known.toml", "none.toml"):
            result = run(LIMITED.format(limit="4000"), f"--leaks-baseline={file}")

            assert result.ret == pytest.ExitCode.USAGE_ERROR
            assert "--leaks-baseline: " in result.stderr.str()

    def test_fail_no_test(self, run, pytester):  # noqa: F811
        source = """
            import garboard as gb

            kept = []

            def test_that_leaks():
                kept.append(gb.ones(3))
        """
        first = run(source, "--leaks=fail")
        first.assert_outcomes(failed=1)
        name = re.search(r"\[([A-Z]+-[0-9a-f]{6})\]", first.stdout.str())[1]
        (pytester.path / "known.toml").write_text(
            f'[[leak]]\nfingerprint = "{name}"\nreason = "a table"\n', encoding="utf-8"
        )

        second = pytester.runpytest_subprocess(  # in this process it would stay known
            "-p", "garboard.pytest_plugin", "--leaks=fail", "--leaks-baseline=known.toml"
        )

        second.assert_outcomes(passed=1)
