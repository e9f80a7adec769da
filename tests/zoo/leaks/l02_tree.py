"""A search tree grows from one root for the whole run."""

import random

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "dict `Node.children`"
FIX = "cut what Node.children is part of where it is done with: there are ever more like it"


class Node:
    def __init__(self, state):
        self.state, self.children = state, {}


def main(watch):
    root, draw = Node(gb.zeros(4)), random.Random(1)
    for _ in range(120):
        node = root
        while (action := draw.randrange(3)) in node.children:
            node = node.children[action]
        node.children[action] = Node(node.state + action)  # born
        watch.step()
    return watch.report()
