"""Capsules for another library are kept, although it has read them."""

import garboard as gb

KIND, VERDICT, HOLDER = "export-pin", "LEAK", "list `capsules`"


def main(watch):
    capsules = []
    for _ in range(60):
        x = gb.randn(4)  # born
        capsules.append(x.__dlpack__())  # held
        del x
        watch.step()
    return watch.report()
