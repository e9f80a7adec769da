"""The second pass is the last one, and frees the graph."""

import garboard as gb


def main(watch):
    maker, critic = gb.nn.Linear(2, 4), gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.Tanh())
    scores = []
    for _ in range(60):
        made = critic(maker(gb.randn(8, 2)))
        made.square().mean().backward(retain_graph=True)
        score = made.mean()
        score.backward()
        scores.append(score.item())
        watch.step()
    return watch.report()
