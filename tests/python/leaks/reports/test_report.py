"""The report: what it says first, and what becomes of it elsewhere."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import garboard as gb
import pytest
from garboard._shown.site import Site
from garboard.leaks.judging._checked import Checked
from garboard.leaks.reports._report import LeakReport

from tests.support.live_memory import balanced  # noqa: F401
from tests.support.notebook import a_notebook  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def leak(verdict: str = "LEAK", **more: object) -> gb.leaks.Leak:
    facts = {
        "kind": "tensor-list",
        "verdict": verdict,
        "count": 60,
        "bytes": 240,
        "site": Site(__file__, 1, "step"),
        "holder": "list `losses` (train.py:12)",
        "chain": ("frame of train() (train.py:20)", "local `losses`: list of 60", "[59]: Tensor"),
        "since_step": 1,
        "rate": gb.leaks.Rate(tensors=1.0, bytes=4.0),
        "fix": "losses.append(loss.item())",
        "fingerprint": "LIST-02bd90",
        "evidence": "60 of 60 steps survived: 60 tensors",
    }
    return gb.leaks.Leak(**(facts | more))


class TestTheText:
    def test_says_verdict_rate_and_fix_in_the_first_lines(self):
        report = LeakReport((leak(),), ("`cache` can have 8 items",), Checked(steps=60))

        lines = str(report).splitlines()
        assert lines[0] == "━━ garboard · 1 leak · step 60 ━━"
        assert lines[1] == (
            "LEAK  tensor-list  [LIST-02bd90]  +1 tensor, +4 bytes per step"  # fits a terminal
        )
        assert lines[2] == "  fix   losses.append(loss.item())"
        assert lines[3] == "  seen  60 of 60 steps survived: 60 tensors"

    @pytest.mark.parametrize(
        ("fix", "lines"),
        [
            ("bound rows, for instance " + "deque(maxlen=...), " * 4 + "or clear it", 2),
            ("rows.append({key: value.item() for key, value in " + "x" * 60 + ".items()})", 1),
        ],
        ids=["a sentence", "a statement"],
    )
    def test_breaks_sentences_and_no_statements(self, fix, lines):
        text = str(LeakReport((leak(fix=fix),))).splitlines()

        found = text[2 : 2 + lines]
        assert " ".join(it.strip() for it in found) == f"fix   {fix}"
        assert text[2 + lines].startswith("  seen  ")

    def test_says_the_forecast_before_the_fix(self):
        found = leak(device="cpu", steps_left=1234)

        lines = str(LeakReport((found,))).splitlines()

        assert [line[:8] for line in lines[1:4]] == ["LEAK  te", "  when  ", "  fix   "]

    def test_puts_the_fingerprint_where_there_is_room(self):
        rate = gb.leaks.Rate(tensors=2.0, bytes=65536.0, nodes=10.0)

        lines = str(LeakReport((leak(rate=rate),))).splitlines()

        assert lines[1] == "LEAK  tensor-list  +2 tensors, +10 graph nodes, +64.0 KiB per step"
        assert lines[3] == "  seen  60 of 60 steps survived: 60 tensors  [LIST-02bd90]"

    def test_has_one_line_where_all_fits(self):
        found = leak(evidence="60 survived")

        lines = str(LeakReport((found,))).splitlines()

        assert lines[1].endswith("+1 tensor, +4 bytes per step; 60 survived")
        assert "seen" not in str(LeakReport((found,)))

    @pytest.mark.parametrize(
        ("source", "shown"),
        [
            ("x = f()", ["  born  {place}           x = f()", " " * 33 + "~" * 7]),
            ("x" * 60, ["  born  {place}", " " * 8 + "x" * 60, " " * 8 + "~" * 60]),
            ("x" * 90, ["  born  {place}", " " * 8 + "x" * 90]),
        ],
    )
    def test_quotes_the_source_line_underlined_where_a_terminal_has_room(
        self, source, shown, tmp_path, monkeypatch
    ):
        monkeypatch.chdir(tmp_path)
        Path("m.py").write_text(f"{source}\n", encoding="utf-8")
        site = Site(str(tmp_path / "m.py"), 1, "step")

        lines = str(LeakReport((leak(site=site),))).splitlines()

        at = next(i for i, line in enumerate(lines) if line.startswith("  born"))
        expected = [line.format(place="m.py:1  step()") for line in shown]
        assert lines[at : at + len(expected)] == expected
        assert lines[at + len(expected)].startswith("  held")

    def test_shows_the_chain_from_the_root_down(self):
        text = str(LeakReport((leak(),)))

        assert text.index("┬ frame of train()") < text.index("├ local `losses`")
        assert text.index("├ local `losses`") < text.index("╰→ [59]: Tensor")

    def test_shows_five_findings_and_counts_the_others(self):
        report = LeakReport(tuple(leak(fingerprint=f"LIST-{i:06}") for i in range(8)))

        assert str(report).count("  fix   ") == 5
        assert "… and 3 more" in str(report)

    def test_says_what_was_checked_when_all_is_well(self):
        report = LeakReport(checked=Checked(steps=60, born=2931, alive=1))

        assert str(report) == "no leaks: 60 steps, 2931 tensors born, 2930 dead"

    def test_is_plain_where_no_terminal_is(self):
        file = io.StringIO()

        LeakReport((leak(),)).show(file)

        assert file.getvalue() == str(LeakReport((leak(),))) + "\n"

    def test_goes_where_print_would_write(self):
        class Log:
            text = ""

            def write(self, text):
                self.text += text

            def __len__(self):
                return 0

        log = Log()
        LeakReport((leak(),)).show(log)

        assert log.text == str(LeakReport((leak(),))) + "\n"
        with pytest.raises(TypeError, match=r"^show: file is of type int; a text file"):
            LeakReport().show(5)

    def test_is_coloured_on_a_terminal(self, monkeypatch):
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.delenv("NO_COLOR", raising=False)
        file = io.StringIO()
        file.isatty = lambda: True

        LeakReport((leak(),)).show(file)

        assert "\x1b[" in file.getvalue()
        assert "tensor-list" in file.getvalue()

    @pytest.mark.usefixtures("a_notebook")
    def test_goes_to_a_terminal_in_a_notebook_too(self):
        file = io.StringIO()
        file.isatty = lambda: True

        LeakReport((leak(),)).show(file)

        assert "tensor-list" in file.getvalue()


class TestTheReport:
    def test_is_one_line_where_it_is_looked_at(self):
        assert repr(LeakReport()) == "<LeakReport: no leaks>"
        found = repr(LeakReport((leak(), leak("GROWING"))))
        assert re.fullmatch(r"<LeakReport: 2 leaks: tensor-list, .* \(and 1 more\)>", found)

    @pytest.mark.parametrize("verdict", ["GROWING", "RETAINED", "CYCLE", "PINNED"])
    def test_is_ok_while_nothing_is_certain(self, verdict):
        assert LeakReport((leak(verdict),)).ok
        assert not LeakReport((leak(verdict), leak("LEAK"))).ok

    def test_becomes_json(self):
        found = json.loads(LeakReport((leak(),), ("a note",), Checked(steps=60)).to_json())

        assert found["ok"] is False
        assert found["notes"] == ["a note"]
        assert found["checked"]["steps"] == 60
        assert found["leaks"][0]["site"] == {"file": __file__, "line": 1, "function": "step"}
        assert found["leaks"][0]["rate"] == {"tensors": 1.0, "bytes": 4.0, "nodes": 0.0}
        assert found["leaks"][0]["chain"][-1] == "[59]: Tensor"

    def test_becomes_a_junit_suite_in_which_only_leaks_fail(self):
        suite = ElementTree.fromstring(LeakReport((leak(), leak("GROWING"))).to_junit("loop"))

        assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("loop", "2", "1")
        first, second = suite.findall("testcase")
        assert first.find("failure").get("type") == "LeakError"
        assert second.find("failure") is None
        kinds = {it.get("name"): it.get("value") for it in first.find("properties")}
        assert (kinds["kind"], kinds["fingerprint"]) == ("tensor-list", "LIST-02bd90")

    def test_without_findings_is_one_passed_junit_case(self):
        suite = ElementTree.fromstring(LeakReport().to_junit())

        assert [case.get("name") for case in suite] == ["no leaks"]
        assert suite.get("failures") == "0"

    def test_has_a_headline_for_errors(self):
        assert LeakReport().headline == "no leaks"
        assert LeakReport((leak(), leak(), leak())).headline.endswith(
            ":1 [LIST-02bd90] (and 2 more)"
        )


class TestALeakError:
    def test_carries_report_and_leaks(self):
        report = LeakReport((leak(),))

        error = gb.leaks.LeakError(report)

        assert error.report is report
        assert error.leaks == report.leaks
        assert str(error) == f"{report.headline}\n{report}"

    def test_is_a_memory_leak_error_and_a_runtime_error(self):
        assert issubclass(gb.leaks.LeakError, gb.leaks.MemoryLeakError)
        assert issubclass(gb.leaks.MemoryLeakError, RuntimeError)
        assert issubclass(gb.leaks.MemoryLeakWarning, RuntimeWarning)
        assert not issubclass(gb.leaks.MemoryLeakWarning, ResourceWarning)
