"""A critic's pass keeps the graph for the generator, whose own pass keeps it for nobody."""

import garboard as gb

KIND, VERDICT, HOLDER = "retain-graph", "LEAK", "list `scores`"


def main(watch):
    maker, critic = gb.nn.Linear(2, 4), gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.Tanh())
    scores = []
    for _ in range(60):
        made = critic(maker(gb.randn(8, 2)))
        made.square().mean().backward(retain_graph=True)
        score = made.mean()  # born
        score.backward(retain_graph=True)
        scores.append(score)  # held
        watch.step()
    return watch.report()
