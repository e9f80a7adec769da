"""What type checkers say to users: what is right is left in peace, what is wrong is found."""

import doctest
import inspect
import re
import shutil
from pathlib import Path
from typing import get_type_hints

import garboard as gb
import pytest
from garboard._names.homes import SUBMODULES

from tests.support.type_checkers import CHECKERS, checked, incompletely_typed

HOME = Path(__file__).resolve().parents[3]
TYPED = HOME / "tests" / "typed"
# Programs of the zoo that are careless with types of their own, as programs without any are: a
# total that begins as 0 and becomes a tensor, a list of None that is filled, a gradient that may
# be None, a method that returns another type than its base's, an attribute that is emptied,
# or one of a function or of a class that a metaclass makes, a list's class without its items',
# a tuple of what calls return that return nothing.
CARELESS = (
    "controls_held_graph.py",
    "controls_places_for_all_steps.py",
    "controls_ring_by_hand.py",
    "leaks_l01_global.py",
    "leaks_l02_of_a_function.py",
    "leaks_l02_of_a_list_class.py",
    "leaks_l02_on_a_function.py",
    "leaks_l02_policy.py",
    "leaks_l02_registered_by_class.py",
    "leaks_l02_three_calls.py",
    "leaks_l03_folds.py",
    "leaks_l03_spare.py",
    "leaks_l04_hidden_state.py",
    "leaks_l04_tuple_of_states.py",
    "leaks_l05_buffer.py",
    "leaks_l05_meter.py",
    "leaks_l10_inner_loop.py",
    "leaks_l10_penalty.py",
    "leaks_l16_decorated.py",
    "leaks_l16_metaclass.py",
    "leaks_l16_singleton.py",
    "twins_l01_reset_each_step.py",
    "twins_l02_on_a_function.py",
    "twins_l02_policy.py",
    "twins_l02_three_calls.py",
    "twins_l03_folds.py",
    "twins_l03_spare.py",
    "twins_l04_tuple_of_states.py",
    "twins_l05_buffer.py",
    "twins_l09_cycle.py",
    "twins_l16_decorated.py",
    "twins_l16_singleton.py",
    "twins_l19_in_a_run.py",
    "twins_l25_detached.py",
)


def lines_marked(folder: Path, word: str) -> set[tuple[str, int]]:
    """Return the lines whose comment is `word`, as file and number."""
    return {
        (file.name, number)
        for file in folder.glob("*.py")
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if line.endswith(f"# {word}")
    }


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_exactly_the_lines_marked_wrong_are_errors(checker, tmp_path):
    programs = shutil.copytree(TYPED, tmp_path / "typed")
    lines = [
        "import garboard as gb",
        *(f"gb.{name}.__doc__" for name in SUBMODULES if name[0] != "_"),
    ]
    (programs / "submodules.py").write_text("\n".join(lines))

    complaints = checked(checker, programs)

    found = {(complaint.file, complaint.line) for complaint in complaints}
    wrong = lines_marked(programs, "wrong")
    unjust = [str(it) for it in complaints if it[:2] not in wrong]
    assert not unjust, "\n".join(unjust)
    assert not wrong - found, f"{checker} does not find them"


def excerpts() -> dict[str, str]:
    """Return the programs of the documentation, as files."""
    found = {}
    for page in (HOME / "README.md", *sorted((HOME / "docs").rglob("*.md"))):
        text = page.read_text(encoding="utf-8")
        for number, block in enumerate(re.findall(r"```python\n(.*?)```", text, re.DOTALL)):
            header = "" if "import garboard" in block else "import garboard as gb\n"
            found[f"{page.stem.lower()}_{number}.py"] = header + block
    return found


def examples() -> dict[str, str]:
    """Return the examples of docstrings, as files: those of modules, classes, methods and ops."""
    parser, found = doctest.DocTestParser(), {}
    sources = [file for file in sorted((HOME / "python").rglob("*.py"))]
    texts = {file.stem: file.read_text(encoding="utf-8") for file in sources}
    documented = [(name, value) for owner in (gb, gb.Tensor) for name, value in vars(owner).items()]
    shown = [(name, it) for name, it in documented if name[0] != "_" and callable(it)]
    texts |= {f"op_{name}": inspect.getdoc(it) or "" for name, it in shown}
    for name, text in texts.items():
        for number, part in enumerate(re.split(r'"""', text)):
            if example := parser.get_examples(part):
                lines = "".join(it.source for it in example)
                found[f"{name.strip('_')}_{number}.py"] = f"import garboard as gb\n{lines}"
    return found


def programs() -> dict[str, str]:
    """Return the zoo's and the demo's programs, as files."""
    folders = (HOME / "tests" / "zoo", HOME / "python" / "garboard" / "demo" / "programs")
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    files = [it for it in files if not it.name.startswith("__")]
    found = {f"{it.parent.name}_{it.name}": it.read_text(encoding="utf-8") for it in files}
    # Those of notebooks run in a shell of the tests' own, which checkers do not see.
    return {
        name: text
        for name, text in found.items()
        if name not in CARELESS and "import Notebook" not in text
    }


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("written", [excerpts, examples, programs], ids=lambda it: it.__name__)
def test_nothing_is_wrong_with_what_we_show(checker, written, tmp_path):
    files = written()
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    complaints = checked(checker, tmp_path, strict=False)

    assert len(files) > 5
    assert not complaints, "\n".join(
        f"{it}\n    {files[it.file].splitlines()[it.line - 1]}" for it in complaints
    )


def test_every_type_that_the_package_shows_is_known():
    untyped = [it for it in incompletely_typed() if not it.startswith("garboard.demo")]

    assert not untyped, "\n".join(untyped)


def test_types_for_annotations_are_there_at_run_time():
    def named(
        data: gb.types.TensorLike | None, device: gb.types.Device, index: gb.types.Index
    ) -> gb.types.Number: ...

    assert get_type_hints(named)["return"] == complex | float | int | bool
