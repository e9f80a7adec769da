"""Judges tests by what they leave alive: the pytest plugin.

A test asks for it by the fixture `no_leaks` or the marker `@pytest.mark.no_leaks`; the option
`--leaks=fail` or `--leaks=warn` asks for all. Only a test that passed is judged, when its function
fixtures have been torn down and pytest has let go of their values.

The marker `@pytest.mark.every_allocation_fails` runs a test once for each allocation it makes.
"""

from __future__ import annotations

import argparse
from collections.abc import Generator, Iterator
from functools import wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from garboard.pytest_plugin import _peaks, _provider, _reports, _rules

if TYPE_CHECKING:
    from _pytest._code.code import ReprFileLocation, ReprTraceback

    from garboard._engine import Tensor
    from garboard.leaks import LeakReport
    from garboard.leaks.evidence._evidence import Evidence
    from garboard.leaks.evidence._rows import Since, Survivor

__all__ = ["JudgedTest", "no_leaks"]

_FAILING_MARKER = (
    "every_allocation_fails: run the test as it is, then once for each allocation that it makes, "
    "which fails with OutOfMemoryError; each run must raise that, or catch it and pass, and leave "
    "nothing behind. Fixtures are set up once, for all runs."
)
_DEST, _DEST_OF_LONG = "garboard_leaks", "garboard_leaks_by_long_name"
_mode = pytest.StashKey[str]()
_judged = pytest.StashKey["JudgedTest"]()


class JudgedTest:
    """One test under judgement; what the fixture `no_leaks` gives.

    Args:
        file: The test's; a loop of its own is judged by what it leaves.
        evidence: What tells what lives; the engine's own by default.

    >>> from garboard.pytest_plugin import JudgedTest
    >>> judge = JudgedTest()
    >>> value = gb.ones(3).sum().item()
    >>> judge.report().ok
    True
    """

    def __init__(self, file: str = "", evidence: Evidence | None = None) -> None:
        from garboard.leaks.evidence._native import EVIDENCE

        self._file = file
        self._evidence = evidence or EVIDENCE
        self._since = self._evidence.now()
        self._owned: list[tuple[Since, Since]] = []  # births of fixtures that outlive the test
        self._excluded: set[int] = set()
        self._spared: list[object] = []
        self._of_repeats: LeakReport | None = None

    def exclude(self, *tensors: Tensor) -> None:
        """Let these tensors live on.

        Args:
            *tensors: Tensors; they are not kept alive.

        >>> from garboard.pytest_plugin import JudgedTest
        >>> judge = JudgedTest()
        >>> table = [gb.zeros(3)]
        >>> judge.exclude(*table)
        >>> judge.report().ok
        True
        """
        self._excluded.update(self._evidence.birth(tensor)[0] for tensor in tensors)

    def own(self, since: Since, until: Since) -> None:
        """Let what was born between two moments live on: what a fixture of a wider scope made.

        Args:
            since: The first of them.
            until: The second.

        >>> from garboard.pytest_plugin import JudgedTest
        >>> from garboard.leaks.evidence._native import EVIDENCE
        >>> judge = JudgedTest()
        >>> begun = EVIDENCE.now()
        >>> table = [gb.zeros(3)]
        >>> judge.own(begun, EVIDENCE.now())
        >>> judge.report().ok
        True
        """
        self._owned.append((since, until))

    def spare(self, thing: object) -> None:
        """Let live on, at the next report, what an object holds that ends with the test.

        Args:
            thing: Such as the instance of the test's class; it is held until the report.

        >>> from types import SimpleNamespace
        >>> from garboard.pytest_plugin import JudgedTest
        >>> judge = JudgedTest()
        >>> instance = SimpleNamespace(x=gb.zeros(3))
        >>> judge.spare(instance)
        >>> judge.report().ok
        True
        """
        self._spared.append(thing)

    def take(self, report: LeakReport) -> None:
        """Take what a repeated test left alive for the judgement.

        Args:
            report: Of all its runs.

        >>> from garboard.pytest_plugin import JudgedTest
        >>> judge = JudgedTest()
        >>> judge.take(gb.leaks.LeakReport(notes=("five runs",)))
        >>> judge.report().notes
        ('five runs',)
        """
        self._of_repeats = report

    def report(self) -> LeakReport:
        """Judge; nothing of what is found is kept.

        Returns:
            A LeakReport.

        >>> from garboard.pytest_plugin import JudgedTest
        >>> JudgedTest().report().ok
        True
        """
        from garboard.leaks import LeakReport
        from garboard.leaks.judging._exact import judged

        if self._of_repeats is not None:
            return self._of_repeats
        found = judged(
            self._since,
            is_exempt=self._is_exempt,
            loop_file=self._file,
            spared=self._spared,
            evidence=self._evidence,
        )
        self._spared.clear()
        return LeakReport(*found)

    def _is_exempt(self, survivor: Survivor) -> bool:
        serial = survivor.serial
        return serial in self._excluded or any(
            since.alias <= serial < until.alias for since, until in self._owned
        )


def _is_taken(parser: pytest.Parser, name: str) -> bool:
    """Tell whether another plugin has the option, or would stumble over ours later."""
    groups = [*getattr(parser, "_groups", []), getattr(parser, "_anonymous", None)]
    options = [option for group in groups if group for option in group.options]
    return any(name in option.names() for option in options) or bool(find_spec("pytest_leaks"))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("garboard", "tensor leaks (garboard)")
    settings: dict[str, Any] = {
        "choices": ("off", "warn", "fail"),
        "default": None,
        "help": "judge every test by the tensors it leaves alive; off: not even the marked ones",
    }
    try:
        if _is_taken(parser, "--leaks"):
            raise ValueError("--leaks is another plugin's")
        group.addoption("--leaks", dest=_DEST, **settings)
    except (ValueError, argparse.ArgumentError):
        group.addoption("--garboard-leaks", dest=_DEST_OF_LONG, **settings)
    group.addoption(
        "--leaks-baseline",
        metavar="FILE",
        help="known leaks, as garboard.leaks.save_baseline writes them: they fail no test",
    )
    _provider.add_options(group)
    _rules.add_options(parser, group)
    _reports.add_options(group)
    _peaks.add_options(group)
    parser.addini("garboard_leaks", "what --leaks says where it is not given", default="")


def pytest_configure(config: pytest.Config) -> None:
    for marker in (*_rules.MARKERS, _FAILING_MARKER, _peaks.MARKER):
        config.addinivalue_line("markers", marker)
    given = config.getoption(_DEST, None) or config.getoption(_DEST_OF_LONG, None)
    config.stash[_mode] = str(given or config.getini("garboard_leaks"))
    _rules.read_settings(config)
    if files := config.getoption("leaks_report"):
        file = _reports.FindingsFile(files, config.invocation_params.dir)
        config.pluginmanager.register(file, "garboard-findings")
    config.pluginmanager.register(_peaks.Peaks(config.getoption("memory_peaks")), "garboard-peaks")
    if baseline := config.getoption("leaks_baseline"):
        from garboard.leaks import load_baseline

        try:
            load_baseline(config.invocation_params.dir / baseline)
        except (OSError, ValueError) as error:
            raise pytest.UsageError(f"--leaks-baseline: {error}") from None


def pytest_report_header(config: pytest.Config) -> str | None:
    mode = config.stash.get(_mode, "")
    if not hasattr(config.option, _DEST):
        return (
            f"garboard: leaks={mode or 'marked'} "
            "(another plugin has --leaks; this one's option is --garboard-leaks)"
        )
    return f"garboard: leaks={mode}" if mode else None


def _is_judged(item: pytest.Item) -> bool:
    mode = item.config.stash.get(_mode, "")
    if mode == "off":
        return False
    return bool(mode) or _rules.is_marked(item)


@pytest.fixture
def no_leaks(request: pytest.FixtureRequest) -> JudgedTest:
    """Fail the test if tensors, graphs or exports outlive it.

    Args:
        request: Pytest's, of the test.

    Returns:
        A JudgedTest, whose `exclude(*tensors)` lets some live on.

    >>> def test_a_step_leaves_nothing_behind(no_leaks):
    ...     value = gb.ones(3).sum().item()
    """
    judge = request.config.stash.get(_judged, None)
    return judge if judge is not None else JudgedTest()  # switched off: it judges nothing


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(request: pytest.FixtureRequest) -> Iterator[None]:
    """What fixtures of a wider scope make belongs to them, whichever test comes first."""
    judge = request.config.stash.get(_judged, None)
    if judge is None or request.scope == "function":
        return (yield)
    evidence = _provider.evidence_for(request.config)
    before = evidence.now()
    try:
        return (yield)
    finally:
        judge.own(before, evidence.now())


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Repeat the test where its marker says so; a marker that says nonsense fails it."""
    if not _is_judged(item):
        return (yield)
    wrong = ""
    try:
        rules = _rules.rules_of(item)
    except (TypeError, ValueError) as error:
        wrong = str(error)
    if wrong:
        pytest.fail(wrong, pytrace=False)
    if rules.iterations is None or not isinstance(item, pytest.Function):
        return (yield)
    from garboard.leaks import no_leaks

    repeated = no_leaks(rules.iterations, rules.warmup, _provider.provider_for(item.config))
    repeated._hear = item.config.stash[_judged].take
    function = item.obj
    item.obj = repeated(function)
    try:
        return (yield)
    finally:
        item.obj = function


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Run the test once for each allocation it makes, where its marker says so."""
    if pyfuncitem.get_closest_marker("every_allocation_fails") is None:
        return (yield)
    from garboard.memory import fail_every_allocation

    function = pyfuncitem.obj

    @wraps(function)
    def run_all(*arguments: Any, **named: Any) -> None:
        fail_every_allocation(lambda: function(*arguments, **named))

    pyfuncitem.obj = run_all
    try:
        return (yield)
    finally:
        pyfuncitem.obj = function


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a judged test as pytest does, and say how it went when it has been judged."""
    if not _is_judged(item):
        return None
    from _pytest.runner import runtestprotocol

    judge = item.config.stash[_judged] = JudgedTest(
        str(item.path), _provider.evidence_for(item.config)
    )
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    try:
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    finally:
        del item.config.stash[_judged]
    if [report.outcome for report in reports] == ["passed"] * 3:
        _judge(item, judge, reports)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _judge(item: pytest.Item, judge: JudgedTest, reports: list[pytest.TestReport]) -> None:
    from garboard.leaks import MemoryLeakWarning

    method = vars(item).get("_obj")  # what reading `item.instance` would make anew
    instance = vars(item).get("_instance", getattr(method, "__self__", None))
    if instance is not None:
        judge.spare(instance)
    found = _rules.rules_of(item).applied(judge.report())
    if not found.leaks:
        return
    _, call, teardown = reports
    _reports.attach(call, found)
    if item.config.stash[_mode] == "warn" and not _rules.is_marked(item):
        try:
            return item.warn(MemoryLeakWarning(f"{item.nodeid}: {found.headline}\n{found}"))
        except MemoryLeakWarning:
            pass  # a filter makes errors of warnings
    _fail(item, call, found)
    teardown.user_properties.append(_property(found))  # where the JUnit file is written


def _fail(item: pytest.Item, report: pytest.TestReport, found: LeakReport) -> None:
    report.outcome = "failed"
    report.longrepr = LeakText(item, found)  # type: ignore[assignment]
    report.sections.append(("tensor leaks", str(found)))
    report.user_properties.append(_property(found))


def _property(found: LeakReport) -> tuple[str, object]:
    return "tensor_leaks", str(len(found.leaks))


class LeakText:
    """What a failed test shows: what, where born, who holds it, how to mend it.

    Its parts are pytest's own, which a worker of pytest-xdist can send.
    """

    def __init__(self, item: pytest.Item, found: LeakReport) -> None:
        from _pytest._code.code import ReprEntryNative, ReprFileLocation, ReprTraceback

        path, line, _ = item.reportinfo()
        message = f"LeakError: {found.headline}"
        self.reprcrash: ReprFileLocation = ReprFileLocation(str(path), (line or 0) + 1, message)
        self._lines = [message]
        for leak in found.leaks:
            self._lines += [
                f"{leak.kind}: {leak.figures}",
                f"  born    {leak.site}   {leak.site.source}",
                f"  held by {leak.holder}",
                f"  fix     {leak.fix}",
            ]
        allowed = _rules.rules_of(item).summary
        self._lines.append(f'allowed: {allowed}; run it alone: pytest "{item.nodeid}"')
        entry = ReprEntryNative([f"{line}\n" for line in str(self).splitlines()])
        self.reprtraceback: ReprTraceback = ReprTraceback([entry], None, "native")
        self.sections: list[tuple[str, str, str]] = []

    def __str__(self) -> str:
        return "\n".join(f"E  {line}" for line in self._lines)

    def toterminal(self, terminal: Any) -> None:
        """Write the lines as pytest writes errors."""
        for line in str(self).splitlines():
            terminal.line(line, red=True, bold=True)


def pytest_report_teststatus(
    report: pytest.CollectReport | pytest.TestReport,
) -> tuple[str, str, str] | None:
    properties = dict(getattr(report, "user_properties", ()))
    if report.when == "call" and report.failed and "tensor_leaks" in properties:
        return "failed", "T", "TENSOR LEAK"
    return None
