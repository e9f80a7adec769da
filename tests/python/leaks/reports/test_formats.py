"""Reports as machines read them: JSON, JUnit, SARIF and GitHub's annotations, and back."""

from __future__ import annotations

import json
import os
from pathlib import Path

import garboard as gb
import pytest
from garboard._shown.site import Site
from garboard.leaks.judging._checked import Checked
from garboard.leaks.reports._report import LeakReport
from garboard.leaks.reports._schema import check_against, schema

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def leak(verdict: str = "LEAK", **more: object) -> gb.leaks.Leak:
    facts = {
        "kind": "tensor-list",
        "verdict": verdict,
        "count": 60,
        "bytes": 240,
        "site": Site(__file__, 3, "step"),
        "holder": "list `losses` (train.py:12)",
        "chain": ("frame of train() (train.py:20)", "[59]: Tensor"),
        "since_step": 1,
        "rate": gb.leaks.Rate(tensors=1.0, bytes=4.0),
        "fix": "losses.append(loss.item())",
        "fingerprint": "LIST-02bd90",
        "evidence": "60 of 60 steps survived: 60 tensors",
        "holder_site": Site(__file__, 5, "train"),
    }
    return gb.leaks.Leak(**(facts | more))


REPORT = LeakReport(
    (leak(), leak("GROWING", holder_site=None)), ("a note",), Checked(60, 70, 62, 240, 56)
)


class TestJson:
    def test_keeps_the_schema_and_comes_back_equal(self, tmp_path):
        file = tmp_path / "leaks.json"
        file.write_text(REPORT.to_json(), encoding="utf-8")

        check_against(json.loads(REPORT.to_json()), schema(), "the report")
        assert gb.leaks.load_report(file) == REPORT

    def test_of_a_real_watch_comes_back_equal(self, tmp_path):
        kept = []
        with gb.leaks.watch(on_leak=lambda leak: None) as watch:
            for _ in range(60):
                kept.append(gb.ones(3))
                watch.step()
        file = tmp_path / "leaks.json"
        file.write_text(watch.report().to_json(), encoding="utf-8")

        assert watch.report().leaks
        assert gb.leaks.load_report(file) == watch.report()

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda it: it.pop("ok"), r"the report is of type dict; \['ok'\] is missing"),
            (lambda it: it.update(more=1), "the report is 'more'; schema, ok"),
            (lambda it: it.update(schema=1), "the report.schema is 1; garboard.leaks/1 is needed"),
            (lambda it: it.update(leaks={}), "the report.leaks is of type dict; array is needed"),
            (lambda it: it["leaks"].append(None), r"leaks\[2\] is None; object is needed"),
            (lambda it: it["leaks"][1].update(verdict=[]), r"leaks\[1\]\.verdict is of type list"),
            (lambda it: it["leaks"][0].update(bytes=-1), r"leaks\[0\]\.bytes is -1; at least 0"),
            (lambda it: it["leaks"][0].update(count=True), r"count is True; integer is needed"),
            (lambda it: it["leaks"][0].update(count=1 << 80), r"count is beyond 64 bits; at most"),
            (lambda it: it["leaks"][0].update(fix="x" * 100_001), r"fix is 100001; at most"),
            (lambda it: it["leaks"][0]["rate"].update(bytes=1e400), r"a number is .Infinity"),
            (lambda it: it["leaks"][0]["holder_site"].update(line="5"), r"line is '5'; integer"),
        ],
    )
    def test_that_breaks_a_rule_is_refused_by_name(self, change, message, tmp_path):
        found = REPORT.to_dict()
        change(found)
        file = tmp_path / "leaks.json"
        file.write_text(json.dumps(found), encoding="utf-8")

        with pytest.raises(ValueError, match=message):
            gb.leaks.load_report(file)

    @pytest.mark.parametrize(
        "data", [b"", b"{", b"[" * 100_000, b"\xff\xfe\x00", b"9" * 5000, b"null"]
    )
    def test_that_is_none_is_refused(self, data, tmp_path):
        file = tmp_path / "leaks.json"
        file.write_bytes(data)

        with pytest.raises(ValueError, match=r"^load_report: .*leaks\.json: "):
            gb.leaks.load_report(file)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    def test_is_not_waited_for_at_a_pipe(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")

        with pytest.raises(ValueError, match="no regular file"):
            gb.leaks.load_report(tmp_path / "pipe")

    def test_brings_no_half_characters_and_no_terminal_commands(self, tmp_path):
        file = tmp_path / "leaks.json"
        file.write_text(LeakReport((leak(holder="\x1b[2J\ud800"),)).to_json())

        assert gb.leaks.load_report(file).leaks[0].holder == r"\x1b[2J\ud800"


class TestSarif:
    def test_stands_at_the_line_of_the_holder(self):
        (run,) = json.loads(REPORT.to_sarif())["runs"]
        first, second = run["results"]
        here = os.path.relpath(__file__)

        assert first["level"] == "error"
        assert second["level"] == "warning"
        assert place(first["locations"][0]) == (here, 5)
        assert place(second["locations"][0]) == (here, 3)
        assert place(first["relatedLocations"][0]) == (here, 3)
        assert first["partialFingerprints"] == {"garboardLeak/v1": "LIST-02bd90"}

    def test_has_each_rule_once_and_each_result_its_rule(self):
        (run,) = json.loads(LeakReport((*REPORT.leaks, leak(kind="unknown"))).to_sarif())["runs"]
        rules = run["tool"]["driver"]["rules"]

        assert [rule["id"] for rule in rules] == ["tensor-list", "unknown"]
        assert all(rules[it["ruleIndex"]]["id"] == it["ruleId"] for it in run["results"])
        assert rules[0]["shortDescription"]["text"]

    @pytest.mark.parametrize("file", ["", "<stdin>"])
    def test_names_no_place_that_is_no_file(self, file):
        found = LeakReport((leak(site=Site(file, 1, "f"), holder_site=None),))

        (result,) = json.loads(found.to_sarif())["runs"][0]["results"]
        assert "locations" not in result
        assert found.to_github().startswith("::error title=LEAK")

    def test_writes_paths_as_addresses(self):
        outside = Path("/nowhere/a b#1.py")
        found = LeakReport((leak(holder_site=Site(str(outside), 7, "f")),))

        (result,) = json.loads(found.to_sarif())["runs"][0]["results"]
        assert place(result["locations"][0]) == ("file:///nowhere/a%20b%231.py", 7)


def place(location: dict) -> tuple[str, int]:
    physical = location["physicalLocation"]
    return physical["artifactLocation"]["uri"], physical["region"]["startLine"]


class TestGitHub:
    def test_annotates_the_line_of_the_holder(self):
        first, second = REPORT.to_github().splitlines()
        here = os.path.relpath(__file__)

        assert first.startswith(f"::error file={here},line=5,title=LEAK tensor-list [LIST-02bd90]")
        assert "%0Afix: losses.append(loss.item())" in first
        assert second.startswith(f"::warning file={here},line=3,")

    def test_lets_no_text_begin_a_command_of_its_own(self):
        hostile = "x\n::set-env name=A::b\r100%,a:b"
        found = LeakReport((leak(holder=hostile, fix=hostile, kind=hostile),)).to_github()

        assert found.count("\n") == 1
        assert "\r" not in found
        properties = found.removeprefix("::error ").partition("::")[0]
        assert properties.count(",") == 2
        assert "100%25%2Ca%3Ab" in properties
