"""Known leaks in a file: written from a report, read, and left out with their reason."""

from __future__ import annotations

from datetime import date

import garboard as gb
import pytest
from garboard.leaks.judging import _exemptions

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


@pytest.fixture(autouse=True)
def forgotten():
    yield
    _exemptions._ignored.clear()


def leak_report() -> gb.leaks.LeakReport:
    kept = []
    with gb.leaks.watch(on_leak=lambda leak: None) as watch:
        for _ in range(60):
            kept.append(gb.zeros(()))
            watch.step()
        return watch.report()


def test_what_was_saved_is_left_out_with_its_reason(tmp_path):
    file = tmp_path / "leaks.toml"
    found = leak_report()

    added = gb.leaks.save_baseline(found, file, reason='"known"', until="9999-12-31")
    again = gb.leaks.save_baseline(found, file)
    loaded = gb.leaks.load_baseline(file)
    report = leak_report()

    assert (added, again, loaded) == (1, 0, 1)
    assert report.ok
    assert not report.leaks
    assert report.notes == (f'ignored {found.leaks[0].fingerprint}, tensor-list: "known"',)


def test_a_leak_is_reported_again_after_its_day(tmp_path):
    file = tmp_path / "leaks.toml"
    gb.leaks.save_baseline(leak_report(), file, until="2000-01-01")

    gb.leaks.load_baseline(file)

    assert not leak_report().ok


def test_a_day_may_be_a_date_or_a_text(tmp_path):
    file = tmp_path / "leaks.toml"
    file.write_text(
        '[[leak]]\nfingerprint = "A-1"\nuntil = 2027-01-31\n'
        '[[leak]]\nfingerprint = "A-2"\nuntil = "2027-01-31"\n'
    )

    gb.leaks.load_baseline(str(file))

    assert {it.until for it in _exemptions._ignored.values()} == {date(2027, 1, 31)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("leak = [", "no TOML"),
        ("[leaks]\n", r"tables \[\[leak\]\] alone"),
        ("[[leak]]\nreason = 'x'\n", "number 1 has no fingerprint"),
        ("[[leak]]\nfingerprint = 'A-1'\nuntill = 2027-01-31\n", "number 1 has 'untill'"),
        ("[[leak]]\nfingerprint = 'A-1'\nuntil = 'soon'\n", "until 'soon'; a day is needed"),
        ("[[leak]]\nfingerprint = 'A-1'\nuntil = 3\n", "until 3; a day is needed"),
        ("[[leak]]\nfingerprint = 'A-1'\nreason = 3\n", "a reason that is no text"),
    ],
)
def test_a_broken_file_is_refused_by_name(tmp_path, text, message):
    file = tmp_path / "leaks.toml"
    file.write_text(text)

    with pytest.raises(ValueError, match=rf"load_baseline: .*leaks\.toml: .*{message}"):
        gb.leaks.load_baseline(file)
    assert not _exemptions._ignored


def test_a_file_that_is_not_utf_8_is_refused(tmp_path):
    file = tmp_path / "leaks.toml"
    file.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(ValueError, match="no TOML"):
        gb.leaks.load_baseline(file)


class TestExplain:
    def test_tells_evidence_and_fix(self):
        text = gb.leaks.explain("hook-capture")

        assert text.startswith("hook-capture (HOOK-...): A hook of a module stores")
        assert "Evidence:" in text
        assert "Fix: remove the hook" in text

    def test_lists_all_kinds(self):
        lines = gb.leaks.explain().splitlines()

        assert len(lines) > 25
        assert lines == sorted(lines)

    def test_advises_where_a_name_is_unknown(self):
        with pytest.raises(ValueError, match=r"kind 'tensor-lists'; .* 'tensor-list' is meant"):
            gb.leaks.explain("tensor-lists")
        with pytest.raises(ValueError, match=r"perhaps 'tensor-list' is meant"):
            gb.leaks.explain("LIST-02bd90")
        with pytest.raises(ValueError, match=r"there are accumulated-graph, .*, view-pins-storage"):
            gb.leaks.explain("zzz")
