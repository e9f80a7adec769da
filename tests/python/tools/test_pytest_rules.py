"""What a test may leave alive, repeats, and the report of a run: each in a real pytest process."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path
from textwrap import dedent

import garboard as gb
import pytest

pytest_plugins = ["pytester"]

LEAKY = """
    import garboard as gb
    import pytest

    kept = []

    def leak(count=256):
        kept.append(gb.ones(count))
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Run a test file in a process of its own."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    paths = [str(Path(gb.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))

    def run(source, *options):
        pytester.makepyfile(test_it=dedent(LEAKY) + dedent(source))
        loaded = ["-p", "garboard.pytest_plugin", "-p", "no:cacheprovider"]
        return pytester.runpytest_subprocess(*loaded, *options)

    return run


class TestLimits:
    def test_let_so_many_bytes_live_on(self, run):
        result = run(
            """
            @pytest.mark.limit_leaks("1 KiB")
            def test_within():
                leak(256)

            @pytest.mark.limit_leaks("1 KiB", reason="a table is kept")
            def test_beyond():
                leak(257)

            @pytest.mark.limit_leaks
            def test_without_a_limit():
                pass
            """
        )

        result.assert_outcomes(passed=1, failed=2)
        result.stdout.fnmatch_lines(
            [
                "*allowed: 1.0 KiB (a table is kept); run it alone: pytest *",
                "limit_leaks: a limit is needed, such as limit_leaks('1 MiB')",
            ]
        )

    def test_hold_for_all_tests_by_an_option_or_a_setting(self, run, pytester):
        source = """
            def test_within():
                leak(256)

            def test_beyond():
                leak(257)

            @pytest.mark.no_leaks(limit=0)
            def test_that_is_stricter():
                leak(1)
            """
        run(source, "--leaks=fail", "--leaks-limit=1 KiB").assert_outcomes(passed=1, failed=2)

        pytester.makeini("[pytest]\ngarboard_leaks = fail\ngarboard_leaks_limit = 1 KiB\n")
        run(source).assert_outcomes(passed=1, failed=2)

    @pytest.mark.parametrize(
        ("option", "message"),
        [
            ("--leaks-limit=much", "--leaks-limit: parse_bytes: "),
            ("--leaks-repeat=3", "--leaks-repeat '3': WARMUP:RUNS is needed, as 3:5"),
            ("--leaks-repeat=3:0", "--leaks-repeat '3:0': WARMUP:RUNS is needed"),
            ("--leaks-report=x.png", "--leaks-report: 'x.png'; a name that ends with .html"),
            ("--leaks-report=no/x.html", "--leaks-report *no/x.html: its folder does not exist"),
        ],
    )
    def test_that_are_nonsense_end_the_run(self, run, option, message):
        result = run("def test_it(): pass", option)

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"*{message}*"])


class TestKinds:
    def test_are_the_only_ones_that_fail_a_test_or_those_that_do_not(self, run):
        result = run(
            """
            @pytest.mark.no_leaks(kinds="export-pin")
            def test_of_another_kind():
                leak()

            @pytest.mark.no_leaks(kinds=["tensor-list", "export-pin"], reason="they broke once")
            def test_of_this_kind():
                leak()

            @pytest.mark.no_leaks
            @pytest.mark.allow_leaks("tensor-list", reason="waits for a release")
            def test_allowed():
                leak()

            @pytest.mark.no_leaks
            @pytest.mark.allow_leaks(reason="all of it")
            def test_allowed_whatever_it_is():
                leak()

            @pytest.mark.no_leaks(kinds="tensor-lists")
            def test_of_no_kind():
                pass
            """
        )

        result.assert_outcomes(passed=3, failed=2)
        result.stdout.fnmatch_lines(
            [
                "*allowed: nothing of tensor-list, export-pin, anything else (they broke once)*",
                "*no_leaks: kinds 'tensor-lists'; *",
            ]
        )


class TestNonsense:
    @pytest.mark.parametrize(
        ("said", "message"),
        [
            ("limit='many'", "no_leaks: limit 'many'; bytes are needed, as '1 KiB'"),
            ("iterations=2.5", "no_leaks: iterations is of type float; an integer is needed"),
            ("iteration=5", "no_leaks: iteration is given; iterations is meant"),
            ("kind='tensor-list'", "no_leaks: kind is given; kinds is meant"),
        ],
    )
    def test_fails_the_test_in_a_line(self, run, said, message):
        result = run(
            f"""
            @pytest.mark.no_leaks({said})
            def test_it():
                pass
            """
        )

        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines([message])
        result.stdout.no_fnmatch_line("*_rules.py*")


REPEATED = """
    runs = []

    def test_that_leaks_each_time():
        leak()

    def test_that_makes_a_cache_once():
        runs.append(1)
        if len(runs) == 1:
            leak()

    def test_how_often():
        assert len(runs) == 8

    @pytest.mark.no_leaks(iterations=2, warmup=1)
    def test_that_says_so_itself():
        runs.append(1)

    def test_how_often_that():
        assert len(runs) == 11

    @pytest.mark.parametrize("i", range(2))
    def test_that_is_parametrized(i):
        if i:
            leak()

    def test_that_fails():
        leak()
        assert not kept

    class TestMethods:
        def test_it(self):
            self.x = gb.ones(3)
"""


class TestRepeats:
    def test_tell_caches_from_leaks(self, run):
        result = run(REPEATED, "--leaks=fail", "--leaks-repeat=3:5")

        result.assert_outcomes(passed=6, failed=3)
        text = result.stdout.str()
        assert text.count("TENSOR LEAK") == 2
        assert "E  tensor-list: +1 tensor, +1.0 KiB per step; 5 of 5 steps survived" in text
        result.stdout.fnmatch_lines(["TENSOR LEAK *test_that_is_parametrized[[]1[]]*"])

    def test_may_be_a_setting(self, run, pytester):
        pytester.makeini("[pytest]\ngarboard_leaks = fail\ngarboard_leaks_repeat = 3:5\n")

        run(REPEATED).assert_outcomes(passed=6, failed=3)

    def test_only_warn_where_the_run_only_warns(self, run):
        result = run(
            "    def test_it(): leak()",
            *("--leaks=warn", "--leaks-repeat=1:2", "-W", "default"),
        )

        result.assert_outcomes(passed=1, warnings=1)

    def test_have_a_limit_for_each_run(self, run):
        run(
            """
            @pytest.mark.limit_leaks("1 KiB", iterations=4)
            def test_within():
                leak(256)

            @pytest.mark.limit_leaks("1 KiB", iterations=4)
            def test_beyond():
                leak(257)
            """
        ).assert_outcomes(passed=1, failed=1)


UNITTESTS = """
    import asyncio
    import unittest

    class TestPlain(unittest.TestCase):
        def setUp(self):
            self.x = gb.ones(3)

        def test_that_leaks(self):
            leak()

        def test_that_does_not(self):
            self.y = self.x * 2

    class TestAsync(unittest.IsolatedAsyncioTestCase):
        async def test_that_leaks(self):
            await asyncio.sleep(0)
            leak()

        async def test_that_does_not(self):
            x = gb.ones(3)
            await asyncio.sleep(0)
            assert (x * 2).sum().item() == 6
"""


class TestOtherKindsOfTests:
    @pytest.mark.parametrize("more", [(), ("--leaks-repeat=1:3",)])
    def test_of_unittest_are_judged_sync_and_async(self, run, more):
        result = run(UNITTESTS, "--leaks=fail", *more)

        result.assert_outcomes(passed=2, failed=2)
        assert result.stdout.str().count("TENSOR LEAK") == 2

    @pytest.mark.parametrize("more", [(), ("--leaks-repeat=1:3",)])
    @pytest.mark.parametrize(
        ("plugin", "module", "marker"),
        [
            ("anyio.pytest_plugin", "anyio", "anyio"),
            ("pytest_asyncio.plugin", "pytest_asyncio", "asyncio"),
        ],
    )
    def test_of_async_plugins_are_judged(self, run, plugin, module, marker, more):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"needs {module}")
        result = run(
            f"""
            import asyncio

            @pytest.fixture
            def anyio_backend():
                return "asyncio"

            @pytest.mark.{marker}
            async def test_that_leaks():
                await asyncio.sleep(0)
                leak()

            @pytest.mark.{marker}
            async def test_that_does_not():
                x = gb.ones(3)
                await asyncio.sleep(0)
                assert (x * 2).sum().item() == 6
            """,
            *("-p", plugin, "--leaks=fail", "-W", "ignore", *more),
        )

        result.assert_outcomes(passed=1, failed=1)
        result.stdout.fnmatch_lines(["TENSOR LEAK *::test_that_leaks*"])

    def test_that_fail_skip_or_are_expected_to_fail_are_not_judged(self, run):
        result = run(
            """
            def test_that_fails():
                leak()
                assert False

            @pytest.mark.xfail
            def test_expected():
                leak()
                assert False

            def test_skipped():
                leak()
                pytest.skip()
            """,
            *("--leaks=fail", "--leaks-repeat=1:2", "--leaks-report=x.json"),
        )

        result.assert_outcomes(failed=1, xfailed=1, skipped=1)
        assert "TENSOR LEAK" not in result.stdout.str()
        assert gb.leaks.load_report("x.json").leaks == ()


MANY = """
    @pytest.mark.parametrize("i", range(6))
    def test_it(i):
        if i % 3 == 0:
            leak()

    def test_that_makes_a_view():
        kept.append(memoryview(gb.ones(5).numpy()))
"""


class TestReports:
    FILES = ("x.html", "x.json", "x.sarif", "x.txt", "x.xml")

    @pytest.mark.parametrize("more", [(), ("-p", "xdist", "-n", "2")], ids=["alone", "xdist"])
    def test_have_the_findings_of_all_tests_wherever_they_ran(self, run, pytester, more):
        files = [f"--leaks-report={name}" for name in self.FILES]

        result = run(MANY, "--leaks=fail", *files, *more)

        result.assert_outcomes(passed=4, failed=3)
        report = gb.leaks.load_report("x.json")
        assert sorted(leak.kind for leak in report.leaks) == ["export-pin", "tensor-list"]
        assert sum("test_it[" in note for note in report.notes) == 2
        assert "kept.append(gb.ones(count))" in (pytester.path / "x.html").read_text("utf-8")
        assert (pytester.path / "x.txt").read_text("utf-8").count("::error ") == 2
        assert (pytester.path / "x.xml").read_text("utf-8").count("<failure") == 2
        assert '"results"' in (pytester.path / "x.sarif").read_text("utf-8")
        assert {it.name for it in pytester.path.glob("*x.*")} == set(self.FILES)

    def test_of_a_run_without_leaks_say_so(self, run, pytester):
        run("    def test_it(): pass", "--leaks=fail", "--leaks-report=x.html")

        assert "no leaks" in (pytester.path / "x.html").read_text("utf-8")


def test_xdist_shows_each_leak_once(run):
    result = run(MANY, "--leaks=fail", "-p", "xdist", "-n", "2")

    result.assert_outcomes(passed=4, failed=3)
    text = result.stdout.str()
    assert len(re.findall(r"TENSOR LEAK test_it\.py::\S+ - LeakError: 1 leak: ", text)) == 3
    assert text.count("E    held by") == 3
