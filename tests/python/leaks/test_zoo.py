"""The zoo: small programs that leak, their repaired twins, and healthy ones that look suspicious.

A leaking program says what must be found: kind, verdict, the beginning of the holder, and by the
comments `born` and `held` the two lines. Each gets a module of its own, so the lines are real.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

ZOO = Path(__file__).resolve().parents[2] / "zoo"
pytestmark = pytest.mark.usefixtures("balanced")


def programs(*folders: str) -> list[object]:
    files = [file for folder in folders for file in sorted((ZOO / folder).glob("*.py"))]
    return [pytest.param(file, id=f"{file.parent.name}/{file.stem}") for file in files]


def marked_line(file: Path, word: str) -> int | None:
    """Return the line whose last comment has the word."""
    pattern = re.compile(rf"# (.*\W)?{word}\b(?!.*#)")
    lines = file.read_text(encoding="utf-8").splitlines()
    return next((i for i, line in enumerate(lines, start=1) if pattern.search(line)), None)


@contextmanager
def loaded(file: Path) -> Iterator[ModuleType]:
    name = f"zoo_{file.parent.name}_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        gb.manual_seed(7)
        spec.loader.exec_module(module)
        yield module
    finally:
        del sys.modules[name]
        vars(module).clear()  # classes are in cycles; the collector follows


@pytest.fixture
def program(request) -> Iterator[ModuleType]:
    with loaded(request.param) as module:
        yield module


@pytest.mark.parametrize("program", programs("leaks"), indirect=True)
def test_a_leak_is_named(program):
    announced = []
    with gb.leaks.watch(on_leak=announced.append) as watch:
        report = program.main(watch)

    assert [leak.kind for leak in report.leaks] == [program.KIND], str(report)
    leak = report.leaks[0]
    file = Path(program.__file__)
    assert leak.verdict == program.VERDICT
    assert leak.holder.startswith(program.HOLDER)
    assert leak.site[:2] == (str(file), marked_line(file, "born"))
    if (held := marked_line(file, "held")) is not None:
        assert leak.holder.endswith(f"{file.name}:{held})")
        assert program.KIND == "py-cycle" or leak.holder_site.line == held
    assert leak.fix == getattr(program, "FIX", leak.fix)
    assert report.ok == (program.VERDICT != "LEAK")
    assert [it.kind for it in announced] == [program.KIND] * (program.VERDICT == "LEAK")


PASTED = (
    *("l01_global", "l01_moving_average", "l01_total_loss", "l01_validation", "l02_by_step"),
    *("l02_detached", "l02_history", "l02_losses", "l02_records", "l05_meter", "l05_running_mean"),
    "l18_one_view",
)


@pytest.mark.parametrize("name", PASTED)
def test_a_fix_works_when_it_is_pasted(name, tmp_path):
    file = ZOO / "leaks" / f"{name}.py"
    with loaded(file) as module, gb.leaks.watch(on_leak=lambda leak: None) as watch:
        leak = module.main(watch).leaks[0]
    lines = file.read_text(encoding="utf-8").splitlines()
    number = leak.holder_site.line - 1
    indent = lines[number][: len(lines[number]) - len(lines[number].lstrip())]
    lines[number] = indent + leak.fix
    mended = tmp_path / f"mended_{name}.py"
    mended.write_text("\n".join(lines), encoding="utf-8")

    with loaded(mended) as module, gb.leaks.watch(on_leak="raise") as watch:
        report = module.main(watch)

    assert not report.leaks, str(report)


@pytest.mark.parametrize("program", programs("twins", "controls"), indirect=True)
def test_a_healthy_program_is_left_in_peace(program):
    announced = []
    with gb.leaks.watch(on_leak=announced.append) as watch:
        report = program.main(watch)

    assert not report.leaks, str(report)
    assert not announced
    assert report.checked.steps >= 30
