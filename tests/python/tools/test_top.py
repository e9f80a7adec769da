"""`garboard top`: a running program is looked at from outside, and never waits for that."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import garboard as gb
import pytest
from garboard.__main__ import main
from garboard._top import _sockets
from garboard._top._publisher import Publisher
from garboard._top._sampling import sample
from garboard._top._viewing import Growth, answers

from tests.support.live_memory import balanced  # noqa: F401
from tests.support.terminal import Terminal

pytestmark = pytest.mark.usefixtures("balanced")

PROGRAM = """
import sys, threading
import garboard as gb

def main():
    pause = threading.Event()
    kept = []
    with gb.leaks.watch(on_leak=lambda leak: None) as watch, gb.dispose_scope("epoch"):
        print("ready", flush=True)
        while not pause.wait(0.002):
            kept.append(gb.ones(256))
            watch.step()

print("hello from the script")
main()
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Sockets in a folder of the test's own, whose path is short enough for one."""
    folder = Path("/tmp") / f"gb-{os.getpid()}"
    folder.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    paths = [str(Path(gb.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    (tmp_path / "train.py").write_text(PROGRAM)
    yield tmp_path
    for file in sorted(folder.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    folder.rmdir()


@pytest.fixture
def publisher(home):
    found = Publisher()
    yield found
    found.close()
    found._thread.join(30)
    assert not found._thread.is_alive()


@pytest.fixture
def program(home):
    """A program that publishes."""
    with subprocess.Popen(
        [sys.executable, "train.py"],
        cwd=home,
        env={**os.environ, "GARBOARD_PUBLISH": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as found:
        assert found.stdout is not None
        while found.stdout.readline() != "ready\n":
            pass
        yield found
        found.kill()


def asked() -> dict:
    with _sockets.connected(os.getpid(), timeout_s=30) as client:
        return next(answers(client))


class TestASample:
    def test_has_live_bytes_by_line_scope_and_device(self):
        with gb.dispose_scope("a scope"):
            kept = gb.ones(1 << 16)
            found = sample()

        assert ["a scope", 1, 1 << 18] in found["scopes"]
        place, count, nbytes = found["sites"][0]
        assert "test_has_live_bytes" in place
        assert (count, nbytes) == (1, 1 << 18)
        assert found["devices"]["cpu"]["live"] >= 1 << 18
        assert found["devices"]["cpu"].keys() >= {"cached", "reserved", "limit", "peak"}
        assert json.loads(json.dumps(found)) == found
        assert kept.is_disposed

    def test_tells_growth_by_steps_or_else_by_seconds(self):
        def at(step, time_s, nbytes):
            return {"step": step, "time_s": time_s, "sites": [["x", 1, nbytes]], "scopes": []}

        by_step, by_second = Growth(), Growth()
        for taken in (at(10, 0.0, 100), at(30, 1.0, 500)):
            by_step.take(taken)
        for taken in (at(10, 0.0, 100), at(10, 4.0, 500)):
            by_second.take(taken)

        assert (by_step.unit, by_step.of("sites")) == ("step", {"x": 20.0})
        assert (by_second.unit, by_second.of("sites")) == ("s", {"x": 100.0})


class TestTheSocket:
    def test_may_be_opened_by_its_user_alone(self, publisher):
        folder = publisher.path.parent

        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(publisher.path.stat().st_mode) == 0o600
        assert asked()["pid"] == os.getpid()

    def test_is_refused_in_a_folder_that_others_may_write_to(self, home, capsys):
        _sockets.private_folder().chmod(0o777)

        with pytest.raises(_sockets.UnsafeFolderError, match="not a folder that is yours alone"):
            Publisher()
        assert main(["top", "1"]) == 2
        assert "yours alone" in capsys.readouterr().err

    def test_turns_away_who_is_not_the_user(self, publisher, monkeypatch):
        monkeypatch.setattr("garboard._top._publisher.is_of_user", lambda peer: False)

        with _sockets.connected(os.getpid(), timeout_s=30) as client:
            assert list(answers(client)) == []

    def test_serves_others_while_one_does_not_read(self, publisher):
        with _sockets.connected(os.getpid(), timeout_s=30) as stuck:
            stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            for _ in range(50):
                stuck.send(b"?" * 100)

            assert asked()["pid"] == os.getpid()

    def test_is_gone_with_its_process_and_another_in_a_child(self, home):
        done = subprocess.run(
            [
                sys.executable,
                *("-W", "ignore::DeprecationWarning"),  # newer Pythons warn of forks beside threads
                "-c",
                "import os, sys, garboard\n"
                "from garboard._top._sockets import path_of\n"
                "assert path_of(os.getpid()).exists()\n"
                "child = os.fork()\n"
                "if not child:\n"
                "    os._exit(not path_of(os.getpid()).exists())\n"
                "status = os.waitpid(child, 0)[1]\n"
                "assert path_of(os.getpid()).exists()\n"
                "print(os.getpid())\n"
                "sys.exit(status)\n",
            ],
            env={**os.environ, "GARBOARD_PUBLISH": "1"},
            capture_output=True,
            text=True,
        )

        assert (done.returncode, done.stderr) == (0, "")
        assert not _sockets.path_of(int(done.stdout)).exists()

    def test_costs_a_program_nothing_that_does_not_ask_for_it(self, home):
        found = subprocess.run(
            [sys.executable, "-c", "import sys, garboard; print('socket' in sys.modules)"],
            env={**os.environ, "GARBOARD_PUBLISH": "0"},
            capture_output=True,
            text=True,
        )

        assert found.stdout == "False\n"
        assert not list(_sockets.private_folder().iterdir())


class TestTheView:
    def test_of_a_process_shows_what_grows_and_leaves_on_control_c(self, home, program):
        command = [sys.executable, "-m", "garboard", "top", "--every", "0.1", str(program.pid)]

        with Terminal(command, dict(os.environ), str(home)) as terminal:
            terminal.read_until(r"garboard top  pid \d+  train\.py")
            terminal.read_until(r"growth/step +born at")
            terminal.read_until(r"\+1\.0 KiB +train\.py:\d+ main\(\)")
            terminal.read_until(r"ends with scope.*\+1\.0 KiB +epoch")
            assert "\x1b[?1049h" in terminal.raw
            terminal.press(b"\x03")
            status = terminal.wait()

        assert status == 0
        assert "\x1b[?1049l" in terminal.raw
        assert program.poll() is None

    def test_of_a_script_ends_with_it_and_shows_what_it_printed(self, home):
        command = [sys.executable, "-m", "garboard", "top", "--every", "0.1", "train.py"]

        with Terminal(command, dict(os.environ), str(home)) as terminal:
            terminal.read_until(r"\+1\.0 KiB +train\.py:\d+ main\(\)")
            terminal.press(b"\x03")
            terminal.wait()

        after = terminal.raw.rpartition("\x1b[?1049l")[2]
        assert "hello from the script" in after
        assert "KeyboardInterrupt" in after

    def test_may_be_one_look_without_a_terminal(self, home, program, capsys):
        assert main(["top", "--once", str(program.pid)]) == 0

        out = capsys.readouterr().out
        assert "train.py" in out
        assert "cached" in out

    def test_one_look_at_a_script_waits_for_its_tensors_and_ends_it(self, home):
        command = [sys.executable, "-m", "garboard", "top", "--once", "--every", "0.1", "train.py"]

        done = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=60)

        assert done.returncode == 0, done.stderr
        assert "train.py" in done.stdout
        assert "main()" in done.stdout
        assert "Traceback" not in done.stdout

    def test_of_a_process_that_does_not_publish_says_so(self, home, capsys):
        assert main(["top", str(os.getpid())]) == 2
        assert "start it with GARBOARD_PUBLISH=1" in capsys.readouterr().err

    @pytest.mark.parametrize("answer", [b"[]\n", b"{}\n", b"no json\n"])
    def test_of_something_else_says_so(self, home, answer, capsys):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(_sockets.path_of(os.getpid())))
        listener.listen(1)
        with listener:
            child = subprocess.Popen(
                [sys.executable, "-m", "garboard", "top", "--once", str(os.getpid())],
                stderr=subprocess.PIPE,
                text=True,
            )
            peer, _ = listener.accept()
            with peer:
                peer.recv(1)
                peer.sendall(answer)
                _, said = child.communicate(timeout=60)

        assert child.returncode == 2
        assert said.startswith("garboard top: ")

    @pytest.mark.parametrize("every", ["0", "x", "1e9"])
    def test_is_not_asked_for_too_often(self, every, capsys):
        with pytest.raises(SystemExit):
            main(["top", "--every", every, "1"])
        assert "0.05 to 3600 seconds" in capsys.readouterr().err
