"""Reports: three pictures in one file, which a browser shows without a script or a request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import garboard as gb
import pytest
from garboard import memory
from garboard.__main__ import main
from garboard.report import Report
from garboard.report._tally import Sites, timeline

from tests.support.chromium import Page, needs_chromium, pixel, screenshot, shown
from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


@pytest.fixture
def recording() -> Iterator[None]:
    memory._record_memory_history("stack")
    yield
    memory._record_memory_history(None)


def make_some(count: int) -> list[gb.Tensor]:
    return [gb.zeros(10_000 + i) for i in range(count)]


class TestThePage:
    def test_has_the_three_pictures_with_the_sites_in_them(self, recording):
        kept = make_some(20)
        make_some(5)
        page = Page(memory.plot(device="cpu").html)

        assert page.pictures() == {"timeline", "segments", "flame"}
        said = "\n".join(page.texts)
        assert re.search(r"test_report\.py:\d+ <listcomp>|make_some\(\): at most \d", said)
        assert "test_has_the_three_pictures" in said
        assert "live in " in said
        assert len(kept) == 20

    def test_loads_and_runs_nothing(self, recording):
        kept = make_some(3)
        html = memory.plot().html
        page = Page(html)

        assert {tag for tag, _ in page.tags} & {
            "script",
            "img",
            "iframe",
            "object",
            "embed",
        } == set()
        named = [(key, value) for _, attributes in page.tags for key, value in attributes.items()]
        assert [n for n in named if n[0].startswith("on") or n[0] in ("src", "srcset")] == []
        assert [value for key, value in named if key == "href"] == ["data:,"]
        assert "url(" not in html
        assert "@import" not in html
        assert "default-src 'none'" in html
        assert len(kept) == 3

    def test_shows_what_is_live_without_a_history(self):
        kept = make_some(3)
        said = "\n".join(Page(memory.plot(device="cpu").html).texts)

        assert "Nothing was recorded" in said
        assert "test_report.py" in said
        assert len(kept) == 3

    def test_of_no_memory_says_so(self):
        html = Report({"segments": [], "device_traces": []}).html

        assert "No device has any memory" in html

    def test_shows_names_as_text(self):
        evil = '<script>alert("x")</script>'
        frames = [{"filename": f"/a/{evil}", "line": 1, "name": evil}]
        block = {"size": 512, "requested_size": 512, "state": "active_allocated", "frames": frames}
        segment = {"device": 0, "address": 512, "total_size": 512, "stream": 0, "blocks": [block]}
        settings = {"devices": {"0": evil}}
        snapshot = {"segments": [segment], "device_traces": [[]], "allocator_settings": settings}

        page = Page(Report(snapshot, title=evil).html)

        assert "script" not in {tag for tag, _ in page.tags}
        assert evil in "".join(page.texts)

    def test_of_a_broken_snapshot_is_refused(self):
        with pytest.raises(memory.SnapshotError, match="no segments"):
            Report({"device_traces": []})

    def test_in_a_notebook_is_an_inner_page(self):
        shown = memory.plot()._repr_html_()

        assert shown.startswith("<iframe ")
        assert (Page(shown).tags[0][1]["srcdoc"] or "").startswith("<!doctype html>")

    def test_grows_less_than_its_snapshot(self, recording):
        for _ in range(2000):
            make_some(3)

        assert len(memory.plot().html) < 1_000_000


def event(action: str, addr: int, size: int, name: str) -> dict[str, Any]:
    frames = [{"filename": "train.py", "line": 7, "name": name}]
    return {"action": action, "addr": addr, "size": size, "stream": 0, "frames": frames}


def test_a_timeline_begins_with_what_was_live_before_the_events():
    trace = [
        event("alloc", 1024, 100, "first"),
        event("free_requested", 512, 40, "old"),
        event("free_completed", 512, 40, "old"),
        event("alloc", 2048, 7, "second"),
        event("free_requested", 1024, 100, "first"),
        event("free_completed", 1024, 100, "first"),
    ]
    live = {"size": 512, "requested_size": 7, "state": "active_allocated", "frames": []}
    segment = {"address": 2048, "blocks": [live | {"frames": trace[3]["frames"]}]}

    found = timeline([segment], trace, Sites({}))

    assert found.peak == 140
    first, old, second = (f"train.py:7 {name}()" for name in ("first", "old", "second"))
    assert found.bytes[0] == {old: 40}
    assert found.bytes[-1] == {old: 0, first: 0, second: 7}


@pytest.mark.parametrize(
    ("settings", "site"),
    [
        ({"library": "/there/garboard/"}, "layers.py:2 forward()"),
        ({}, "linear.py:1 forward()"),
        ({"library": 7}, "linear.py:1 forward()"),
    ],
)
def test_a_site_lies_outside_the_library_of_the_machine_it_was_recorded_on(settings, site):
    files = ("/there/garboard/nn/linear.py", "/there/layers.py", "/there/train.py")
    frames = [
        {"filename": file, "line": line, "name": "Linear.forward"}
        for line, file in enumerate(files, start=1)
    ]

    assert Sites({"allocator_settings": settings}).name(frames) == site


def test_a_site_of_pytorchs_snapshots_lies_outside_pytorch():
    inner = {"filename": "/x/site-packages/torch/nn/linear.py", "line": 1, "name": "forward"}
    outer = {"filename": "/x/train.py", "line": 2, "name": "step"}

    assert Sites({}).name([inner, outer]) == "train.py:2 step()"


class TestTheCommand:
    def test_writes_the_page_beside_the_snapshot(self, tmp_path, capsys):
        memory._dump_snapshot(tmp_path / "s.pickle")

        assert main(["report", str(tmp_path / "s.pickle")]) == 0

        assert capsys.readouterr().out == f"{tmp_path / 's.html'}\n"
        assert Page((tmp_path / "s.html").read_text()).pictures() >= {"timeline"}

    def test_writes_where_it_is_told(self, tmp_path):
        memory._dump_snapshot(tmp_path / "s.json")

        assert main(["report", str(tmp_path / "s.json"), "-o", str(tmp_path / "x.html")]) == 0
        assert {path.name for path in tmp_path.iterdir()} == {"s.json", "x.html"}

    @pytest.mark.parametrize("data", [b"", b"hello", b'{"segments": []}', b"\x80\x04]."])
    def test_names_what_is_wrong_with_a_file_and_writes_nothing(self, data, tmp_path, capsys):
        (tmp_path / "s.pickle").write_bytes(data)

        assert main(["report", str(tmp_path / "s.pickle")]) == 1

        assert capsys.readouterr().err.startswith("garboard report: ")
        assert [path.name for path in tmp_path.iterdir()] == ["s.pickle"]

    def test_names_a_file_that_is_not_there(self, tmp_path, capsys):
        assert main(["report", str(tmp_path / "none.pickle")]) == 1
        assert "none.pickle" in capsys.readouterr().err


@pytest.mark.slow
@needs_chromium
class TestInChromium:
    def test_shows_the_pictures_and_complains_of_nothing(self, recording, tmp_path):
        kept = make_some(20)
        page = memory.plot(device="cpu").save(tmp_path / "report.html")

        dom, said, asked = shown(page, tmp_path)

        assert Page(dom).pictures() == {"timeline", "segments", "flame"}
        assert dom.count("<rect") == page.read_text().count("<rect") > 20
        assert "CONSOLE" not in said
        assert asked == set()
        assert len(kept) == 20

    def test_is_light_or_dark_as_its_reader_likes(self, tmp_path):
        page = memory.plot(device="cpu").save(tmp_path / "report.html")

        assert min(pixel(screenshot(page, tmp_path, dark=False))) > 240
        assert max(pixel(screenshot(page, tmp_path, dark=True))) < 40

    def test_hears_a_page_that_complains_or_asks(self, tmp_path):
        """The test above could not fail if the browser said nothing."""
        page = tmp_path / "bad.html"
        page.write_text('<script>console.error("oh")</script><img src="http://127.0.0.1:9/x.png">')

        _, said, asked = shown(page, tmp_path)

        assert "CONSOLE" in said
        assert "http://127.0.0.1:9/x.png" in asked
