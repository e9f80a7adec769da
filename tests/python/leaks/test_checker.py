"""TorchSeal's interface, without its blind spots."""

from __future__ import annotations

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def test_a_healthy_loop_passes_every_check():
    net = gb.nn.Linear(3, 2)
    checker = gb.leaks.LeakChecker()
    opt = gb.optim.Adam(net.parameters())
    total = 0.0
    for _ in range(12):
        x = gb.ones(4, 3)
        loss = net(x).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
        checker.check_leaks()


def test_all_leaks_are_in_one_error_with_their_lines():
    checker, first, second = gb.leaks.LeakChecker(), [], []
    first.append(gb.ones(3))
    second.append(gb.ones(300))

    with pytest.raises(gb.leaks.MemoryLeakError) as raised:
        checker.check_leaks()

    assert [leak.holder.partition(" (")[0] for leak in raised.value.leaks] == [
        "list `second`",
        "list `first`",
    ]
    assert "second.append(gb.ones(300))" in str(raised.value)


def test_a_swapped_tensor_is_found_although_the_count_is_the_same():
    kept = [gb.ones(3)]
    checker = gb.leaks.LeakChecker()
    kept[0] = gb.ones(3)

    with pytest.raises(gb.leaks.MemoryLeakError):
        checker.check_leaks()


def test_a_graph_that_links_many_checks_is_found():
    w, total = gb.ones(3, requires_grad=True), 0
    checker = gb.leaks.LeakChecker()

    def loop():
        nonlocal total
        for _ in range(10):
            loss = (w * 2).sum()
            loss.backward()
            total += loss
            checker.check_leaks()

    with pytest.raises(gb.leaks.LeakError) as raised:
        loop()
    assert raised.value.leaks[0].kind == "accumulated-graph"


def test_it_warns_instead_where_it_was_asked_to():
    checker, kept = gb.leaks.LeakChecker(error_on_leak=False), []
    kept.append(gb.ones(3))

    with pytest.warns(gb.leaks.MemoryLeakWarning, match="1 leak: tensor-list") as caught:
        checker.check_leaks()
    assert caught[0].filename == __file__


def test_excluded_tensors_are_not_reported():
    checker, kept = gb.leaks.LeakChecker(), []
    kept += [gb.ones(3), gb.ones(3)]
    checker.exclude_tensors_from_report(*kept)

    checker.check_leaks()
    kept.append(gb.ones(3))
    with pytest.raises(gb.leaks.MemoryLeakError) as raised:
        checker.check_leaks()
    assert raised.value.leaks[0].count == 1


def test_nothing_is_printed_and_no_value_shown(capsys):
    checker, kept = gb.leaks.LeakChecker(), []
    kept.append(gb.full((2,), 12345.0))

    with pytest.raises(gb.leaks.MemoryLeakError) as raised:
        checker.check_leaks()

    assert capsys.readouterr() == ("", "")
    shown = str(raised.value).replace("gb.full((2,), 12345.0)", "")  # the source line
    assert "12345" not in shown
