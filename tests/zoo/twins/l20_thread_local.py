"""The worker keeps what it computed last."""

import threading

import garboard as gb

local = threading.local()


def serve(x):
    if not hasattr(local, "outputs"):
        local.outputs = None
    local.outputs = x * 2


def main(watch):
    for _ in range(60):
        serve(gb.ones(4, 4))
        watch.step()
    return watch.report()
