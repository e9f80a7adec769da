"""A GAN with a history pool of 50 images."""

import random

import garboard as gb


class Pool:
    def __init__(self, size=50):
        self.size, self.images = size, []

    def query(self, images):
        out = []
        for image in images:
            image = image.detach()
            if len(self.images) < self.size:
                self.images.append(image)
                out.append(image)
            elif random.random() > 0.5:
                i = random.randrange(self.size)
                out.append(self.images[i])
                self.images[i] = image
            else:
                out.append(image)
        return gb.stack(out)


def main(watch):
    random.seed(3)
    g, d = gb.nn.Linear(2, 6), gb.nn.Linear(6, 1)
    og, od = gb.optim.Adam(g.parameters()), gb.optim.Adam(d.parameters())
    pool = Pool()
    for _ in range(120):
        fake = g(gb.randn(2, 2))
        gl = -d(fake).mean()
        og.zero_grad()
        gl.backward()
        og.step()
        old = pool.query(fake)
        dl = d(old).mean() - d(gb.randn(2, 6)).mean()
        od.zero_grad()
        dl.backward()
        od.step()
        watch.step()
    return watch.report()
