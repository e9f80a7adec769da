"""A dict of lists keeps each loss."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `history['loss']`"
FIX = "history['loss'].append(loss.item())"


def main(watch):
    w = gb.randn(4, 1).requires_grad_()
    history = {"loss": [], "step": []}
    for step in range(60):
        loss = (gb.randn(8, 4) @ w).square().mean()  # born
        loss.backward()
        history["step"].append(step)
        history["loss"].append(loss)  # held
        watch.step()
    return watch.report()
