"""Strings of objects: where one begins, and what is none."""

from __future__ import annotations

from types import SimpleNamespace

from garboard.leaks.holders._strings import string_at


class Node:
    """Refers to the one before."""


def ways(nodes, root, hop=()):
    """Return the ways to what each node has, from a root down."""
    spine = [root]
    found = []
    for node in nodes:
        spine += [*hop, node]
        found.append([*spine, object()])
    return found


def test_nodes_of_one_class_are_a_string():
    nodes = [Node() for _ in range(8)]

    assert string_at(ways(nodes, []), 1) == 1
    assert string_at(ways(nodes, SimpleNamespace(), hop=[()]), 2) == 2


def with_attributes(nodes, root, every=1):
    """Return the ways from a dict down, where every so many nodes have their attributes in one."""
    spine, found = [root], []
    for number, node in enumerate(nodes):
        spine += [node, vars(node)] if number % every == 0 else [node]
        found.append([*spine, object()])
    return found


def test_the_dicts_of_their_attributes_are_passed_by():
    nodes = [Node() for _ in range(12)]

    assert string_at(with_attributes(nodes, {}), 2) == 1
    assert string_at(with_attributes(nodes, {}, every=3), 2) == 1


def test_it_begins_at_the_first_node_although_its_tensor_is_known_elsewhere():
    found = ways([Node() for _ in range(9)], [])

    assert string_at(found[2:], 3) == 1


def test_five_nodes_are_none():
    assert string_at(ways([Node() for _ in range(5)], []), 1) is None


def test_objects_of_many_classes_are_none():
    nodes = [type(f"Part{i}", (), {})() for i in range(9)]

    assert string_at(ways(nodes, []), 1) is None


def test_items_of_one_container_are_none():
    root = []

    assert string_at([[root, object()] for _ in range(9)], 0) is None
