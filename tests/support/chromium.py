"""Pages in a real browser: what it shows, what it says, what it asks for, how it looks."""

from __future__ import annotations

import json
import shutil
import subprocess
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import pytest

__all__ = ["Page", "Shown", "needs_chromium", "pixel", "screenshot", "shown"]

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
OWN = "not an origin"  # who asks, as Chromium logs what it wants for itself

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")


class Page(HTMLParser):
    """What a page holds: its elements, their attributes, its texts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def pictures(self) -> set[str | None]:
        return {named.get("class") for tag, named in self.tags if tag == "svg"} - {None}

    def sections(self) -> list[str | None]:
        return [named.get("id") for tag, named in self.tags if tag == "section"]


class Shown(NamedTuple):
    """A page after loading, what the browser said, and the addresses it asked for."""

    dom: str
    said: str
    asked: set[str]


def _command(folder: Path, *more: str) -> list[str]:
    return [
        *(str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        *(f"--user-data-dir={folder / 'profile'}", *more),
    ]


def shown(page: Path, folder: Path) -> Shown:
    """Load a page; the browser keeps what it needs in `folder`."""
    log = folder / "net.json"
    more = (f"--log-net-log={log}", "--enable-logging=stderr", "--dump-dom", page.as_uri())
    done = subprocess.run(_command(folder, *more), capture_output=True, text=True, timeout=120)
    events = json.loads(log.read_text())["events"]
    started = [event["params"] for event in events if "url" in event.get("params", {})]
    asked = {it["url"] for it in started if it.get("initiator", OWN) != OWN}
    return Shown(done.stdout, done.stderr, asked)


def screenshot(page: Path, folder: Path, *, dark: bool, height: int = 800) -> Path:
    """Return a picture of a page, 1100 pixels wide, in one theme or the other."""
    name = "dark" if dark else "light"
    picture = folder / f"{page.stem}.{name}.png"
    more = (
        f"--blink-settings=preferredColorScheme={0 if dark else 1}",
        *("--hide-scrollbars", f"--window-size=1100,{height}", f"--screenshot={picture}"),
    )
    subprocess.run(
        _command(folder, *more, page.as_uri()), capture_output=True, timeout=120, check=True
    )
    return picture


def pixel(picture: Path) -> tuple[int, int, int]:
    """Return the colour in the upper left corner of a PNG, which no filter changes."""
    data, at, packed = picture.read_bytes(), 8, b""
    while at < len(data):
        length = int.from_bytes(data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += 12 + length
    row = zlib.decompressobj().decompress(packed, 4)
    return row[1], row[2], row[3]
