"""Files are written whole or not at all, and what is no regular file stays what it is."""

from __future__ import annotations

import io
import os
import stat
import threading
from pathlib import Path

import garboard as gb
import pytest
from garboard._whole_files import replace_file

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = [
    pytest.mark.usefixtures("balanced"),
    pytest.mark.skipif(os.name != "posix", reason="pipes and permissions of POSIX"),
]


def test_what_is_saved_to_a_pipe_goes_through_it(tmp_path: Path) -> None:
    pipe = tmp_path / "x.pt"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()

    gb.save({"a": gb.arange(3)}, pipe)
    reader.join()

    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    assert gb.load(io.BytesIO(read[0]))["a"].tolist() == [0, 1, 2]
    assert os.listdir(tmp_path) == ["x.pt"]


def test_a_new_file_has_the_permissions_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    gb.save({"a": 1}, path)
    path.chmod(0o640)

    gb.save({"a": 2}, path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert gb.load(path) == {"a": 2}


def test_a_link_leads_to_the_new_file(tmp_path: Path) -> None:
    path, link = tmp_path / "x.pt", tmp_path / "latest.pt"
    gb.save({"a": 1}, path)
    link.symlink_to("x.pt")

    gb.save({"a": 2}, link)

    assert link.is_symlink()
    assert gb.load(path) == {"a": 2}


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        gb.save({}, tmp_path)
    with pytest.raises(IsADirectoryError):
        replace_file(tmp_path, "text")

    assert list(tmp_path.iterdir()) == []


def test_a_text_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    replace_file(path, "ä")

    with pytest.raises(UnicodeEncodeError):
        replace_file(path, "\ud800")

    assert path.read_text(encoding="utf-8") == "ä"
    assert os.listdir(tmp_path) == ["page.html"]
