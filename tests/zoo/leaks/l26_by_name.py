"""Two histories in a dict, each one tensor."""

import garboard as gb

KIND, VERDICT, HOLDER = "growing-tensor", "GROWING", "dict `history`"


def main(watch):
    history = {"x": gb.zeros(0), "y": gb.zeros(0)}
    for _ in range(100):
        for name in history:
            history[name] = gb.cat([history[name], gb.randn(8192)])  # born, held
        watch.step()
    return watch.report()
