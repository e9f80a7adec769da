"""What notebooks show of tensors, modules, scopes and reports: static HTML, text for text."""

from __future__ import annotations

from html.parser import HTMLParser

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

EMPTY = {"img", "br", "hr", "input", "link", "meta"}


class Shown(HTMLParser):
    """What a piece of HTML holds; refuses what is not closed."""

    def __init__(self, thing: object) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.rows: list[list[str]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(thing._repr_html_())
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        assert tag not in EMPTY
        self._open.append(tag)
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "tr":
            self.rows.append([])

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
        if self._open[-1:] in (["td"], ["th"]):
            self.rows[-1].append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)


class TestATensor:
    def test_shows_a_small_table_and_what_it_is(self):
        shown = Shown(gb.tensor([[1.0, 2.5], [3.0, -4.0]]))

        assert shown.rows == [["1.0000", "2.5000"], ["3.0000", "-4.0000"]]
        assert shown.text.endswith("float32[2, 2] · cpu · 16 bytes")

    def test_leaves_out_the_middle_of_long_dims(self):
        shown = Shown(gb.arange(10_000).view(100, 100))

        assert [len(row) for row in shown.rows] == [7] * 7
        assert shown.rows[0] == ["0", "1", "2", "...", "97", "98", "99"]
        assert shown.rows[3] == ["..."] * 7

    @pytest.mark.parametrize(
        ("tensor", "rows"),
        [
            (lambda: gb.tensor(7), [["7"]]),
            (lambda: gb.tensor([True, False]), [["True", "False"]]),
            (lambda: gb.zeros(2, 3, 1, 2), [["0.", "0."]]),
            (lambda: gb.zeros(0, 3), []),
            (lambda: gb.tensor([float("nan"), float("inf")]), [["nan", "inf"]]),
            (lambda: gb.zeros(9, 1), [["0."], ["0."], ["0."], ["..."], ["0."], ["0."], ["0."]]),
        ],
    )
    def test_of_any_dims_shows_its_first_matrix(self, tensor, rows):
        assert Shown(tensor()).rows == rows

    def test_says_its_scope_and_its_graph(self):
        with gb.dispose_scope("step"):
            x = gb.ones(2, requires_grad=True)
            assert Shown(x).text.endswith('8 bytes · scope "step" · requires_grad')
            assert Shown(x * 2).text.endswith('scope "step" · grad_fn mul')
        with gb.dispose_scope():
            assert Shown(gb.ones(2)).text.endswith(" · in a scope")

    def test_that_is_disposed_says_so(self):
        x = gb.ones(2)
        x.dispose()

        assert Shown(x).text == "disposed tensor"

    def test_without_elements_shows_none(self):
        with gb.memory.SimulatedDevice("8 MiB") as device:
            x = gb.ones(2, device=device)
            shown = Shown(x)
            x.dispose()

        assert shown.rows == []
        assert "simulated" in shown.text

    def test_makes_nothing_that_stays(self):
        x = gb.ones(3, 3, requires_grad=True) * 2
        before = gb.memory.live()
        with gb.dispose_scope() as scope:
            Shown(x)
            assert len(scope) == 0

        assert gb.memory.live() == before


class Angry(gb.nn.Linear):
    def extra_repr(self):
        raise ValueError("no")


class TestAModule:
    def test_shows_a_tree_with_parameters_and_bytes(self):
        inner = gb.nn.Sequential(gb.nn.Linear(30, 40), gb.nn.ReLU())
        shown = Shown(gb.nn.Sequential(inner, gb.nn.BatchNorm1d(40)))

        assert "Sequential 1 320 parameters, 5.5 KiB" in shown.text
        assert "0: Sequential 1 240 parameters, 4.8 KiB" in shown.text
        assert "0: Linear(in_features=30, out_features=40, bias=True) 1 240 param" in shown.text
        assert shown.tags.count("details") == 2
        assert ("open", None) in shown.attributes

    def test_counts_what_is_shared_once(self):
        one = gb.nn.Linear(2, 3)

        shown = Shown(gb.nn.ModuleList([one, one]))

        assert shown.text.startswith("ModuleList 9 parameters, 36 bytes")

    def test_whose_own_words_fail_is_shown_without_them(self):
        shown = Shown(gb.nn.Sequential(Angry(2, 3)))

        assert "0: Angry, whose extra_repr raises ValueError 9 parameters" in shown.text

    def test_shows_names_as_text(self):
        class Evil(gb.nn.Module):
            def extra_repr(self):
                return "<script>alert(1)</script>\ud800"

        shown = Shown(Evil())

        assert "script" not in shown.tags
        assert "Evil(<script>alert(1)</script>\\ud800)" in shown.text

    def test_that_is_disposed_or_lazy_has_no_parameters(self):
        gone = gb.nn.Linear(2, 3)
        gone.dispose()

        assert "0 parameters, 0 bytes" in Shown(gone).text
        assert "0 parameters, 0 bytes" in Shown(gb.nn.LazyLinear(3)).text


class TestAScope:
    def test_shows_what_is_in_it_by_line(self):
        with gb.dispose_scope("step") as scope:
            kept = [gb.zeros(256) for _ in range(2)]
            x = gb.zeros(4)
            shown = Shown(scope)

        assert 'scope "step" · open · 3 tensors · 2.0 KiB live · 2.0 KiB at the peak' in shown.text
        assert [row[:2] for row in shown.rows[1:]] == [["2.0 KiB", "2"], ["16 bytes", "1"]]
        assert "test_displays.py:" in shown.rows[1][2]
        assert len(kept) == 2
        assert x.is_disposed

    def test_that_is_closed_or_was_never_open_says_so(self):
        scope = gb.dispose_scope()
        assert Shown(scope).text.startswith("scope · not open · 0 tensors")
        with scope:
            pass

        assert Shown(scope).text.startswith("scope · closed · 0 tensors")


class TestAReport:
    def test_shows_findings_that_open(self):
        kept = []
        with gb.leaks.watch(on_leak=lambda leak: None) as watch:
            for _ in range(60):
                kept.append(gb.ones(3, requires_grad=True) * 2)
                watch.step()
        shown = Shown(watch.report())

        assert shown.text.startswith("LEAK tensor-list +")
        assert "fix kept.append((gb.ones(3, requires_grad=True) * 2).detach())" in shown.text
        assert "who holds it, from the root" in shown.text
        assert shown.tags.count("details") == len(watch.report().leaks)

    def test_without_findings_is_one_line(self):
        assert Shown(gb.leaks.LeakReport()).text == "no leaks: 0 tensors born, 0 dead"

    def test_of_who_holds_what_is_its_text(self):
        x = gb.zeros(3)
        found = gb.leaks.who_holds(x)

        assert Shown(found).text == f"{found}\n"

    def test_is_text_in_a_terminal_and_so_is_who_holds_what(self):
        pretty = pytest.importorskip("IPython.lib.pretty").pretty
        with gb.leaks.watch() as watch:
            watch.step()
        report, kept = watch.report(), [gb.zeros(2)]
        holders = gb.leaks.who_holds(kept[0])

        assert pretty(report) == str(report)
        assert pretty(holders) == str(holders)


def test_nothing_runs_or_loads_anything():
    shown = [
        Shown(gb.zeros(2, 2)),
        Shown(gb.nn.Sequential(gb.nn.Linear(2, 3))),
        Shown(gb.dispose_scope()),
        Shown(gb.leaks.LeakReport()),
    ]

    for it in shown:
        assert not {"script", "style", "iframe", "object"} & set(it.tags)
        assert {name for name, _ in it.attributes} <= {"style", "open"}
