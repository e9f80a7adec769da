"""A row of each batch is kept as an array, which is a slice of the whole."""

import garboard as gb

KIND, VERDICT, HOLDER = "export-pin", "LEAK", "list `rows`"
FIX = "rows.append(x.numpy()[0].copy())"


def main(watch):
    rows = []
    for _ in range(60):
        x = gb.randn(64, 16)  # born
        rows.append(x.numpy()[0])  # held
        watch.step()
    return watch.report()
