"""`--leaks-provider`: whose tensors pytest judges."""

from __future__ import annotations

import os
from pathlib import Path

import garboard
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytest_plugins = ["pytester"]

SUITE = """
    import sys

    import pytest
    from tests.support.fake_torch import modules

    sys.modules.update(modules())
    import torch

    kept = []

    def test_that_leaks():
        kept.append(torch.ones(3))

    @pytest.fixture(scope="module")
    def table():
        return torch.ones(5)

    def test_that_does_not(table):
        w = torch.ones(3, requires_grad=True)
        (w * 2).sum().backward()
        assert table.shape == (5,)

    @pytest.mark.no_leaks(iterations=2, warmup=1)
    def test_that_leaks_each_time():
        kept.append(torch.ones(7))
"""


@pytest.fixture
def run(balanced, pytester, monkeypatch):  # noqa: F811
    """Run a test file in a process of its own, with the plugin."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    here = Path(__file__).parents[3]
    paths = [str(Path(garboard.__file__).parents[1]), str(here), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))

    def run(source, *options):
        pytester.makepyfile(source)
        return pytester.runpytest_subprocess(
            *("-p", "garboard.pytest_plugin", "-p", "no:cacheprovider"), *options
        )

    return run


def test_pytorch_is_judged_where_it_is_asked_for(run):
    result = run(SUITE, "--leaks=fail", "--leaks-provider=torch")

    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*LeakError: 1 leak: tensor-list, kept: 1 tensor*"])


def test_garboard_is_judged_otherwise(run):
    run(SUITE, "--leaks=fail").assert_outcomes(passed=3)


def test_no_other_library_is_known(run):
    assert "invalid choice: 'jax'" in run(SUITE, "--leaks-provider=jax").stderr.str()
