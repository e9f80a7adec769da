"""NumPy arrays over the tensors' memory are kept."""

import garboard as gb

KIND, VERDICT, HOLDER = "export-pin", "LEAK", "list `arrays`"


def main(watch):
    arrays = []
    for _ in range(60):
        arrays.append(gb.ones(4, 4).numpy())  # born, held
        watch.step()
    return watch.report()
