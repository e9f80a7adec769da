"""Its text is kept."""

import garboard as gb


def step():
    activation = gb.randn(16, 16)
    raise ValueError(f"bad batch of {activation.numel()}")


def main(watch):
    errors = []
    for i in range(30):
        if i == 5:
            try:
                step()
            except ValueError as error:
                errors.append(str(error))
        watch.step()
    return watch.report()
