"""Workspaces and constants are made as they are needed first, some of them late."""

import garboard as gb

workspaces = {}
constants = {}


def workspace(n):
    if n not in workspaces:
        workspaces[n] = gb.zeros(n, n)
    return workspaces[n]


def main(watch):
    for step in range(120):
        workspace(4 + step % 5)
        if step == 50:
            constants["eye"] = gb.eye(8)
        watch.step()
    return watch.report()
