"""A record has a dict of losses, one of which a variable has, too."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `history`"
FIX = "history.append({'step': step, 'train': {'loss': loss.item(), 'half': (loss / 2).item()}})"


def main(watch):
    net, history = gb.nn.Linear(4, 1), []
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()
        history.append({"step": step, "train": {"loss": loss, "half": loss / 2}})  # born, held
        watch.step()
    return watch.report()
