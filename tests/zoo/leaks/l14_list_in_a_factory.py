"""A function registers a hook, and gives back the list that the hook fills."""

import garboard as gb

KIND, VERDICT, HOLDER = "hook-capture", "LEAK", "list `shown`"


def watched(layer):
    seen = []

    def hook(module, args, output):
        seen.append(output.detach())  # born, held

    layer.register_forward_hook(hook)
    return seen


def main(watch):
    net = gb.nn.Linear(4, 2)
    shown = watched(net)
    for _ in range(60):
        net(gb.randn(2, 4))
        watch.step()
    assert shown
    return watch.report()
