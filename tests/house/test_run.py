"""./run names what is missing, and rebuilds when something it is made of has changed."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.house.tree import HOME, planted


@pytest.fixture
def run():
    """The script as a module, a fresh one for each test."""
    loader = importlib.machinery.SourceFileLoader("garboard_run", str(HOME / "run"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def fake_python(folder: Path, *, answers: str) -> Path:
    python = folder / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f"#!/bin/sh\necho {answers}\n")
    python.chmod(0o755)
    return python


def test_names_the_package_of_a_missing_compiler(run, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)

    with pytest.raises(SystemExit, match=r"compiler is missing.*apt-get install g\+\+"):
        run.check_system(Path(sys.executable), "3.11")


def test_every_build_calls_the_compiler_by_one_name(run, monkeypatch):
    monkeypatch.setattr(run.shutil, "which", {"g++": "/bin/g++", "c++": "/bin/c++"}.get)
    told = "import os, sys; sys.exit(os.environ['CXX'] != sys.argv[1])"

    for given, name in (("", "g++"), ("ccache clang++", "ccache clang++")):
        monkeypatch.setenv("CXX", given)
        run.call(sys.executable, "-c", told, name)


def test_names_the_package_of_missing_headers(run, tmp_path):
    python = fake_python(tmp_path, answers="nowhere")

    with pytest.raises(SystemExit, match=r"Python\.h .*apt-get install python3\.12-dev"):
        run.check_system(python, "3.12")


def test_names_the_package_of_a_missing_venv(run, tmp_path):
    python = fake_python(tmp_path, answers="")

    with pytest.raises(SystemExit, match=r"venv .*apt-get install python3\.12-venv"):
        run.check_system(python, "3.12")


def test_every_part_of_ci_is_there():
    parts = re.search(r"^files=\([^)]*\)", (HOME / ".ci" / "run").read_text(), re.MULTILINE)
    assert parts
    script = f'shopt -s nullglob\n{parts[0]}\nprintf "%s\\n" "${{files[@]}}"'

    listed = subprocess.check_output(["bash", "-c", script], text=True).split()

    assert len(listed) > 10
    assert [part for part in listed if not (HOME / "tests" / "python" / part).exists()] == []


@pytest.mark.parametrize("version", ["3.9", "3.99"])
def test_refuses_a_python_that_no_test_has_seen(run, version):
    with pytest.raises(SystemExit, match=rf"Python {version}; 3\.11 to 3\.\d+ are tested$"):
        run.Environment(version)


def test_knows_the_versions_that_the_package_claims(run, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "HOME", tmp_path)
    planted(tmp_path, {"pyproject.toml": '[project]\nrequires-python = ">=3.9,<3.12"'})

    assert run.supported_versions() == ["3.9", "3.10", "3.11"]


def test_names_the_installed_versions_this_one_first(run, monkeypatch, capsys):
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    monkeypatch.setattr(run, "supported_versions", lambda: ["3.1", "3.2", own])
    monkeypatch.setattr(run, "installed_python", lambda version: version != "3.1")
    monkeypatch.setattr(sys, "argv", ["run", "pythons"])

    run.main()

    assert capsys.readouterr().out.split() == [own, "3.2"]


def test_finds_an_interpreter_among_those_of_pyenv(run, tmp_path, monkeypatch):
    versions = tmp_path / "versions" / "3.97.1"
    versions.mkdir(parents=True)
    python = fake_python(versions, answers="/somewhere/python 3.97")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))

    assert run.find_python("3.97") == Path("/somewhere/python")
    assert python.is_file()
    with pytest.raises(SystemExit, match=r"Python 3\.98 is missing.*python3\.98-venv"):
        run.find_python("3.98")


@pytest.mark.parametrize("changed", ["pyproject.toml", "csrc/core/a.h", "python/garboard/new.py"])
def test_rebuilds_after_a_change(run, tmp_path, monkeypatch, changed):
    monkeypatch.setattr(run, "HOME", tmp_path)
    planted(tmp_path, {"pyproject.toml": "one", "csrc/core/a.h": "one"})
    before = run.digest_of_sources()

    planted(tmp_path, {changed: "two"})

    assert run.digest_of_sources() != before


def test_does_not_rebuild_for_what_it_is_not_made_of(run, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "HOME", tmp_path)
    planted(tmp_path, {"python/garboard/a.py": "one"})
    before = run.digest_of_sources()

    planted(tmp_path, {"README.md": "two", "python/garboard/__pycache__/a.pyc": "two"})

    assert run.digest_of_sources() == before


def test_builds_the_kernels_of_this_machine_alone_until_all_are_wanted(run, tmp_path, monkeypatch):
    built = []
    environment = run.Environment(None)
    environment.folder = tmp_path
    monkeypatch.setattr(environment, "prepare", lambda: None)
    monkeypatch.setattr(environment, "pip_install", lambda *words: built.append(words))
    monkeypatch.setattr(run, "digest_of_sources", lambda: "digest")

    for wanted in ("native", "native", "all", "all", "native"):
        environment.install(wanted)

    defined = [
        str(word).partition("SETS=")[2] for words in built for word in words if "SETS=" in str(word)
    ]
    assert defined == ["native", "all"]


def test_tells_every_program_under_a_sanitizer_what_to_allow(run, monkeypatch, tmp_path):
    told = []
    monkeypatch.setattr(run, "call", lambda *_, **more: told.append(more))
    monkeypatch.setattr(run, "output", lambda *_: "library.so")
    (tmp_path / "CMakeCache.txt").write_text("")
    environment = run.Environment(None)

    run.run_cpp_tests(environment, tmp_path, True, [])
    run.run_quick_tests(environment, [], **run.sanitized("thread"))

    options = [each["TSAN_OPTIONS"] for each in told if "TSAN_OPTIONS" in each]
    assert options == [run.SANITIZED["TSAN_OPTIONS"]] * 2
    assert "die_after_fork=0:halt_on_error=1" in run.SANITIZED["TSAN_OPTIONS"]
    assert run.SUPPRESSIONS.is_file()


@pytest.mark.parametrize("failing", [None, 0, 2])
def test_all_shards_of_the_cpp_tests_run_and_one_that_fails_fails_them(
    run, monkeypatch, tmp_path, failing
):
    program = tmp_path / "tests.sh"
    program.write_text(
        "#!/bin/sh\n"
        f"touch {tmp_path}/$GTEST_SHARD_INDEX-of-$GTEST_TOTAL_SHARDS-with-$1\n"
        f"test $GTEST_SHARD_INDEX != {failing}\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(run.os, "cpu_count", lambda: 3)

    with nullcontext() if failing is None else pytest.raises(SystemExit, match="run: failed: "):
        run.call_in_shards(program, "brief")

    found = sorted(it.name for it in tmp_path.glob("*-of-*"))
    assert found == [f"{shard}-of-3-with-brief" for shard in range(3)]
