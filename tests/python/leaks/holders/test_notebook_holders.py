"""Who holds a tensor in a notebook: variables first, then `Out[n]`, then failed cells."""

from __future__ import annotations

import gc
import sys

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401
from tests.support.notebook import Notebook

pytestmark = pytest.mark.usefixtures("balanced")


def holders(line: str | int) -> tuple[str, ...]:
    return gb.leaks.who_holds(line).names


class TestOutputs:
    def test_the_five_names_of_an_output_are_one_holder(self, notebook):
        notebook.run("x = gb.zeros(3)\nx")
        notebook.run("del x")

        found = gb.leaks.who_holds("In[2]:1")

        assert found.names == ("output `Out[2]`",)
        assert found.chains[0][0] == "what the notebook's cells have shown"
        assert found.chains[0][1].startswith("output `Out[2]`: Tensor float32[3] #")

    def test_a_variable_comes_before_the_output(self, notebook):
        notebook.run("x = gb.zeros(3)\nx")

        assert holders("In[2]:1") == ("global `x` (In[2]:1)", "output `Out[2]`")

    def test_what_two_cells_show_has_both_numbers(self, notebook):
        notebook.run("x = gb.zeros(3)\nx")
        notebook.run("x")
        notebook.run("del x")

        assert holders("In[2]:1") == ("output `Out[2], Out[3]`",)

    def test_what_an_output_leads_to_is_behind_it(self, notebook):
        notebook.run("[gb.zeros(3)]")

        assert holders("In[2]:1") == ("item `Out[2][0]`",)

    def test_of_a_cell_that_ends_in_a_semicolon_there_is_none(self, notebook):
        notebook.run("x = gb.zeros(3)\nx;")

        assert holders("In[2]:1") == ("global `x` (In[2]:1)",)

    @pytest.mark.parametrize("name", ["_oh", "Out", "_5", "__"])
    def test_a_name_of_ipythons_may_be_anything(self, notebook, name):
        notebook.run(
            f"""
            class Angry(type):
                def __eq__(self, other): raise ValueError("no")
                __hash__ = None
            class Thing(metaclass=Angry):
                __class__ = property(lambda self: 1 / 0)
            x = gb.zeros(3)
            {name} = Thing()
            """
        )

        assert holders("In[2]:6") == ("global `x` (In[2]:6)",)

    def test_an_underscore_of_the_users_own_is_a_variable(self, notebook):
        notebook.run("_ = gb.zeros(3)")

        assert holders("In[2]:1") == ("global `_` (In[2]:1)",)

    def test_a_finding_behind_an_output_says_so(self, notebook):
        ran = notebook.run(
            """
            try:
                with gb.leaks.no_leaks():
                    get_ipython().displayhook(gb.zeros(3))
            except gb.leaks.LeakError as error:
                print(error.report.leaks[0].kind, error.report.leaks[0].holder)
            """
        )

        assert ran.text.endswith("notebook-output output `Out[2]`\n")


class TestFailedCells:
    def test_a_failed_cell_is_named_with_what_frees_it(self, notebook):
        notebook.run("def fit():\n    act = gb.zeros(1000)\n    raise ValueError('no')\nfit()")

        (found,) = holders("In[2]:2")

        assert found == (
            "local `act` (In[2]:2), in the traceback of the failed cell In[2], freed by "
            "`%leaks clear tracebacks` after `%load_ext garboard`"
        )

    def test_a_finding_in_one_says_what_frees_it(self, notebook):
        notebook.run("watch = gb.leaks.watch()\nwatch.__enter__()")
        notebook.run("for _ in range(4): watch.step()")
        notebook.run("def fit():\n    act = gb.zeros(1000)\n    raise ValueError('no')\nfit()")
        notebook.run("for _ in range(8): watch.step()")

        (leak,) = (it for it in notebook.shell.user_ns["watch"].report().leaks if it.bytes == 4000)

        assert (leak.kind, leak.verdict) == ("notebook-or-test-traceback", "RETAINED")
        assert "`%leaks clear tracebacks`" in leak.fix

    def test_the_next_error_takes_its_place(self, notebook):
        notebook.run("def fit():\n    act = gb.zeros(1000)\n    raise ValueError('no')\nfit()")
        notebook.run("1 / 0")
        gc.collect()  # frames and tracebacks refer to one another

        with pytest.raises(ValueError, match=r"who_holds: 'In\[2\]:2'; a line where a living"):
            holders("In[2]:2")


class TestAQuestionByNumberOrLine:
    def test_takes_a_serial_number(self, notebook):
        notebook.run("x = gb.zeros(3)")
        serial = gb._engine._birth(notebook.shell.user_ns["x"])[0]

        found = gb.leaks.who_holds(serial)

        assert found.names[0] == "global `x` (In[2]:1)"

    @pytest.mark.parametrize("line", ["In[2]:1", "In[2]", "In[2]:1 <module>"])
    def test_takes_a_line_a_cell_or_a_site_as_reports_print_it(self, notebook, line):
        notebook.run("x, y = gb.zeros(3), [gb.zeros(4)]")

        found = gb.leaks.who_holds(line)

        assert found.names == ("item `y[0]` (In[2]:1)", "global `x` (In[2]:1)")
        assert ", born at In[2]:1 <module>, the newest of 2" in found.tensor

    def test_takes_a_site(self):
        kept = [gb.zeros(3)]
        site = gb.leaks.Site(*gb._engine._site(gb._engine._birth(kept[0])[1]))

        assert gb.leaks.who_holds(site).names[0].startswith("item `kept[0]`")

    def test_an_error_keeps_no_tensor(self):
        gb.zeros(3)
        for given in (2**40, 10**30, -1, "nowhere.py:1"):
            with pytest.raises(ValueError, match=r"^who_holds: .*; .* is needed$"):
                gb.leaks.who_holds(given)
        with pytest.raises(TypeError, match="is of type list; a Tensor, its serial number"):
            gb.leaks.who_holds([])


@pytest.fixture
def no_history() -> Notebook:
    pytest.importorskip("IPython")
    found = Notebook(cache_size=0)
    found.run("import garboard as gb")
    yield found
    found.close()


class TestWithoutHistory:
    def test_the_last_result_is_what_is_kept(self, no_history):
        no_history.run("gb.zeros(3)")

        assert holders("In[2]:1") == ("output `the last cell's result`",)

        no_history.run("1")

        with pytest.raises(ValueError, match="is needed"):
            holders("In[2]:1")

    def test_a_shell_without_a_display_hook_has_no_outputs(self, no_history):
        no_history.run("x = gb.zeros(3)")
        hook, no_history.shell.displayhook = no_history.shell.displayhook, None
        try:
            assert holders("In[2]:1") == ("global `x` (In[2]:1)",)
        finally:
            no_history.shell.displayhook = hook


class TestDebuggers:
    def test_what_debug_has_left_is_named_when_another_error_has_come(self, notebook, monkeypatch):
        monkeypatch.setattr("builtins.input", lambda *_: "quit")
        notebook.run("%load_ext garboard")
        notebook.run("def fit():\n    act = gb.zeros(1000)\n    raise ValueError('no')\nfit()")
        notebook.run("%debug")
        notebook.run("1 / 0")

        found = holders("In[3]:2")
        freed = notebook.run("%leaks clear tracebacks").text

        assert found[0].endswith("in what a debugger has left, freed by `%leaks clear tracebacks`")
        assert freed.startswith("freed 3.9 KiB, 1 tensor")

    @pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python's debugger leaves nothing")
    def test_what_a_breakpoint_has_left_is_named_and_freed(self, notebook, monkeypatch):
        monkeypatch.setattr("builtins.input", lambda *_: "continue")
        notebook.run("%load_ext garboard")
        notebook.run("def fit():\n    act = gb.zeros(1000)\n    breakpoint()\nfit()")

        found = holders("In[3]:2")
        freed = notebook.run("%leaks clear tracebacks").text

        assert all("in what a debugger has left" in it for it in found)
        assert len(found) > 0
        assert freed.startswith("freed 3.9 KiB, 1 tensor")
