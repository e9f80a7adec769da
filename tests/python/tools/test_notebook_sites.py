"""Lines of a notebook's cells are told by the cell's number, wherever a line is told."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard._shown.notebook import cell_of, kept_outputs, leaks_magic, shell, shown_file

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

KEEP = "kept = []\ndef keep():\n    kept.append(gb.zeros(3))\nkeep()"


class TestALine:
    def test_is_named_by_its_cell(self, notebook):
        notebook.run(KEEP)

        (group,) = gb.leaks.live()

        assert group.key == "In[2]:3 keep()"

    def test_is_named_in_errors_of_the_engine(self, notebook):
        notebook.run("x = gb.zeros(3)\nx.dispose()")

        with pytest.raises(gb.DisposedError, match=r"born at In\[2\]:1 <module>\(\) and"):
            notebook.shell.user_ns["x"] + 1

    def test_is_named_when_memory_runs_out(self, notebook):
        notebook.run("x = gb.zeros(200_000)")
        ran = notebook.run(
            """
            before = gb.memory.set_memory_limit("1 MiB")
            try:
                gb.zeros(200_000)
            except gb.OutOfMemoryError as error:
                print(error.report)
            gb.memory.set_memory_limit(before)
            """
        )

        assert "born at In[2]:1 <module>()" in ran.text

    def test_is_named_in_snapshots(self, notebook):
        notebook.run("x = gb.zeros(1000)")

        segments = gb.memory.snapshot()["segments"]

        frames = [frame for it in segments for block in it["blocks"] for frame in block["frames"]]
        assert {"filename": "In[2]", "line": 1, "name": "<module>"} in frames

    def test_is_named_in_profiles(self, notebook):
        notebook.run("def double(x):\n    return x * 2")

        ran = notebook.run(
            """
            with gb.profiler.profile(with_stack=True) as profile:
                double(gb.ones(3))
            print([event.stack[:2] for event in profile.events() if event.name == "mul"])
            """
        )

        assert ran.text == "[('In[2]:2 double', 'In[3]:2 <module>')]\n"

    def test_is_named_by_a_warning(self, notebook):
        notebook.run("kept = []\nwatch = gb.leaks.watch()")

        with pytest.warns(gb.leaks.MemoryLeakWarning) as warned:
            notebook.run(
                """
                with watch:
                    for _ in range(60):
                        kept.append(gb.zeros(3, requires_grad=True) * 2)
                        watch.step()
                """
            )

        assert (warned[0].filename, warned[0].lineno) == ("In[3]", 3)
        assert "list `kept` (In[3]:3)" in str(warned[0].message)

    def test_is_that_of_the_newest_run_of_its_cell(self, notebook):
        compiler = notebook.shell.compile
        name = compiler.cache("x = 1", 7)

        assert (cell_of(name), shown_file(name)) == ("In[7]", "In[7]")

    def test_is_no_files_to_a_machine(self, notebook):
        ran = notebook.run(
            """
            try:
                with gb.leaks.no_leaks():
                    x = gb.zeros(3)
            except gb.leaks.LeakError as error:
                print(error.report.to_github())
            """
        )

        assert ran.text.startswith("::error title=LEAK variable")
        assert "born: In[2]:3 <module>" in ran.text


class TestWithoutIPython:
    def test_files_are_called_what_they_are(self):
        assert shell() is None
        assert (cell_of("train.py"), shown_file("train.py")) == ("", "train.py")
        assert kept_outputs() is None
        assert leaks_magic("clear out") == "`%leaks clear out` after `%load_ext garboard`"


class StrangeCompiler:
    def __init__(self, answer):
        self.answer = answer

    def format_code_name(self, name):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize("answer", [None, ("Cell",), ("Cell", 7), ("File", "a.py"), ValueError()])
def test_a_shell_that_answers_strangely_is_not_asked_twice(notebook, answer):
    notebook.shell.compile, own = StrangeCompiler(answer), notebook.shell.compile
    try:
        assert cell_of("train.py") == ""
    finally:
        notebook.shell.compile = own


@pytest.mark.parametrize("namer", [lambda file: 7, lambda file: 1 / 0], ids=["number", "error"])
def test_a_file_that_cannot_be_named_is_called_what_it_is(namer):
    x = gb.zeros(2)
    x.dispose()
    gb._engine._name_files_by(namer)
    try:
        with pytest.raises(gb.DisposedError, match=r"test_notebook_sites\.py:\d+ test_a_file"):
            x + 1
    finally:
        gb._engine._name_files_by(shown_file)


class TestALineOfAMagic:
    """`%%time` compiles the cell's code once more, under a name of its own."""

    @pytest.mark.parametrize("magic", ["time", "capture shown", "prun -q", "timeit -n1 -r1"])
    def test_is_named_by_its_cell(self, notebook, magic):
        notebook.run("kept = []")
        notebook.run(f"%%{magic}\ndef keep():\n    kept.append(gb.zeros(3))\nkeep()")

        (group,) = gb.leaks.live()

        assert group.key == "In[3]:3 keep()"

    def test_is_read_for_the_holder_and_the_fix(self, notebook):
        ran = notebook.run(
            """
            %%time
            kept, net = [], gb.nn.Linear(4, 1)
            with gb.leaks.watch(on_leak=lambda leak: None) as watch:
                for _ in range(60):
                    loss = net(gb.ones(2, 4)).sum()
                    kept.append(loss)
                    watch.step()
            (leak,) = watch.report().leaks
            print(leak.site.place, leak.holder, leak.fix, sep="; ")
            """
        )

        assert ran.text.startswith("In[2]:5; list `kept` (In[2]:6); kept.append(loss.item())\n")

    def test_is_named_where_the_magic_has_one_statement(self, notebook):
        notebook.run("kept = []\n%time kept.append(gb.zeros(3))")

        (group,) = gb.leaks.live()

        assert group.key == "In[2]:2 <module>"

    def test_is_of_the_newest_cell_with_that_magic(self, notebook):
        notebook.run("%%time\nkept = []\nx = 1")
        notebook.run(f"%%time\n{KEEP}")

        (group,) = gb.leaks.live()

        assert group.key == "In[3]:4 keep()"
