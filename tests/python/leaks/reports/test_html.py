"""The page of a leak report: what stands in it, in either theme, and what it does not do."""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path

import garboard as gb
import pytest
from garboard import memory
from garboard.__main__ import main
from garboard._shown.site import Site
from garboard.leaks.findings._leak import Births
from garboard.leaks.judging._checked import Checked
from garboard.leaks.reports._html import html_text
from garboard.leaks.reports._report import LeakReport
from garboard.leaks.reports._seen import Moment, Seen, Stack, Timeline, difference

from tests.python.leaks.reports.test_formats import leak
from tests.support.chromium import Page, needs_chromium, pixel, screenshot, shown
from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def leaky_report(steps: int = 60) -> LeakReport:
    kept = []
    with gb.leaks.watch(on_leak=lambda leak: None) as watch:
        for _ in range(steps):
            with gb.dispose_scope("step") as scope:
                kept.append(scope.detach(gb.ones(1000) * 2))
            watch.step()
    return watch.report()


@pytest.fixture
def report() -> LeakReport:
    return leaky_report()


class TestThePage:
    def test_has_each_part_with_its_picture(self, report):
        page = Page(html_text(report))

        assert page.sections() == ["timeline", "findings", "flame", "growth", "scopes"]
        assert page.pictures() == {"timeline", "births", "flame"}

    def test_quotes_the_line_of_birth_and_shows_the_fix_and_the_holder(self, report):
        said = "".join(Page(html_text(report)).texts)

        assert "kept.append(scope.detach(gb.ones(1000) * 2))" in said
        assert report.leaks[0].fix in said
        assert report.leaks[0].holder in said
        for hop in report.leaks[0].chain:
            assert hop in said

    def test_has_source_lines_around_the_hops_of_the_chain(self, report):
        html = html_text(report)

        assert "<details><summary>frame of leaky_report()" in html
        assert "for _ in range(steps):" in html
        assert "<details><summary>local `kept`: list of 60 <code>kept.append(" in html

    def test_keeps_the_program_to_itself_where_it_is_told_so(self, report):
        html = html_text(report, with_source=False)

        assert "for _ in range(steps):" not in html
        assert report.leaks[0].fingerprint in html

    def test_draws_a_bar_for_each_step_with_survivors(self, report):
        (finding,) = report.leaks
        html = html_text(report)

        assert sum(finding.births.counts) == finding.count
        assert html.count('class="bar"') == sum(1 for it in finding.births.counts if it)

    def test_draws_calls_where_they_are_recorded(self):
        memory.record_history("stack")
        try:
            report = leaky_report()
        finally:
            memory.record_history(None)

        assert "Live bytes by calls" in html_text(report)
        assert report.seen.calls[0].frames[-1].function.endswith("leaky_report")

    def test_of_a_healthy_loop_says_so(self):
        with gb.leaks.watch() as watch:
            for _ in range(60):
                gb.ones(3).sum().item()
                watch.step()

        page = Page(html_text(watch.report()))

        assert "no leaks" in page.texts
        assert "findings" not in page.sections()

    def test_of_nothing_at_all_is_a_page(self):
        assert Page(html_text(LeakReport())).sections() == []

    def test_shows_names_as_text_and_runs_nothing(self):
        evil = '"><script>alert(1)</script>'
        facts = dict.fromkeys(("kind", "holder", "fix", "fingerprint", "evidence"), evil)
        site = Site(f"/{evil}.py", 1, evil)
        seen = Seen(
            (Moment(1, 5), Moment(2, 9)),
            after=(Stack((site,), 1, 10),),
            scopes=(gb.leaks.LiveGroup(evil, 1, 1),),
        )
        bad = leak(
            chain=(evil,), site=site, holder_site=None, births=Births(1, 1, (1, 2)),
            device=evil, steps_left=7, **facts,
        )  # fmt: skip

        html = html_text(LeakReport((bad,), (evil,), Checked(2), seen))

        page = Page(html)
        assert {tag for tag, _ in page.tags} & {"script", "img", "iframe", "object"} == set()
        named = [(key, value) for _, attributes in page.tags for key, value in attributes.items()]
        assert [it for it in named if it[0].startswith("on") or it[0] in ("src", "srcset")] == []
        assert "url(" not in html
        assert "default-src 'none'" in html

    def test_replaces_a_page_and_leaves_no_part_behind(self, report, tmp_path):
        (tmp_path / "x.html").write_text("old")

        assert report.to_html(tmp_path / "x.html").read_text(encoding="utf-8") != "old"
        assert [it.name for it in tmp_path.iterdir()] == ["x.html"]
        with pytest.raises(OSError, match="nowhere"):
            report.to_html(tmp_path / "nowhere" / "x.html")

    def test_stays_small_for_a_long_run(self):
        births = Births.of(dict.fromkeys(range(1, 1_000_001, 10), 1))
        seen = Seen(tuple(Moment(i, i) for i in range(256)))

        html = html_text(LeakReport((leak(births=births),), (), Checked(1_000_000), seen))

        assert len(births.counts) <= 120
        assert sum(births.counts) == 100_000
        assert len(html) < 100_000


class TestWhatWasSeen:
    def test_is_the_memory_over_the_steps(self, report):
        moments = report.seen.timeline

        assert [it.step for it in moments] == list(range(1, 61))
        assert moments[-1].bytes - moments[9].bytes == 50 * 4000

    def test_takes_no_more_room_for_more_steps(self):
        line = Timeline(lambda: 7)
        for step in range(1, 100_001):
            line.take(step)

        moments = line.with_now(100_000)
        assert len(moments) <= 257
        assert {b.step - a.step for a, b in itertools.pairwise(moments[:-1])} == {512}
        assert moments[-1].step == 100_000

    def test_is_what_lived_before_and_what_lives_after(self, report):
        (before, after), *_ = difference(report.seen.before, report.seen.after)

        assert after.frames[-1].function.endswith("leaky_report")
        assert after.count - before.count == 57
        assert after.bytes - before.bytes == 57 * 4000

    def test_comes_back_from_a_file(self, report, tmp_path):
        (tmp_path / "x.json").write_text(report.to_json(), encoding="utf-8")

        assert gb.leaks.load_report(tmp_path / "x.json") == report

    def test_of_a_file_that_names_sites_it_has_not_is_refused(self, report, tmp_path):
        found = report.to_json().replace('"frames": [\n          0', '"frames": [\n          999')
        (tmp_path / "x.json").write_text(found, encoding="utf-8")

        with pytest.raises(ValueError, match=r"x\.json: the report\.seen\..* names site 999"):
            gb.leaks.load_report(tmp_path / "x.json")

    def test_may_be_missing_in_an_older_file(self, report, tmp_path):
        data = report.to_dict()
        del data["seen"]
        for row in data["leaks"]:
            for name in ("places", "births", "device", "steps_left"):
                del row[name]
        (tmp_path / "x.json").write_text(json.dumps(data), encoding="utf-8")

        loaded = gb.leaks.load_report(tmp_path / "x.json")

        assert loaded.leaks[0].fix == report.leaks[0].fix
        assert loaded.seen == Seen()


class TestTheCommands:
    @pytest.fixture
    def file(self, report, tmp_path) -> Path:
        (tmp_path / "leaks.json").write_text(report.to_json(), encoding="utf-8")
        return tmp_path / "leaks.json"

    def test_html_writes_the_page_beside_the_report(self, report, file, capsys):
        assert main(["html", str(file)]) == 1

        assert capsys.readouterr().out == f"{file.with_suffix('.html')}\n"
        assert file.with_suffix(".html").read_text(encoding="utf-8") == html_text(report)

    def test_html_writes_where_it_is_told_without_source(self, report, file, tmp_path):
        assert main(["html", str(file), "--no-source", "-o", str(tmp_path / "y.html")]) == 1

        assert (tmp_path / "y.html").read_text(encoding="utf-8") == html_text(report, False)

    @pytest.mark.parametrize("command", ["html", "annotate"])
    def test_say_what_is_wrong_with_a_file(self, command, tmp_path, capsys):
        (tmp_path / "bad.json").write_text("[]")

        assert main([command, str(tmp_path / "bad.json")]) == 2
        assert capsys.readouterr().err.startswith(f"garboard {command}: load_report: ")

    def test_annotate_prints_what_a_line_keeps_alive_beside_it(self, file, capsys):
        assert main(["annotate", str(file), __file__]) == 1

        out = capsys.readouterr().out
        assert "234.4 KiB in 60" in out
        line = next(it for it in out.splitlines() if "KiB in 60" in it)
        assert line.endswith("kept.append(scope.detach(gb.ones(1000) * 2))")
        assert "^ fix: " in out

    def test_annotate_refuses_a_file_that_the_report_does_not_name(self, file, capsys):
        assert main(["annotate", str(file), "other.py"]) == 2
        assert "no line of a file other.py" in capsys.readouterr().err

    def test_diff_tells_what_is_new_gone_and_grown(self, report, file, tmp_path, capsys):
        fine = dataclasses.replace(report, leaks=(), seen=Seen())
        (tmp_path / "fine.json").write_text(fine.to_json(), encoding="utf-8")
        fingerprint = report.leaks[0].fingerprint

        assert main(["diff", str(tmp_path / "fine.json"), str(file)]) == 1
        out = capsys.readouterr().out
        assert out.startswith("new   LEAK  ")
        assert f"[{fingerprint}]" in out
        assert "+234.4 KiB" in out

        assert main(["diff", str(file), str(tmp_path / "fine.json")]) == 0
        assert capsys.readouterr().out.startswith("gone  LEAK  ")

        assert main(["diff", str(file), str(file)]) == 0
        out = capsys.readouterr().out
        assert out.startswith("still LEAK  ")
        assert "the same bytes live" in out

    def test_diff_compares_memory_snapshots(self, tmp_path, capsys):
        memory.record_history("site")
        try:
            memory.dump_snapshot(tmp_path / "a.pickle")
            kept = [gb.zeros(1 << 18) for _ in range(3)]
            memory.dump_snapshot(tmp_path / "b.pickle")
        finally:
            memory.record_history(None)

        assert main(["diff", str(tmp_path / "a.pickle"), str(tmp_path / "b.pickle")]) == 0

        out = capsys.readouterr().out
        assert "+3.0 MiB" in out
        assert "+3" in out
        assert "test_html.py" in out
        assert len(kept) == 3

    def test_diff_refuses_two_of_different_kinds(self, file, tmp_path, capsys):
        memory.dump_snapshot(tmp_path / "a.json")

        assert main(["diff", str(file), str(tmp_path / "a.json")]) == 2
        assert "is a leak report and" in capsys.readouterr().err


@pytest.mark.slow
@needs_chromium
class TestInChromium:
    def test_shows_all_of_it_and_complains_of_nothing(self, report, tmp_path):
        page = report.to_html(tmp_path / "leaks.html")

        dom, said, asked = shown(page, tmp_path)

        parsed = Page(dom)
        assert parsed.pictures() == {"timeline", "births", "flame"}
        assert parsed.sections() == ["timeline", "findings", "flame", "growth", "scopes"]
        assert dom.count("<rect") == page.read_text(encoding="utf-8").count("<rect") > 60
        assert "CONSOLE" not in said
        assert asked == set()

    def test_is_light_or_dark_as_its_reader_likes(self, report, tmp_path):
        page = report.to_html(tmp_path / "leaks.html")

        assert min(pixel(screenshot(page, tmp_path, dark=False))) > 240
        assert max(pixel(screenshot(page, tmp_path, dark=True))) < 40
