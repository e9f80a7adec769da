"""Every submodule is there by its name and has its types; a name it lacks is an error."""

from collections.abc import Callable
from typing import assert_type

import garboard as gb
from garboard import nn
from garboard.utils.data import TensorDataset

layer = nn.Linear(4, 2)
assert_type(layer, gb.nn.Linear)
assert_type(layer.weight, gb.nn.Parameter)
assert_type(gb.nn.functional.relu(gb.ones(2)), gb.Tensor)
assert_type(gb.optim.Adam(layer.parameters()), gb.optim.Adam)
assert_type(gb.leaks.watch(), gb.leaks.LeakWatcher)
assert_type(gb.memory.live(), gb.memory.LiveCounts)
assert_type(gb.cuda.is_available(), bool)
assert_type(gb.utils.data.TensorDataset(gb.ones(2)), TensorDataset)
seed: Callable[[int], gb.Generator] = gb.random.manual_seed

gb.nn.Linaer  # wrong
gb.Tensro  # wrong
gb.optim.Adma(layer.parameters())  # wrong
gb.leaks.wacth()  # wrong
gb.utils.dtaa  # wrong
gb.nn.Linear("4", 2)  # wrong
gb.optim.Adam(layer.parameters(), learning_rate=1e-3)  # wrong
gb.manual_seed("7")  # wrong
