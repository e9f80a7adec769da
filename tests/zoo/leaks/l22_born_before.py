"""Outputs of a net are kept as arrays; the tensor is born a line before."""

import garboard as gb

KIND, VERDICT, HOLDER = "export-pin", "LEAK", "list `embeddings`"


def main(watch):
    net, embeddings = gb.nn.Linear(4, 2), []
    for _ in range(60):
        with gb.no_grad():
            out = net(gb.randn(3, 4))  # born
        embeddings.append(out.numpy())  # held
        watch.step()
    return watch.report()
