"""Texts of others' objects: written as every file takes them, whatever the objects do."""

from __future__ import annotations

import io
import os
import sys
import weakref
from typing import Any

import garboard as gb
import pytest
from garboard import nn
from garboard.__main__ import main
from garboard._arguments.texts import printable, settings, shown, told
from garboard.report import Report

from tests.support.hostile_objects import HALF, Anger, Angry
from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Raising:
    """An object whose text is an error."""

    def __str__(self) -> str:
        raise ZeroDivisionError

    __repr__ = __str__


class TestHowTextsAreMade:
    @pytest.mark.parametrize(
        ("text", "written"),
        [
            ("train.py", "train.py"),
            ("Zürich, 東京 👩‍🚀", "Zürich, 東京 👩‍🚀"),
            (HALF, "\\ud800"),
            ("a\nb\0\x1b[31m\x9f", "a\\nb\\x00\\x1b[31m\\x9f"),
            ("\\n", "\\n"),
            ("\uffff", "\\uffff"),
        ],
    )
    def test_what_no_file_takes_is_escaped(self, text, written):
        assert printable(text) == written

    @pytest.mark.parametrize(
        ("given", "text"),
        [
            (1.5, "1.5"),
            ("tanh", "'tanh'"),
            (HALF, "'\\ud800'"),
            ("x" * 100, repr("x" * 80)),
            pytest.param(10**5000, "beyond 64 bits", id="huge"),
            pytest.param(-(10**5000), "beyond 64 bits", id="huge, below 0"),
            ([1, 2], "of type list"),
        ],
    )
    def test_errors_show_numbers_and_words_alone(self, given, text):
        assert shown(given) == text

    def test_settings_are_told_by_their_own_text(self):
        assert settings(p=0.5, word="none", sizes=(2, 3)) == "p=0.5, word='none', sizes=(2, 3)"
        assert told(Raising()) == "<Raising, whose str raises ZeroDivisionError>"
        assert told(10**5000) == "<int, whose str raises ValueError>"
        assert told("x" * 1000) == "x" * 197 + "..."
        with pytest.raises(Anger):
            told(Angry())


class TestReprs:
    def test_of_layers_survive_what_is_assigned_to_them(self):
        layer = nn.Dropout()
        thing = Raising()
        alive = weakref.ref(thing)
        layer.p = thing

        said = "Dropout(p=<Raising, whose str raises ZeroDivisionError>, inplace=False)"
        assert repr(layer) == said
        del layer.p, thing
        assert alive() is None

    def test_of_optimizers_survive_options_that_hold_them(self):
        optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)])
        optimizer.param_groups[0].update(own=optimizer, other=Raising(), word=HALF)

        text = repr(optimizer)

        assert "\n    own: ...\n" in text
        assert "\n    other: <Raising, whose str raises ZeroDivisionError>\n" in text
        assert "\n    word: \\ud800\n" in text
        del optimizer.param_groups[0]["own"]

    def test_of_modules_escape_the_names_of_their_children(self):
        assert repr(nn.Sequential({HALF: nn.ReLU()})) == "Sequential(\n  (\\ud800): ReLU()\n)"

    def test_of_modules_say_what_extra_repr_must_return(self):
        class Own(nn.Module):
            def extra_repr(self) -> Any:
                return None

        with pytest.raises(TypeError, match=r"^Own: extra_repr\(\) returns .* NoneType; a string"):
            repr(Own())

    def test_pass_what_a_subclass_raises(self):
        class Own(nn.Module):
            def extra_repr(self) -> str:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            repr(nn.Sequential(Own()))

    def test_of_scopes_show_the_text_and_not_what_a_subclass_says(self):
        class Word(str):
            __slots__ = ()

            def __repr__(self) -> str:
                raise Anger

        with gb.dispose_scope(Word("step")) as scope:
            assert repr(scope).startswith("DisposeScope(name='step', open")


def snapshot_of(name: str) -> dict[str, Any]:
    """Return a snapshot whose only frame has a name of a file and function's that may be any."""
    frames = [{"filename": f"{name}.py", "line": 1, "name": name}]
    block = {"address": 4096, "size": 64, "requested_size": 64, "state": "active_allocated"}
    segment = {"device": 0, "address": 4096, "total_size": 64, "stream": 0}
    return {
        "segments": [{**segment, "blocks": [{**block, "frames": frames}]}],
        "device_traces": [[]],
        "allocator_settings": {"devices": {"0": name}},
    }


class TestFiles:
    @pytest.mark.parametrize("name", [HALF, "a\0b", "a\x1bb"])
    def test_a_report_takes_any_names(self, name, tmp_path):
        report = Report(snapshot_of(name), title=name)

        page = report.save(tmp_path / "page.html").read_text(encoding="utf-8")

        assert page == report.html
        assert page.count(printable(name)) >= 3
        report._repr_html_().encode("utf-8")

    def test_the_command_takes_a_file_whose_name_is_no_text(self, tmp_path, capsys, monkeypatch):
        folder = os.fsencode(tmp_path)
        source = os.fsdecode(folder + b"/\xff.json")
        with open(source, "w") as file:
            file.write('{"segments": [], "device_traces": []}')
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")  # as a terminal's, it is strict
        monkeypatch.setattr(sys, "stdout", out)

        assert main(["report", source]) == 0

        out.seek(0)
        assert out.read().endswith("\\udcff.html\n")
        with open(folder + b"/\xff.html", encoding="utf-8") as page:
            assert "Memory of \\udcff.json" in page.read()
        assert main(["report", source + "?"]) == 1

    @pytest.mark.parametrize("name", [HALF, "a\0b", HALF * 500])
    def test_names_that_no_file_can_have_are_refused(self, name):
        for call in (gb.memory.dump_snapshot, gb.memory.load_snapshot):
            with pytest.raises(
                ValueError, match=r"filename '.{1,600}'; no file can have that name"
            ):
                call(name)

    def test_the_table_of_a_profile_can_be_printed(self):
        with gb.profiler.profile() as prof:
            gb.ones(2)

        assert prof.key_averages().table(header=HALF).startswith("\\ud800\n")


class TestLoadStateDict:
    def test_names_paths_as_they_can_be_written(self):
        with pytest.raises(RuntimeError, match=r'Unexpected key.* "\\ud800"') as caught:
            nn.ReLU().load_state_dict({HALF: gb.ones(1)})

        assert caught.value.unexpected_keys == [HALF]

    @pytest.mark.parametrize(
        ("change", "error", "message"),
        [
            (lambda state: state["state"][1].update(step="x"), TypeError, "step is of type str"),
            (lambda state: state["state"][1].update(step=float("nan")), ValueError, "step nan; a"),
            (lambda state: state["param_groups"][1].update(lr=-1), ValueError, "Adam: lr -1; it"),
            (lambda state: state["param_groups"][1].update(params=[[]]), TypeError, r"params\[0\]"),
        ],
    )
    def test_of_an_optimizer_changes_nothing_unless_all_of_it_fits(self, change, error, message):
        optimizer, other = (
            gb.optim.Adam([{"params": [gb.ones(1, requires_grad=True)]} for _ in range(2)], lr=lr)
            for lr in (0.1, 0.2)
        )
        for group in other.param_groups:
            group["params"][0].sum().backward()
        other.step()
        state = other.state_dict()
        change(state)

        with pytest.raises(error, match=message):
            optimizer.load_state_dict(state)

        assert [group["lr"] for group in optimizer.param_groups] == [0.1, 0.1]
        assert optimizer.state_dict()["state"] == {}
