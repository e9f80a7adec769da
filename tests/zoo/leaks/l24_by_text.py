"""Plans are filed by their sizes as a text, and lengths vary freely."""

import garboard as gb

KIND, VERDICT, HOLDER = "unbounded-shape-cache", "GROWING", "dict `plans`"


def main(watch):
    plans = {}
    for step in range(60):
        x = gb.randn(2, 3 + step)
        key = f"{x.shape[0]}x{x.shape[1]}"
        if key not in plans:
            plans[key] = gb.zeros(x.shape[1], 4)  # born, held
        watch.step()
    return watch.report()
