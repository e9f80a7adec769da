"""The demo: what it promises comes true, and it says so when it does not."""

from __future__ import annotations

import ast
import os
from itertools import chain, repeat
from pathlib import Path

import garboard as gb
import numpy as np
import pytest
from garboard.__main__ import main
from garboard.demo import program as program_module
from garboard.demo.acts import network
from garboard.demo.digits import load_digits, whole
from garboard.demo.program import FOLDER, Program
from garboard.demo.stage import Stage, Tracked

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


@pytest.fixture
def rewritten(tmp_path, monkeypatch):
    """Let the demo run programs in which some text was replaced."""

    def rewrite(name: str, old: str, new: str) -> None:
        for file in FOLDER.glob("*.py"):
            text = file.read_text(encoding="utf-8")
            assert file.stem != name or old in text
            text = text.replace(old, new) if file.stem == name else text
            (tmp_path / file.name).write_text(text, encoding="utf-8")
        monkeypatch.setattr(program_module, "FOLDER", tmp_path)

    return rewrite


class Steps:
    """Batches for so many steps, over as many epochs as that takes; counts what lives meanwhile."""

    def __init__(self, loader: gb.utils.data.DataLoader, count: int) -> None:
        self.loader, self.count = loader, count
        self.live_at = {}

    def __len__(self) -> int:
        return self.count

    def __iter__(self):
        epochs = chain.from_iterable(repeat(self.loader))
        for step in range(1, self.count + 1):
            yield next(epochs)
            self.live_at[step] = gb.memory.live()


@pytest.mark.slow
class TestTheWholeDemo:
    def test_every_claim_holds(self, capsys):
        assert main(["demo", "--plain"]) == 0

        said = capsys.readouterr().out
        assert "FAILED" not in said
        assert "accumulated-graph" in said
        assert "its remedy: total += loss.item()" in said
        assert 'disposed by scope "step"' in said
        assert said.rstrip().endswith("claims held")

    def test_it_is_plain_where_there_is_no_terminal(self, capsys):
        main(["demo", "--epochs", "1"])

        said = capsys.readouterr().out
        assert "\x1b" not in said
        assert "\r" not in said

    def test_too_little_training_fails(self, capsys):
        assert main(["demo", "--epochs", "1"]) == 1

        assert "of the test digits read; 95% promised" in capsys.readouterr().out.splitlines()[-1]

    def test_a_repaired_program_has_no_leak_to_find(self, capsys, rewritten):
        rewritten("without_scopes", "total += loss", "total += loss.item()")

        assert main(["demo", "--epochs", "25"]) == 1

        last = capsys.readouterr().out.splitlines()[-1]
        assert last == "what did not hold: one leak found, where one was planted"

    def test_memory_that_grows_fails(self, capsys, rewritten):
        kept = "globals().setdefault('kept', []).append(gb.ones(9))"
        rewritten("in_scopes", "        total = 0.0\n", f"        total = 0.0\n        {kept}\n")

        assert main(["demo", "--epochs", "25"]) == 1

        assert "the same live memory" in capsys.readouterr().out.splitlines()[-1]

    def test_ten_thousand_steps_leave_memory_as_a_hundred_did(self):
        gb.manual_seed(0)
        batches = Steps(gb.utils.data.DataLoader(load_digits()[0], 32, shuffle=True), 10_000)
        model, optimizer = network()

        next(Program("in_scopes").train(model, optimizer, batches, 1))

        assert batches.live_at[100] == batches.live_at[10_000]

    def test_a_seed_repeats_it(self, capsys):
        def rows() -> list[str]:
            main(["demo", "--seed", "5", "--epochs", "2"])
            lines = capsys.readouterr().out.splitlines()
            return [line for line in lines if line.strip().startswith(("1 ", "2 "))]

        assert rows() == rows()


class TestDigits:
    def test_all_of_them_come_with_the_package(self):
        gb.manual_seed(0)
        training, test = load_digits()

        assert (len(training), len(test)) == (1438, 359)
        assert not set(training.indices) & set(test.indices)

    def test_they_are_the_known_ones(self):
        gb.manual_seed(0)
        parts = [whole(part) for part in load_digits()]

        labels = np.concatenate([y.numpy() for _, y in parts])
        pixels = np.concatenate([x.numpy() for x, _ in parts])

        known = [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
        assert np.bincount(labels).tolist() == known
        assert pixels.shape == (1797, 64)
        assert (pixels.min(), pixels.max()) == (0, 1)
        assert pixels.sum() * 16 == 561718

    def test_their_source_and_licence_are_named(self):
        text = (FOLDER.parent / "README.md").read_text(encoding="utf-8")

        assert "UCI Machine Learning Repository" in text
        assert "CC BY 4.0" in text


class TestPrograms:
    @pytest.mark.parametrize("file", sorted(FOLDER.glob("*.py")), ids=lambda file: file.stem)
    def test_each_says_in_a_line_what_it_shows(self, file):
        summary = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))

        assert "\n" not in summary
        assert Program(file.stem).summary == summary

    def test_what_they_make_is_the_users(self, tmp_path, monkeypatch):
        (tmp_path / "one.py").write_text(
            '"""One."""\nimport garboard as gb\n\ndef make():\n    return gb.ones(1)\n'
        )
        monkeypatch.setattr(program_module, "FOLDER", tmp_path)
        program = Program("one")

        made = program.make()

        file, line, function = gb._engine._site(gb._engine._birth(made)[1])
        assert (file, line, function) == (program.path, 5, "make")
        assert program.line(line) == "return gb.ones(1)"

    def test_their_own_frames_are_the_users_though_they_lie_in_the_package(self):
        program = Program("in_scopes")
        model = gb.nn.Linear(64, 10)
        optimizer = gb.optim.SGD(model.parameters())
        seen = []
        model.register_forward_hook(lambda module, args, output: seen.append(output))

        next(program.train(model, optimizer, [(gb.ones(1, 64), gb.zeros(1).long())], 1))

        file, line, _ = gb._engine._site(gb._engine._birth(seen[0])[1])
        assert Path(file).resolve() == (FOLDER / "in_scopes.py").resolve()
        assert "model(x)" in program.line(line)

    def test_an_unknown_name_is_refused(self):
        with pytest.raises(AttributeError, match="defines no 'walk'"):
            Program("in_scopes").walk()

    def test_the_path_leads_there_from_the_working_directory(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

        assert os.path.exists(Program("in_scopes").path)


class TestStage:
    def test_claims_are_kept_apart(self, capsys):
        stage = Stage(plain=True)

        stage.claim(True, "[one]")
        stage.claim(False, "two")

        assert (stage.held, stage.failed) == (["[one]"], ["two"])
        assert capsys.readouterr().out == "  ok  [one]\n  FAILED  two\n"

    def test_tracked_batches_die_as_untracked_ones_do(self):
        loader = gb.utils.data.DataLoader(gb.utils.data.TensorDataset(gb.ones(4, 2)), 2)
        stage = Stage(plain=True)
        before = gb.memory.live()

        with stage.progress() as progress:
            task = progress.add_task("test", total=2)
            for (x,) in Tracked(loader, progress, task):
                del x
                assert gb.memory.live() == before
            assert progress.tasks[0].completed == 2


def test_epochs_below_one_are_refused():
    with pytest.raises(SystemExit, match="--epochs 0; 1 or more is needed"):
        main(["demo", "--epochs", "0"])
