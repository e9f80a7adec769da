"""The pytest plugin: whom it judges, when, and how it says so."""

from __future__ import annotations

import os
from importlib.metadata import entry_points
from pathlib import Path

import garboard.leaks
import garboard.nn
import garboard.pytest_plugin  # with the others, or every inner run would import them anew
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytest_plugins = ["pytester"]

LOAD = ["-p", "garboard.pytest_plugin", "-p", "no:cacheprovider"]

SUITE = """
    import garboard as gb
    import pytest

    kept = []

    @pytest.fixture
    def x():
        return gb.ones(4, 3)

    def test_that_leaks(x):
        kept.append(x * 2)

    def test_that_does_not(x):
        assert (x * 2).sum().item() == 24
"""

MARKED = SUITE.replace("def test_that_leaks", "@pytest.mark.no_leaks\n    def test_that_leaks")


@pytest.fixture
def alone(monkeypatch):
    """No plugin loads itself: an installed package would bring ours a second time."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    paths = [str(Path(garboard.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))  # runs begin in another folder


@pytest.fixture
def run(balanced, pytester, alone):  # noqa: F811
    """Run a test file in this process, with the plugin."""

    def run(source, *options):
        pytester.makepyfile(source)
        return pytester.runpytest_inprocess(
            "-p", "no:cacheprovider", *options, plugins=[garboard.pytest_plugin]
        )

    return run


class TestAllTests:
    def test_are_left_in_peace_unless_asked_for(self, run):
        run(SUITE).assert_outcomes(passed=2)

    def test_are_judged_by_an_option(self, run):
        result = run(SUITE, "--leaks=fail")

        result.assert_outcomes(passed=1, failed=1)
        result.stdout.fnmatch_lines(
            [
                "garboard: leaks=fail",
                "*E  LeakError: 1 leak: tensor-list, kept: 1 tensor, *.py:11 [[]LIST-*[]]",
                "*E    born    *.py:11 test_that_leaks()   kept.append(x * 2)",
                "*E    held by list `kept` (*.py:11)",
                "*E    fix     take it out of kept when it is done*",
                "*E  allowed: nothing; run it alone: pytest *::test_that_leaks*",
                "*- tensor leaks -*",
                "TENSOR LEAK *::test_that_leaks - LeakError: *",
            ]
        )

    def test_are_warned_of_by_an_option(self, run):
        result = run(SUITE, "--leaks=warn", "-W", "default")

        result.assert_outcomes(passed=2, warnings=1)
        result.stdout.fnmatch_lines(["*MemoryLeakWarning: *::test_that_leaks: 1 leak: *"])

    def test_fail_where_warnings_are_errors(self, run):
        run(SUITE, "--leaks=warn", "-W", "error").assert_outcomes(passed=1, failed=1)

    def test_are_judged_by_a_setting(self, run, pytester):
        pytester.makeini("[pytest]\ngarboard_leaks = fail\n")

        run(SUITE).assert_outcomes(passed=1, failed=1)

    def test_show_one_letter_each(self, run):
        run(SUITE, "--leaks=fail").stdout.fnmatch_lines(["*.py T. *"])

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ("limit=None", "no_leaks: limit is of type NoneType"),
            ("limit='much'", "no_leaks: limit 'much'; "),
            ("limit=-1", "no_leaks: limit -1; 0 or more"),
            ("iterations='3'", "no_leaks: iterations is of type str"),
        ],
    )
    def test_fail_where_their_marker_says_nonsense(self, run, settings, message):
        result = run(
            f"""
            import pytest

            @pytest.mark.no_leaks({settings})
            def test_it():
                pass

            def test_another():
                pass
            """
        )

        result.assert_outcomes(failed=1, passed=1)
        assert message in result.stdout.str()

    def test_are_counted_in_the_junit_file(self, run, pytester):
        run(SUITE, "--leaks=fail", "--junitxml=out.xml", "-o", "junit_family=xunit1")

        text = (pytester.path / "out.xml").read_text(encoding="utf-8")
        assert 'failures="1"' in text
        assert '<property name="tensor_leaks" value="1"' in text


class TestAMarkedTest:
    def test_is_judged_without_an_option(self, run):
        source = SUITE.replace(
            "def test_that_leaks", "@pytest.mark.no_leaks\n    def test_that_leaks"
        )

        run(source, "--strict-markers").assert_outcomes(passed=1, failed=1)

    def test_fails_although_others_are_only_warned_of(self, run):
        source = SUITE.replace(
            "def test_that_leaks", "@pytest.mark.no_leaks\n    def test_that_leaks"
        )

        run(source, "--leaks=warn").assert_outcomes(passed=1, failed=1)

    def test_is_left_in_peace_when_all_is_off(self, run):
        source = SUITE.replace(
            "def test_that_leaks", "@pytest.mark.no_leaks\n    def test_that_leaks"
        )

        run(source, "--leaks=off").assert_outcomes(passed=2)

    @pytest.mark.parametrize(("limit", "failed"), [("'1 KiB'", 0), ("48", 0), ("'47 B'", 1)])
    def test_may_leave_what_its_limit_allows(self, run, limit, failed):
        marker = f"@pytest.mark.no_leaks(limit={limit})\n    def test_that_leaks"

        result = run(SUITE.replace("def test_that_leaks", marker))

        result.assert_outcomes(passed=2 - failed, failed=failed)

    def test_is_repeated_where_it_asks_for_it(self, run):
        result = run(
            """
            import garboard as gb
            import pytest

            calls, kept = [], []

            @pytest.mark.no_leaks(iterations=4, warmup=2)
            def test_that_leaks_in_every_run():
                kept.append(gb.ones(3))

            @pytest.mark.no_leaks(iterations=4, warmup=2)
            def test_that_fills_a_cache():
                calls.append(1)
                if len(calls) == 1:
                    kept.append(gb.ones(3))

            def test_that_counts():
                assert (len(kept), len(calls)) == (7, 6)
            """
        )

        result.assert_outcomes(passed=2, failed=1)
        result.stdout.fnmatch_lines(["*E  tensor-list: +1 tensor*; 4 of 4 steps survived*"])

    def test_may_be_repeated_as_a_method(self, run):
        run(
            """
            import garboard as gb
            import pytest

            class TestIt:
                kept = []

                @pytest.mark.no_leaks(iterations=2)
                def test_that_leaks(self):
                    self.kept.append(gb.ones(3))

                @pytest.mark.no_leaks(iterations=2)
                def test_that_does_not(self, tmp_path):
                    assert tmp_path.exists()
            """
        ).assert_outcomes(passed=1, failed=1)

    def test_may_have_a_marker_of_another_plugin_with_the_same_name(self, run):
        run(
            """
            import pytest

            @pytest.mark.no_leaks("tasks", "threads", action="raise")
            def test_it():
                pass
            """
        ).assert_outcomes(passed=1)


class TestTheFixture:
    def test_fails_the_test_after_all_its_fixtures_have_been_torn_down(self, run):
        result = run(
            """
            import garboard as gb
            import pytest

            kept = []

            @pytest.fixture
            def late():
                tensor = gb.ones(3)
                kept.append(tensor)
                yield tensor
                kept.clear()

            def test_that_cleans_up(late, no_leaks):
                kept.append(late * 2)

            def test_that_leaks(no_leaks):
                kept.append(gb.ones(3))
            """
        )

        result.assert_outcomes(passed=1, failed=1)

    def test_lets_excluded_tensors_live(self, run):
        run(
            """
            import garboard as gb

            kept = []

            def test_it(no_leaks):
                kept.append(gb.ones(3))
                no_leaks.exclude(*kept)
            """
        ).assert_outcomes(passed=1)

    def test_does_nothing_when_all_is_off(self, run):
        run(
            """
            import garboard as gb

            kept = []

            def test_it(no_leaks):
                kept.append(gb.ones(3))
                no_leaks.exclude(*kept)
            """,
            "--leaks=off",
        ).assert_outcomes(passed=1)


def test_what_a_wide_fixture_keeps_is_called_by_its_name(run):
    result = run(
        """
        import garboard as gb
        import pytest

        @pytest.fixture(scope="module")
        def seen():
            return {}

        def test_it(seen):
            seen[len(seen)] = gb.ones(3)

        def test_after_it(seen):
            assert len(seen) == 1
        """,
        "--leaks=fail",
    )

    result.stdout.fnmatch_lines(["*tensor-list*", "*held by dict `seen` (*.py:4)"])


class TestIsNotBlamed:
    def test_a_test_for_what_wider_fixtures_own(self, run):
        run(
            """
            import garboard as gb
            import pytest

            @pytest.fixture(scope="module")
            def net():
                return gb.nn.Linear(3, 2)

            @pytest.fixture(scope="session")
            def data():
                return [gb.ones(4, 3) for _ in range(3)]

            @pytest.mark.parametrize("i", range(3))
            def test_it(net, data, i):
                net(data[i]).sum().backward()
            """,
            "--leaks=fail",
        ).assert_outcomes(passed=3)

    def test_a_test_for_what_the_one_before_left(self, run):
        result = run(
            """
            import garboard as gb

            kept = []

            def test_first():
                kept.append(gb.ones(3))

            def test_second():
                assert len(kept) == 1
            """,
            "--leaks=fail",
        )

        result.assert_outcomes(passed=1, failed=1)
        result.stdout.fnmatch_lines(["TENSOR LEAK *::test_first - *"])

    def test_a_test_that_failed_was_skipped_or_expected_to_fail(self, run):
        result = run(
            """
            import garboard as gb
            import pytest

            kept = []

            def test_failed():
                kept.append(gb.ones(3))
                assert False

            def test_skipped():
                kept.append(gb.ones(3))
                pytest.skip("later")

            @pytest.mark.xfail
            def test_expected():
                kept.append(gb.ones(3))
                assert False

            @pytest.fixture
            def broken():
                yield
                raise ValueError

            def test_torn_down_badly(broken):
                kept.append(gb.ones(3))
            """,
            "--leaks=fail",
        )

        result.assert_outcomes(failed=1, skipped=1, xfailed=1, passed=1, errors=1)
        assert "TENSOR LEAK" not in result.stdout.str()

    def test_a_test_for_garbage_in_cycles(self, run):
        run(
            """
            import gc
            import garboard as gb

            def test_it():
                gc.disable()
                cycle = [gb.ones(3)]
                cycle.append(cycle)

            def test_on():
                gc.enable()
            """,
            "--leaks=fail",
        ).assert_outcomes(passed=2)


class TestOtherPlugins:
    def test_keep_their_option_of_the_same_name(self, pytester, alone):
        pytester.makepyfile(
            other="""
            def pytest_addoption(parser):
                parser.getgroup("other").addoption("--leaks", default="theirs")
            """,
            test_it=SUITE,
        )
        pytester.syspathinsert()
        first = ["-p", "other"]

        result = pytester.runpytest_subprocess(*first, *LOAD, "--leaks=x", "--garboard-leaks=fail")

        result.assert_outcomes(passed=1, failed=1)
        result.stdout.fnmatch_lines(["garboard: leaks=fail (another plugin has --leaks; *"])

    @pytest.mark.skipif(
        not entry_points(group="pytest11", name="garboard"), reason="the package is not installed"
    )
    def test_need_not_load_it(self, pytester):
        pytester.makepyfile(SUITE)

        result = pytester.runpytest_subprocess("-p", "no:garboard", "-p", "no:cacheprovider")

        result.assert_outcomes(passed=2)
        assert "garboard: leaks" not in result.stdout.str()

    def test_find_nothing_of_it_where_it_is_not_loaded(self, pytester, alone):
        pytester.makepyfile(MARKED)

        result = pytester.runpytest_subprocess("-p", "no:cacheprovider")

        result.assert_outcomes(passed=2, warnings=1)  # of an unknown marker


def test_judges_in_a_process_of_its_own(pytester, alone):
    pytester.makepyfile(SUITE)

    result = pytester.runpytest_subprocess(*LOAD, "--leaks=fail", "-q")

    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_imports_no_leak_check_before_it_is_asked_to(pytester, alone):
    pytester.makepyfile(
        """
        import sys

        def test_it():
            assert "garboard.leaks" not in sys.modules
            assert "rich" not in sys.modules
        """
    )

    pytester.runpytest_subprocess(*LOAD).assert_outcomes(passed=1)


FAILING = """
    import garboard as gb
    import pytest

    kept, runs = [], []

    @pytest.fixture
    def x():
        return gb.ones(4, 3)

    @pytest.mark.every_allocation_fails
    def test_that_survives(x):
        runs.append(1)
        assert ((x * 2) + 1).sum().item() == 36

    def test_how_often_that_ran():
        assert len(runs) == 5

    @pytest.mark.every_allocation_fails
    @pytest.mark.parametrize("count", [2, 3])
    def test_that_leaks_when_it_fails(x, count):
        for _ in range(count):
            kept.append(x * 2)
        kept.clear()

    @pytest.mark.every_allocation_fails
    def test_that_breaks(x):
        try:
            x * 2
        except gb.OutOfMemoryError:
            assert kept is None
"""


class TestEveryAllocationFails:
    def test_runs_a_marked_test_once_for_each(self, run):
        run(FAILING, "-k", "survives or ran").assert_outcomes(passed=2)

    def test_fails_one_that_leaves_something_behind_or_breaks_and_says_when(self, pytester, alone):
        pytester.makepyfile(FAILING)

        result = pytester.runpytest_subprocess(*LOAD, "-k", "test_that_leaks or test_that_breaks")

        result.assert_outcomes(failed=3)
        result.stdout.fnmatch_lines(
            [
                "*GarboardError: fail_every_allocation: 2 aliases live with allocation 2 made to "
                "fail, 1 before; a call must leave none behind",
                "*after allocation 1 was made to fail",
            ]
        )

    def test_is_a_known_marker(self, run):
        run(FAILING, "--markers").stdout.fnmatch_lines(["@pytest.mark.every_allocation_fails: *"])


def test_what_the_tests_own_object_keeps_ends_with_it(run):
    result = run(
        """
        import garboard as gb
        import pytest
        import unittest

        class TestMethods:
            def setup_method(self):
                self.x = gb.ones(3)

            def test_it(self):
                self.y = self.x * 2

        class TestFixtures:
            @pytest.fixture(autouse=True)
            def prepare(self):
                self.x = gb.ones(3)

            def test_it(self):
                self.all = [self.x * 2]

        class TestCase(unittest.TestCase):
            def setUp(self):
                self.x = gb.ones(3)

            def test_it(self):
                self.y = self.x * 2

        class TestClass:
            kept = []

            def test_it(self):
                self.kept.append(gb.ones(3))
        """,
        "--leaks=fail",
    )

    result.assert_outcomes(passed=3, failed=1)
    assert "held by list `TestClass.kept`" in result.stdout.str()
