"""The zoo: small programs that leak, their repaired twins, and healthy ones that look suspicious.

A leaking program says what must be found: kind, verdict, the beginning of the holder, and by the
comments `born` and `held` the two lines. `python -m tests.zoo` runs them with many seeds.
"""

from __future__ import annotations

import re
import subprocess
import sys

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401
from tests.support.patching import patched
from tests.support.zoo import ZOO, loaded, programs

pytestmark = pytest.mark.usefixtures("balanced")


@pytest.mark.parametrize("seed", [7, pytest.param(8, marks=pytest.mark.slow)])
def test_leaks_are_named_and_the_healthy_left_in_peace(seed):
    # In a process of its own: each look walks all objects there are, and pytest has a million.
    command = [sys.executable, "-m", "tests.zoo", "--seeds", "1", "--first", str(seed)]

    ran = subprocess.run(command, cwd=ZOO.parents[1], capture_output=True, text=True)

    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_kind_has_four_programs_and_as_many_repaired():
    without = {"kept-graph", "not-freed", "unknown", "variable"}
    kinds = {kind.name for kind in gb.leaks.kinds.all_kinds()} - without
    of_kind = {
        kind: [it for it in programs("leaks") if f'KIND, VERDICT, HOLDER = "{kind}"' in read(it)]
        for kind in kinds
    }
    numbers = {kind: {it.stem[:3] for it in files} for kind, files in of_kind.items()}
    twins = [it.stem[:3] for it in programs("twins")]

    assert {kind: len(it) for kind, it in of_kind.items() if len(it) < 4} == {}
    assert [it for it in kinds if max(map(twins.count, numbers[it])) < 4] == []


def read(file):
    return file.read_text(encoding="utf-8")


def test_every_kind_has_a_program():
    texts = [file.read_text(encoding="utf-8") for file in programs("leaks")]
    without = {"not-freed", "variable"}  # of checks and no loops

    kinds = {kind.name for kind in gb.leaks.kinds.all_kinds()} - without

    assert [kind for kind in sorted(kinds) if not any(f'"{kind}"' in it for it in texts)] == []


PATCHED = (
    *("l01_global", "l01_total_loss", "l02_gradients", "l02_history", "l02_in_a_generator"),
    *("l02_outputs", "l02_records", "l05_buffer", "l05_meter_object", "l14_capturing_hooks"),
    *(
        "l02_losses_and_rates",
        "l14_tensor_hooks",
        "l15_key_holds_model",
        "l15_method",
        "l02_given_three_lists",
        "l02_nested_records",
        "l02_three_calls",
        "l02_postfixes",
        "l02_updated",
        "l02_joined_dicts",
        "l02_two_statements",
        "l02_counted",
        "l16_singleton",
        "l13_hook",
        "l04_half_detached",
        "l04_states_by_stream",
        "l16_losses_of_a_class",
        "l18_one_view",
        "l18_views",
        "l22_slices",
        "l24_two_shapes",
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("name", PATCHED)
def test_a_patch_works_when_it_is_applied(name, tmp_path):
    file = ZOO / "leaks" / f"{name}.py"
    with loaded(file) as module, gb.leaks.watch(on_leak=lambda leak: None) as watch:
        leak = module.main(watch).leaks[0]
    mended = tmp_path / f"patched_{name}.py"
    mended.write_text(patched(file.read_text(encoding="utf-8"), leak.diff), encoding="utf-8")

    with loaded(mended) as module, gb.leaks.watch(on_leak="raise") as watch:
        report = module.main(watch)

    assert not report.leaks, str(report)


PASTED = (
    *("l01_global", "l01_moving_average", "l01_total_loss", "l01_validation", "l02_by_step"),
    *("l02_detached", "l02_history", "l02_losses", "l02_records", "l05_meter", "l05_running_mean"),
    *("l02_flushed_too_late", "l02_losses_and_rates", "l05_of_all_parameters"),
    *("l01_worst", "l02_heap", "l02_pairs", "l05_by_a_factor", "l05_in_place", "l18_one_view"),
    "l18_views",
    *("l02_given_three_lists", "l02_given_to_an_object", "l02_outputs", "l02_postfixes"),
    *("l16_losses_of_a_class", "l22_slices", "l02_nested_records", "l02_three_calls"),
    *("l02_counted", "l02_joined_dicts", "l02_on_a_function", "l02_two_statements", "l02_updated"),
    *("l04_half_detached", "l04_states_by_stream", "l16_singleton"),
    *("l02_by_epoch_and_name", "l05_of_norms", "l13_bound_method", "l13_hook"),
    *("l26_cache", "l26_features", "l26_metric"),
)


@pytest.mark.slow
@pytest.mark.parametrize("name", PASTED)
def test_a_fix_works_when_it_is_pasted(name, tmp_path):
    file = ZOO / "leaks" / f"{name}.py"
    with loaded(file) as module, gb.leaks.watch(on_leak=lambda leak: None) as watch:
        leak = module.main(watch).leaks[0]
    lines = file.read_text(encoding="utf-8").splitlines()
    number = leak.holder_site.line - 1
    indent = lines[number][: len(lines[number]) - len(lines[number].lstrip())]
    lines[number] = indent + leak.fix
    mended = tmp_path / f"mended_{name}.py"
    mended.write_text("\n".join(lines), encoding="utf-8")

    with loaded(mended) as module, gb.leaks.watch(on_leak="raise") as watch:
        report = module.main(watch)

    assert not report.leaks, str(report)


BELOW = {
    "l04_hidden_state": "watch.step()",
    "l04_memory_of_an_agent": "",
    "l04_recurrent_layer": "watch.step()",
    "l04_segments": "",
}  # before a call, or behind what stores


@pytest.mark.slow
@pytest.mark.parametrize("name", BELOW)
def test_a_statement_of_a_fix_works_when_it_is_pasted(name, tmp_path):
    file = ZOO / "leaks" / f"{name}.py"
    with loaded(file) as module, gb.leaks.watch(on_leak=lambda leak: None) as watch:
        leak = module.main(watch).leaks[0]
    lines = file.read_text(encoding="utf-8").splitlines()
    end = next((i for i, line in enumerate(lines) if BELOW[name] and BELOW[name] in line), None)
    number = leak.holder_site.line if end is None else end
    near = lines[leak.holder_site.line - 1]
    statement = re.search(r"\S+ = .*?[)\]](?=,|$)", leak.fix)
    lines.insert(number, near[: len(near) - len(near.lstrip())] + statement[0])
    mended = tmp_path / f"mended_{name}.py"
    mended.write_text("\n".join(lines), encoding="utf-8")

    with loaded(mended) as module, gb.leaks.watch(on_leak="raise") as watch:
        report = module.main(watch)

    assert not report.leaks, str(report)
