"""The errors' texts are kept."""

import garboard as gb


def step():
    activation = gb.randn(16, 16)
    raise ValueError(f"bad batch of {activation.numel()}")


def main(watch):
    errors = []
    for _ in range(60):
        try:
            step()
        except ValueError as error:
            errors.append(str(error))
        watch.step()
    return watch.report()
