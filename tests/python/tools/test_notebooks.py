"""The notebooks: they run from top to bottom, show what they are stored with, and can be read in a
browser after they have been exported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.chromium import Page, needs_chromium, shown
from tests.support.run_notebooks import NOTEBOOKS, executed, outputs_of, stored

pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

FIRST = ["02_find_a_leak", "03_scopes", "04_reading_memory", "05_does_it_fit", "getting_started"]


def html_of(path: Path) -> list[str]:
    """Return the HTML of a notebook's outputs."""
    cells = [cell for cell in stored(path).cells if cell.cell_type == "code"]
    data = [output.get("data", {}) for cell in cells for output in cell.outputs]
    return [it["text/html"] for it in data if "text/html" in it]


def test_there_are_those_that_the_docs_name():
    assert [path.stem for path in NOTEBOOKS] == [*FIRST, "train_a_cnn"]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_is_stored_with(path):
    found = executed(path)

    assert outputs_of(found) == outputs_of(stored(path))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_a_notebook_shows_needs_no_script_and_asks_for_nothing(path):
    pages = [Page(html) for html in html_of(path)]

    assert pages
    tags = [(tag, named) for page in pages for tag, named in page.tags]
    assert {tag for tag, _ in tags} & {"script", "img", "link", "object", "embed"} == set()
    assert [named for _, named in tags if {"src", "href", "onclick", "onload"} & set(named)] == []


def test_a_notebook_names_its_leak_at_its_line_and_how_to_mend_it():
    (report,) = (html for html in html_of(NOTEBOOKS[0]) if "tensor-list" in html)
    page = "".join(Page(report).texts)

    assert "losses.append(loss.item())" in page
    assert "held  list `losses` (In[3]:3)" in page


@pytest.mark.slow
@needs_chromium
def test_exported_notebooks_are_shown_and_chromium_complains_of_nothing(tmp_path):
    exporters = pytest.importorskip("nbconvert.exporters")
    exporter = exporters.HTMLExporter(template_name="basic")
    bodies = [exporter.from_notebook_node(stored(path))[0] for path in NOTEBOOKS]
    (tmp_path / "all.html").write_text(
        f'<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">{"".join(bodies)}',
        encoding="utf-8",
    )

    dom, said, asked = shown(tmp_path / "all.html", tmp_path)

    page = Page(dom)
    tags = [tag for tag, _ in page.tags]
    wanted = [Page(html).tags for path in NOTEBOOKS for html in html_of(path)]
    for kind in ("table", "details", "iframe"):
        assert tags.count(kind) == sum(tag == kind for tags in wanted for tag, _ in tags) > 0
    assert "nothing lives" in "".join(page.texts)
    assert "CONSOLE" not in said
    assert asked == set()
