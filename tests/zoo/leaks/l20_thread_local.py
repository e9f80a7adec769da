"""A worker keeps what it computed in a thread-local list."""

import threading

import garboard as gb

KIND, VERDICT, HOLDER = "thread-state", "LEAK", "list `local.outputs`"

local = threading.local()


def serve(x):
    if not hasattr(local, "outputs"):
        local.outputs = []
    local.outputs.append(x * 2)  # born, held


def main(watch):
    for _ in range(60):
        serve(gb.ones(4, 4))
        watch.step()
    return watch.report()
