"""Every public name has a docstring: what it does, what it is given, returns and raises, and how it
is called."""

from __future__ import annotations

import importlib.util
import linecache
import re
import types

import pytest

from tests.house.public_names import Documented, public_names

IMPERATIVE = re.compile(r"(?!(?:A|An|The|This|Its|It|Is|Are|As|True|False|None|Same|Of|In)\b)[A-Z]")
THIRD_PERSON = re.compile(r"[A-Z]\w*(?<!s)(?<!ou)s\b")  # "Returns", not "Pass"


def section(text: str, title: str) -> str:
    """Return what stands below `title:`, up to the next line that is not indented."""
    found = re.search(rf"^{title}:\n((?:(?: +.*)?\n)*)", text + "\n", re.MULTILINE)
    return found[1] if found else ""


def faults(it: Documented, of_class: str = "") -> list[str]:
    """Say what the docstring of `it` lacks; `of_class` is that of the class it is a member of."""
    found = []
    if it.is_inherited:
        return found  # it is told where it is first declared; shapes by the class
    if not it.summary:
        return ["has no docstring"]
    if not it.summary.endswith((".", ":")):
        found.append(f"the first sentence does not end: {it.summary!r}")
    if it.is_error or it.is_property:
        return found
    verb = it.summary.split()[0]
    if not it.is_class and (not IMPERATIVE.match(verb) or THIRD_PERSON.fullmatch(verb)):
        found.append(f"the first sentence is no imperative: {it.summary!r}")
    listed = section(it.doc, "Args") + section(it.doc, "Attributes")
    for name in it.parameters:
        is_told = re.search(rf"^ +(\*{{0,2}}\w+, )*\*{{0,2}}{name}\b.*:", listed, re.MULTILINE)
        if not is_told and not (len(it.parameters) == 1 and re.search(rf"\b{name}\b", it.doc)):
            found.append(f"{name} is not told of")
    is_returned = section(it.doc, "Returns") + section(it.doc, "Yields") or verb == "Return"
    if it.returns_something and not is_returned:
        found.append("what it returns is not told")
    told = section(it.doc + "\n\n" + of_class, "Raises")
    for error in sorted(it.raised):
        if not any(name in told for name in public_kinds(error)):
            found.append(f"{error} is not told of")
    call = rf">>>.*\.{it.name.rpartition('.')[2]}\("
    has_example = ">>>" in it.doc or re.search(call, of_class) or it.is_record
    if it.is_class:
        has_example = has_example or any(
            ">>>" in (getattr(member, "__doc__", None) or "") for member in vars(it.value).values()
        )
    if not has_example:
        found.append("has no example")
    return found


def public_kinds(error: str) -> list[str]:
    """An error's name; of one of our own for several kinds at once, theirs."""
    from garboard._arguments import errors

    kind = getattr(errors, error, None)
    return [error] if kind is None else [it.__name__ for it in kind.__mro__[:-3]]


def class_doc(it: Documented) -> str:
    return it.holder.__doc__ or "" if isinstance(it.holder, type) else ""


def names() -> list[Documented]:
    # Only where it was never built is there nothing to read: an error on the way hides no name.
    return public_names() if importlib.util.find_spec("garboard._engine") else []


NAMES = names()


@pytest.mark.parametrize("it", NAMES, ids=lambda it: it.name)
def test_is_documented(it):
    found = faults(it, class_doc(it))

    assert not found, "\n".join([f"{it.name}:", *found, "", it.doc])


def planted(text: str, name: str = "f") -> Documented:
    module = types.ModuleType("planted")
    file = f"<planted {hash(text)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), vars(module))
    return Documented(name, vars(module)[name], module)


WHOLE = '''"""Add two numbers.

Args:
    a: One.
    b: Another.

Returns:
    Their sum.

>>> 1 + 1
2
"""'''


def test_as_many_are_read_as_there_are():
    assert not NAMES or len(NAMES) > 2500


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("pass", "no docstring"),
        (WHOLE.replace("numbers.", "numbers"), "does not end"),
        (WHOLE.replace("Add", "Adds"), "no imperative"),
        (WHOLE.replace("Add", "The sum of"), "no imperative"),
        (WHOLE.replace("    b: Another.\n", ""), "b is not told of"),
        (WHOLE.replace("Returns:", "Gives:"), "what it returns"),
        (WHOLE.replace(">>>", ">"), "no example"),
        (f"{WHOLE}\nraise TypeError(a)", "TypeError is not told of"),
    ],
)
def test_a_planted_fault_is_found(text, fault):
    body = text.replace("\n", "\n    ")

    found = faults(planted(f"def f(a, b):\n    {body}\n"))

    assert len(found) == 1
    assert fault in found[0]


def test_a_whole_docstring_is_found_whole():
    body = WHOLE.replace("\n", "\n    ")

    assert faults(planted(f"def f(a, b):\n    {body}\n")) == []
