"""The command line: which commands there are, and what they return."""

from __future__ import annotations

import subprocess
import sys

import garboard as gb
import pytest
from garboard import _info
from garboard.__main__ import COMMANDS, main


def test_the_version_is_the_packages(capsys):
    with pytest.raises(SystemExit) as left:
        main(["--version"])

    assert left.value.code == 0
    assert capsys.readouterr().out == f"garboard {gb.__version__}\n"


@pytest.mark.parametrize("arguments", [["dance"], ["info", "--loudly"]])
def test_what_is_unknown_leaves_with_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as left:
        main(arguments)

    assert left.value.code == 2
    assert "usage: garboard" in capsys.readouterr().err


def test_without_a_command_it_is_help_that_is_printed(capsys):
    assert main([]) == 0

    assert capsys.readouterr().out.startswith("usage: garboard")


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])

    said = " ".join(capsys.readouterr().out.split())
    assert all(name in said and module.SUMMARY in said for name, module in COMMANDS.items())


def test_info_says_what_it_runs_on(capsys):
    assert main(["info"]) == 0

    said = capsys.readouterr().out
    assert gb.__version__ in said
    assert gb._engine._instruction_set() in said
    assert (gb.cuda.why_unavailable() or "devices") in said


def test_info_names_a_limit():
    before = gb.memory.set_memory_limit("2 GiB")
    try:
        assert _info.facts()["memory limit"] == gb.memory.human_bytes(2 << 30)
    finally:
        gb.memory.set_memory_limit(before)


def test_the_module_runs_as_a_command():
    done = subprocess.run(
        [sys.executable, "-m", "garboard", "--version"], capture_output=True, text=True
    )

    assert (done.returncode, done.stdout) == (0, f"garboard {gb.__version__}\n")


def test_the_command_imports_rich_only_for_the_demo():
    command = "import sys, garboard.__main__; print({'rich', 'numpy'} & set(sys.modules))"

    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)

    assert done.stdout == "set()\n", done.stderr


def test_explain_prints_what_a_kind_is(capsys):
    assert main(["explain", "tensor-list"]) == 0
    one = capsys.readouterr().out
    assert main(["explain"]) == 0
    every = capsys.readouterr().out
    assert main(["explain", "tensor-lisp"]) == 1

    assert one.startswith("tensor-list (LIST-...): A container gains a tensor at every step.")
    assert len(every.splitlines()) > 25
    assert "perhaps 'tensor-list'" in capsys.readouterr().err
