"""What several statements store into containers of their own is one cause, and told once."""

from __future__ import annotations

import sys
from collections import deque
from textwrap import dedent
from types import ModuleType

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

HEAD = """\
import garboard as gb


def main(watch):
    net, losses, by_step = gb.nn.Linear(2, 1), [], {}
    for step in range(60):
        loss = net(gb.randn(4, 2)).square().mean()
"""
TAIL = """\
        watch.step()
    return watch.report()
"""


@pytest.fixture
def found(tmp_path):
    def run(text: str) -> gb.leaks.Leak:
        file = tmp_path / "program.py"
        body = "".join(f"        {line}\n" for line in dedent(text).splitlines())
        file.write_text(HEAD + body + TAIL, encoding="utf-8")
        module = ModuleType("program_beside")
        sys.modules[module.__name__] = module
        try:
            exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), vars(module))
            with gb.leaks.watch(on_leak=lambda leak: None) as watch:
                (leak,) = module.main(watch).leaks
        finally:
            del sys.modules[module.__name__]
            vars(module).clear()
        return leak

    return run


def test_both_are_named_and_a_number_in_place_of_the_variable_mends_both(found):
    leak = found("""\
        losses.append(loss)
        by_step[step] = loss
        """)

    assert "list `losses`" in leak.holder
    assert "dict `by_step`" in leak.holder
    assert leak.holder_site.line == 8
    assert leak.fix == "loss = loss.item(); losses.append(loss)"
    assert "+        losses.append(loss.item())" in leak.diff
    assert "+        by_step[step] = loss.item()" in leak.diff


@pytest.mark.parametrize("last", ["loss.backward()", "print(loss, file=log)"])
def test_a_variable_that_is_read_later_is_left_as_it_is(found, last):
    leak = found(f"""\
        log = open('/dev/null', 'w')
        losses.append(loss)
        by_step[step] = loss
        {last}
        log.close()
        """)

    assert leak.fix.startswith("losses.append(loss.item())  # and by_step[step] = loss.item() (")


def test_what_has_the_newest_alone_is_not_named(found):
    leak = found("""\
        losses.append(loss)
        by_step[step % 5] = loss
        """)

    assert leak.holder.startswith("list `losses`")
    assert "by_step" not in leak.holder


def test_records_of_two_lists_are_told_by_both_fixes(found):
    leak = found("""\
        losses.append({'loss': loss})
        by_step[step] = (step, loss)
        """)

    assert leak.holder.count("program.py") == 2
    assert "losses.append({'loss': loss.item()})" in leak.fix
    assert "by_step[step] = (step, loss.item())" in leak.fix


def test_a_deque_with_a_bound_is_no_second_container():
    net, losses, window = gb.nn.Linear(2, 1), [], deque(maxlen=40)
    with gb.leaks.watch(on_leak=lambda leak: None) as watch:
        for _ in range(60):
            loss = net(gb.randn(4, 2)).square().mean()
            losses.append(loss)
            window.append(loss)
            watch.step()

    (leak,) = watch.report().leaks
    assert "window" not in leak.holder
