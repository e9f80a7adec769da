"""The table of graphs: a walk in Python finds the same, and no node becomes an object."""

from __future__ import annotations

import random
import sys
from collections import Counter
from contextlib import contextmanager

import garboard as gb
import pytest
from garboard._engine import _GraphTable
from garboard.leaks.evidence._graphs import Graphs
from garboard.leaks.evidence._native import EVIDENCE

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

NAMES = ("add", "mul", "exp", "sum")


def drawn(seed: int):
    """Return nodes, tensors with their nodes, and bare storages; serials have gaps."""
    rng = random.Random(seed)
    serials = sorted(rng.sample(range(10, 80), 30))
    nodes = []
    for i, serial in enumerate(serials):
        older = rng.sample(serials[:i], min(i, rng.randrange(3)))
        next_ = [*older, *rng.choices([1, 90], k=rng.randrange(2))]  # some are not there
        saved = rng.sample(range(100, 120), rng.randrange(3))
        leaves = rng.sample(range(120, 140), rng.randrange(2))
        flags = [rng.random() < 0.3 for _ in range(3)]
        nodes.append(
            (serial, i % 7, 1 + i // 4, rng.choice(NAMES), *flags, 8, next_, saved, leaves)
        )
    heads = [(200 + i, rng.choice([*serials, 5])) for i in range(rng.randrange(1, 9))]
    unheld = [(serial, 1, 2, 4) for serial in rng.sample(range(100, 140), 12)]
    return nodes, heads, unheld


def behind(nodes, heads):
    by_serial, found, open_ = {it[0]: it for it in nodes}, set(), list(heads)
    while open_:
        serial = open_.pop()
        if serial in by_serial and serial not in found:
            found.add(serial)
            open_ += by_serial[serial][8]
    return found


def chains(nodes, heads):
    """Return head, nodes and link of each chain: the plain form of what the table does."""
    left, found = {it[0]: it for it in nodes}, []
    for _, newest in sorted(heads, key=lambda it: (-it[1], -it[0])):
        reached = behind(left.values(), [newest])
        if not reached:
            continue
        own = {serial: left.pop(serial) for serial in reached}
        oldest = {}
        for serial in sorted(own):
            older = [oldest[it] for it in own[serial][8] if it in oldest]
            oldest[serial] = min([own[serial][2], *older])
        there = [it for it in heads if it[1] in own]
        head, at = min(there, key=lambda it: (oldest[it[1]], -own[it[1]][2], it[1], it[0]))
        first, link = own[at][2], {own[at][3]}
        while len({it[2] for it in own.values()}) > 1 and at and own[at][2] >= first - 1:
            link.add(own[at][3])
            after = [it for it in own[at][8] if it in own]
            at = min(after, key=lambda it: (oldest[it], -it), default=0)
        found.append((head, set(own), link))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_a_plain_walk_finds_the_same(seed):
    nodes, heads, unheld = drawn(seed)
    by_serial = {it[0]: it for it in nodes}
    table = _GraphTable(nodes, heads, unheld)

    rows = table.chains(0, 0)
    asked = [heads[0][1], nodes[3][0]]
    count, saved, leaf_bytes, is_retained, names = table.behind(asked)
    bare_nodes, bare_storages = table.unexplained([nodes[3][0]], [unheld[0][0]])

    for row, (head, own, link) in zip(rows, chains(nodes, heads), strict=True):
        assert (row["head"], row["count"], row["link"]) == (head, len(own), link)
        assert row["steps"] == Counter(by_serial[it][2] for it in own)
        assert row["was_walked"] == any(by_serial[it][6] for it in own)
    reached = behind(nodes, asked)
    leaves = {leaf for it in reached for leaf in by_serial[it][10]}
    assert (count, saved) == (len(reached), 8 * len(reached))
    assert names == {by_serial[it][3] for it in reached}
    assert is_retained == any(by_serial[it][5] and not by_serial[it][4] for it in reached)
    assert leaf_bytes == sum(size for serial, _, _, size in unheld if serial in leaves)
    held = behind(nodes, [*(node for _, node in heads), nodes[3][0]])
    kept = {it for serial in held for part in by_serial[serial][9:] for it in part}
    assert bare_nodes == [it[0] for it in nodes if it[0] not in held]
    assert bare_storages == sorted({it[0] for it in unheld} - kept - {unheld[0][0]})


def test_graphs_of_few_steps_are_left_out_unless_something_older_leads_to_them():
    nodes, heads, unheld = drawn(3)
    table = _GraphTable(nodes, heads, unheld)
    all_ = table.chains(0, 0)

    assert table.chains(2, 0) == [it for it in all_ if len(it["steps"]) >= 2]
    assert table.chains(99, 203) == [it for it in all_ if it["head"] < 203]


def test_what_the_next_step_begins_with_carries_a_chain_and_not_what_is_newer():
    def step(first, number, before):
        """A layer, its state, and what comes of its outputs."""
        for serial, site, name, next_ in (
            (first, 1, "gru", before),
            (first + 1, 2, "cat", [first]),
            (first + 2, 3, "linear", [first]),
        ):
            yield (serial, site, number, name, False, False, False, 8, next_, [], [])

    nodes = [*step(10, 1, []), *step(13, 2, [11]), *step(16, 3, [14])]
    table = _GraphTable(nodes, [(200, 17), (201, 18)], [])

    (row,) = table.chains(2, 0)

    assert (row["head"], row["name"], row["link"]) == (200, "cat", {"cat", "gru"})
    assert row["count"] == 6


def test_what_is_told_of_a_moment_can_be_counted_in_a_later_one():
    since = EVIDENCE.now()
    w = gb.ones(2).requires_grad_()
    kept = [w * 2 for _ in range(5)]
    before = Graphs(EVIDENCE, since, None)
    serials = [it.grad_fn.serial for it in kept]
    del kept[3:]

    after = Graphs(EVIDENCE, since, None)

    assert [it.weight for it in before.count_nodes(serials)] == [5]
    assert [it.weight for it in after.count_nodes(serials)] == [3]


def test_those_that_are_looked_at_stand_for_the_graphs_of_the_others():
    since = EVIDENCE.now()
    w = gb.ones(2).requires_grad_()
    kept = [(w * 2).exp() for _ in range(600)]

    found = list(EVIDENCE.survivors(since.alias, most=100))

    assert len(found) < 200
    assert Graphs(EVIDENCE, since, None).behind(found).count == pytest.approx(1200, abs=30)
    assert len(kept) == 600


@contextmanager
def calls():
    """Count what Python's functions are called for, of ours and of others."""
    found = Counter()

    def note(frame, event, _):
        found[event] += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)


def chained(count: int) -> list[gb.Tensor]:
    total = gb.ones(1).requires_grad_()
    for _ in range(count):
        total = total * 1.5
    return [total]


def apart(count: int) -> list[gb.Tensor]:
    w = gb.ones(1).requires_grad_()
    return [w * 2 for _ in range(count)]


def bare_nodes(count: int) -> list[object]:
    return [it.grad_fn for it in apart(count)]


@pytest.mark.parametrize("made", [chained, apart, bare_nodes])
def test_a_report_of_very_many_nodes_calls_no_more_functions(made):
    counts = []
    for number in (200, 2000):
        kept = []
        with gb.leaks.watch(on_leak=lambda leak: None) as watch:
            for _ in range(60):
                kept.append(made(number // 10))
                watch.step()
            with calls() as found:
                report = watch.report()
        counts.append(found["call"] + found["c_call"])
        assert report.leaks[0].kind in ("tensor-list", "kept-graph")
        kept.clear()

    # Those that are looked at are as many as there are, up to some thousands.
    assert counts[1] < (1.5 if made is chained else 5) * counts[0]


def test_a_snapshot_of_very_many_tensors_calls_no_more_functions():
    counts = []
    for number in (100, 10_000):
        kept = [gb.zeros(1) for _ in range(number)]
        gb.memory.snapshot("cpu")  # a line is put into words once
        with calls() as found:
            snapshot = gb.memory.snapshot("cpu")
        counts.append(found["call"] + found["c_call"])
        blocks = [block for it in snapshot["segments"] for block in it["blocks"]]
        assert sum(block["requested_size"] == 4 for block in blocks) >= len(kept)
        gb.memory.check_snapshot(snapshot)
        del kept

    assert abs(counts[1] - counts[0]) < 50
