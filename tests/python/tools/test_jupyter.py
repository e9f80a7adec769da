"""`%load_ext garboard`: a footer under each cell, `%leaks`, `%%leaks`, `%memory`, `%%scope`."""

from __future__ import annotations

import re
import subprocess
import sys
from weakref import ProxyType

import garboard as gb
import pytest
from garboard.jupyter import _loaded

from tests.support.live_memory import balanced  # noqa: F401
from tests.support.notebook import Notebook

pytestmark = pytest.mark.usefixtures("balanced")

FAIL = "def fit():\n    act = gb.zeros(1000)\n    raise ValueError('no')\nfit()"


@pytest.fixture
def loaded(notebook: Notebook) -> Notebook:
    """A notebook whose second cell has loaded the extension."""
    notebook.run("%load_ext garboard")
    return notebook


class TestTheFooter:
    def test_of_a_cell_that_leaves_nothing_is_one_grey_line(self, loaded):
        ran = loaded.run("value = gb.ones(3).sum().item()")

        assert ran.plain == "garboard: 0 bytes live, unchanged"
        assert ran.html == f'<span style="color:#888">{ran.plain}</span>'

    def test_says_what_the_cell_left_and_who_holds_it(self, loaded):
        ran = loaded.run("x = gb.zeros(256)\nkept = [gb.zeros(512), gb.zeros(512)]")

        assert ran.plain.splitlines() == [
            "garboard: 5.0 KiB live, +5.0 KiB; In[3] left 3 tensors, 5.0 KiB",
            "  bytes  what          born     held by",
            "4.0 KiB  2 tensors     In[3]:2  kept",
            "1.0 KiB  float32[256]  In[3]:1  x",
        ]
        assert "5.0 KiB, held by kept, x</span></summary><table>" in ran.html

    def test_names_the_output_and_what_frees_it(self, loaded):
        ran = loaded.run("gb.zeros(256)")

        assert "held by Out[3]</span>" in ran.html
        assert "Out[3], freed by `%leaks clear out`" in ran.plain

    def test_names_the_traceback_of_a_failed_cell(self, loaded):
        ran = loaded.run(FAIL)

        assert ran.plain.endswith(
            "In[3]:2  act, in the traceback of the failed cell In[3], "
            "freed by `%leaks clear tracebacks`"
        )

    def test_counts_gradients_and_storages_once(self, loaded):
        loaded.run("x = gb.zeros(256, requires_grad=True)")

        ran = loaded.run("x.sum().backward()\nviews = [x[:1], x[1:]]")

        assert "+1.0 KiB; In[4] left 2 tensors, 1.0 KiB" in ran.plain
        assert "the library (gradients, optimizers, graphs)" in ran.plain

    def test_says_what_a_cell_has_freed(self, loaded):
        loaded.run("x = gb.zeros(256)")

        assert loaded.run("del x").plain == "garboard: 0 bytes live, -1.0 KiB"

    def test_of_a_cell_in_a_cell_is_the_outer_ones(self, loaded):
        ran = loaded.run("get_ipython().run_cell('x = gb.zeros(3)');")

        assert len(ran.displayed) == 1
        assert "left 1 tensor, 12 bytes" in ran.plain

    def test_tells_many_holders_in_a_few_rows(self, loaded):
        ran = loaded.run("for i in range(12):\n    globals()[f'x{i}'] = gb.zeros(i + 1)")

        assert ran.plain.splitlines()[-1] == "40 bytes  4 tensors             4 other holders"
        assert "held by x11, x10, x9 and 9 more" in ran.html

    def test_looks_up_the_newest_of_very_many_tensors(self, loaded):
        ran = loaded.run("xs = [gb.zeros(3) for _ in range(2500)]\nx = gb.zeros(3)")

        assert "In[3] left 2 501 tensors, 29.3 KiB" in ran.plain
        assert re.search(r"501 tensors +older ones, not looked up$", ran.plain, re.MULTILINE)
        assert re.search(r"1 999 tensors +In\[3\]:1 +xs$", ran.plain, re.MULTILINE)

    def test_of_what_only_a_cycle_holds_says_so(self, loaded):
        ran = loaded.run("a = [gb.zeros(3)]\na.append(a)\ndel a")

        assert "a reference cycle that waits for the garbage collector" in ran.plain

    def test_is_told_by_device_where_there_are_several(self, loaded):
        ran = loaded.run(
            """
            with gb.memory.SimulatedDevice("8 MiB") as device:
                x, y = gb.zeros(3), gb.zeros(3, device=device)
                get_ipython().run_line_magic("memory", "")
                print(gb.jupyter._footer.live_text())
                del y
            """
        )

        assert re.fullmatch(r"12 bytes live on cpu, 12 bytes live on simulated:\d+\n", ran.text)
        assert re.search(r"^simulated:\d+ +12 bytes", ran.plain, re.MULTILINE)

    def test_is_switched_off_and_on(self, loaded):
        loaded.run("%memory off")
        off = loaded.run("1")
        loaded.run("%memory on")

        assert off.displayed == []
        assert len(loaded.run("1").displayed) == 1

    @pytest.mark.parametrize(
        "cell",
        [
            "class Angry:\n    def __repr__(self): raise ValueError('no')\nangry = Angry()\nangry",
            "class Angry(gb.Tensor):\n    def __repr__(self): raise ValueError('no')\nAngry([1.0])",
            "class Half:\n    def __init__(self): self.x = gb.zeros(3)\n"
            "    def __repr__(self): raise KeyboardInterrupt\n    __hash__ = None\n"
            "kept = {1: Half()}",
        ],
    )
    def test_asks_no_object_for_its_text(self, loaded, cell):
        ran = loaded.run(cell)

        assert ran.plain.splitlines()[0].startswith("garboard: ")


class TestLeaks:
    def test_shows_what_lives_by_holder(self, loaded):
        loaded.run("x = gb.zeros(256)")
        loaded.run("x * 2")

        table = loaded.run("%leaks").displayed[0]["data"]

        assert [line.split()[-1] for line in table["text/plain"].splitlines()[1:]] == ["out`", "x"]
        assert table["text/html"].count("<tr>") == 3

    def test_of_nothing_says_so(self, loaded):
        assert loaded.run("%leaks").plain.splitlines()[0] == "nothing lives"

    @pytest.mark.parametrize("asked", ["x", "In[3]:1", "In[3]", "(x)"])
    def test_asks_who_holds_what(self, loaded, asked):
        loaded.run("x = gb.zeros(256)")

        assert "held by global `x` (In[3]:1)" in loaded.run(f"%leaks {asked}").text

    def test_takes_a_serial_number(self, loaded):
        loaded.run("x = gb.zeros(256)")
        serial = gb._engine._birth(loaded.shell.user_ns["x"])[0]

        assert "held by global `x`" in loaded.run(f"%leaks {serial}").text

    @pytest.mark.parametrize("what", ["out", "all"])
    def test_empties_the_outputs(self, loaded, what):
        loaded.run("gb.zeros(256)")
        loaded.run("[gb.zeros(256)]")

        ran = loaded.run(f"%leaks clear {what}")

        assert ran.text.startswith("freed 2.0 KiB, 2 tensors")
        assert loaded.shell.user_ns["Out"] == {}
        assert gb.memory.live().aliases == 0

    def test_leaves_names_of_outputs_that_the_user_has_taken(self, loaded):
        loaded.run("gb.zeros(256)")
        loaded.run("_9, _ = gb.zeros(3), gb.zeros(4)")

        ran = loaded.run("%leaks clear out")

        assert ran.text.startswith("freed 1.0 KiB, 1 tensor")
        assert [loaded.shell.user_ns[name].numel() for name in ("_9", "_")] == [3, 4]

    def test_shows_and_keeps_outputs_afterwards(self, loaded):
        loaded.run("gb.zeros(256)")
        loaded.run("%leaks clear out")
        loaded.run("7")

        assert loaded.run("_, Out, _5").text.strip() == "Out[6]: (7, {5: 7}, 7)"

    @pytest.mark.parametrize("what", ["tracebacks", "all"])
    def test_forgets_the_last_error_and_those_it_came_from(self, loaded, what):
        loaded.run(FAIL.replace("fit()", "fit_inside()", 1).replace("\nfit()", ""))
        loaded.run(
            """
            def outer():
                big = gb.zeros(256)
                try:
                    fit_inside()
                except ValueError as error:
                    raise KeyError("outer") from error
            outer()
            """
        )
        before = gb.memory.live().aliases

        ran = loaded.run(f"%leaks clear {what}")

        assert before == 2
        assert ran.text == "freed 4.9 KiB, 2 tensors; %debug has no error to look at\n"
        assert not hasattr(sys, "last_value")

    def test_lets_go_of_what_the_debugger_has_looked_at(self, loaded, monkeypatch):
        monkeypatch.setattr("builtins.input", lambda *_: "quit")
        loaded.run(FAIL)

        assert "raise ValueError" in loaded.run("%debug").text
        assert loaded.run("%leaks clear tracebacks").text.startswith("freed 3.9 KiB, 1 tensor")

    def test_leaves_a_later_error_its_traceback(self, loaded):
        loaded.run(FAIL)
        loaded.run("%leaks clear tracebacks")

        assert "ZeroDivisionError" in loaded.run("1 / 0").text
        assert isinstance(sys.last_value, ZeroDivisionError)

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("%leaks clear", "%leaks clear : out, tracebacks or all is needed"),
            ("%leaks clear x", "%leaks clear x: out, tracebacks or all is needed"),
            ("%leaks nosuch", "%leaks nosuch: NameError: name 'nosuch' is not defined"),
            ("%memory up", "%memory up: nothing, on or off is needed"),
            ("%%leaks --steps x\n1", "%%leaks: argument --steps: invalid int value: 'x'"),
            ("%%leaks --steps 4\n1", "%%leaks: 4 steps; at least 5 are needed"),
            ("%%scope 'a\n1", "%%scope: No closing quotation"),
            ("%%scope a b\n1", "%%scope: unrecognized arguments: b"),
        ],
    )
    def test_a_line_that_cannot_be_is_refused_in_a_line(self, loaded, line, said, capsys):
        loaded.run(line)

        assert capsys.readouterr().err == f"UsageError: {said}\n"


class TestLeaksOfACell:
    @pytest.mark.parametrize("steps", [8, 60])
    def test_names_what_grows_and_its_line(self, loaded, steps):
        loaded.run("kept = []")

        ran = loaded.run(f"%%leaks --steps {steps}\nx = gb.ones(3)\nkept.append(x * 2)")

        report = ran.displayed[0]["data"]
        assert "tensor-list" in report["text/plain"]
        assert "held  list `kept` (In[4]:3)" in report["text/plain"]
        assert "<code>tensor-list</code>" in report["text/html"]
        assert len(loaded.shell.user_ns["kept"]) == steps

    @pytest.mark.parametrize("steps", [8, 60])
    def test_of_what_is_replaced_finds_nothing(self, loaded, steps):
        ran = loaded.run(f"%%leaks --steps {steps}\nx = gb.ones(3) * 2\nx")

        assert ran.displayed[0]["data"]["text/plain"].startswith("no leaks: ")
        assert ran.text == ""

    def test_an_error_in_it_is_the_cells(self, loaded):
        ran = loaded.run("%%leaks\n1 / 0")

        assert "ZeroDivisionError" in ran.text
        assert "In[3]" in ran.text

    def test_finds_the_line_that_stores_in_another_cell(self, loaded):
        loaded.run("kept = []\ndef keep(x):\n    kept.append(x)")

        ran = loaded.run("%%leaks --steps 8\nkeep(gb.ones(3))")

        assert "held  list `kept` (In[3]:3)" in ran.plain


class TestMemory:
    def test_shows_devices_and_lines(self, loaded):
        loaded.run("x = gb.zeros(256)")

        ran = loaded.run("%memory")

        assert re.search(r"^cpu +1\.0 KiB", ran.plain, re.MULTILINE)
        assert re.search(r"1\.0 KiB +1 +In\[3\]:1 <module>$", ran.plain, re.MULTILINE)
        assert ran.html.count("<table>") == 2


class TestScope:
    def test_ends_what_the_cell_makes_and_shows_its_value(self, loaded):
        ran = loaded.run('%%scope step --limit "1 MiB"\nx = gb.ones(256)\nx.sum()')

        assert ran.text.strip() == "Out[3]: tensor(256.)"
        assert 'scope "step": 2 tensors disposed, 1.0 KiB; 1.0 KiB at the peak' in ran.plain
        assert loaded.shell.user_ns["x"].is_disposed

    def test_without_a_name_and_with_a_semicolon_shows_no_value(self, loaded):
        ran = loaded.run("%%scope\nx = gb.ones(256)\nx;")

        assert ran.text == ""
        assert "scope: 1 tensor disposed" in ran.plain

    def test_ends_what_a_failing_cell_made(self, loaded):
        ran = loaded.run("%%scope\nx = gb.ones(256)\n1 / 0")

        assert "ZeroDivisionError" in ran.text
        assert gb.memory.live().bytes == 0

    def test_refuses_a_limit_that_is_none(self, loaded):
        assert "dispose_scope: limit 'much' given" in loaded.run("%%scope --limit much\n1").text

    def test_of_an_empty_cell_is_empty(self, loaded):
        assert "0 tensors disposed" in loaded.run("%%scope\n# nothing").plain


class TestLoading:
    def test_twice_is_once(self, loaded):
        gb.load_ipython_extension(loaded.shell)
        loaded.run("%reload_ext garboard")

        assert len(loaded.run("1").displayed) == 1

    def test_is_undone(self, loaded, capsys):
        loaded.run("%unload_ext garboard")
        gb.unload_ipython_extension(loaded.shell)

        assert loaded.run("1").displayed == []
        loaded.run("%leaks")
        assert "`%leaks` not found" in capsys.readouterr().err

    def test_leaves_the_commands_of_others(self, loaded):
        def memory(line):
            return 7

        loaded.shell.register_magic_function(memory, "line", "memory")
        loaded.run("%unload_ext garboard")

        assert loaded.run("%memory").text.strip() == "Out[4]: 7"

    @pytest.mark.parametrize("act", [gb.load_ipython_extension, gb.unload_ipython_extension])
    @pytest.mark.parametrize("given", [None, 7, object(), "shell"])
    def test_into_what_is_no_shell_is_refused(self, act, given):
        with pytest.raises(TypeError, match=r"extension: ipython is of type .*; IPython's shell"):
            act(given)

    def test_holds_a_shell_weakly_and_nothing_of_its_cells(self):
        pytest.importorskip("IPython")
        found = Notebook()
        found.run("import garboard as gb\n%load_ext garboard")
        found.run("x = gb.zeros(3)\nx")
        extension = _loaded[found.shell]
        found.close()

        assert gb.memory.live().aliases == 0
        assert type(extension._shell) is ProxyType

    def test_needs_no_ipython_to_import_and_ask(self):
        code = (
            "import sys\nsys.modules['IPython'] = None\nimport garboard as gb, garboard.jupyter\n"
            "x = gb.zeros(3)\nprint(gb.leaks.who_holds(x).names, len(x._repr_html_()) > 20)"
        )

        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

        # From Python 3.13 on the source of a command can be read, and the name has its line.
        assert re.fullmatch(r"\('global `x`( \(.*:4\))?',\) True\n", done.stdout), done.stderr
