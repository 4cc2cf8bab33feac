"""The network in torch: a residual tower (He et al. 2016, arXiv:1512.03385) with AlphaZero's heads (arXiv:1712.01815).

The module's parameters and buffers carry the names that `weights.Architecture.shapes` lists, so a network goes to and
from NumPy by name. Weights start from a generator of their own, never from torch's global one.
"""

from typing import cast

import torch
from torch import Tensor, nn

from pocketzero.nets.weights import NORM_EPSILON, POLICY_PLANES, VALUE_PLANES, Architecture, Network


class ConvolutionNorm(nn.Module):
    """A convolution without bias, then batch norm. NCHW in and out; the board keeps its size."""

    def __init__(self, inputs: int, outputs: int, kernel: int):
        super().__init__()
        self.convolution = nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=False)
        self.norm = nn.BatchNorm2d(outputs, eps=NORM_EPSILON)

    def forward(self, board: Tensor) -> Tensor:
        """[batch, inputs, rows, columns] -> [batch, outputs, rows, columns]"""
        return cast(Tensor, self.norm(self.convolution(board)))


class Block(nn.Module):
    """relu(x + second(relu(first(x))))"""

    def __init__(self, channels: int):
        super().__init__()
        self.first = ConvolutionNorm(channels, channels, 3)
        self.second = ConvolutionNorm(channels, channels, 3)

    def forward(self, board: Tensor) -> Tensor:
        """[batch, channels, rows, columns], in and out"""
        return torch.relu(board + self.second(torch.relu(self.first(board))))


class PolicyHead(nn.Module):
    """A 1 x 1 convolution to a few planes, then one dense layer to the logits of all moves."""

    def __init__(self, channels: int, cells: int, moves: int):
        super().__init__()
        self.reduce = ConvolutionNorm(channels, POLICY_PLANES, 1)
        self.dense = nn.Linear(POLICY_PLANES * cells, moves)

    def forward(self, board: Tensor) -> Tensor:
        """[batch, channels, rows, columns] -> logits [batch, moves]"""
        return cast(Tensor, self.dense(torch.relu(self.reduce(board)).flatten(1)))


class ValueHead(nn.Module):
    """A 1 x 1 convolution to a few planes, one hidden layer, and a tanh: 1 is a win for the player to move."""

    def __init__(self, channels: int, cells: int, hidden: int):
        super().__init__()
        self.reduce = ConvolutionNorm(channels, VALUE_PLANES, 1)
        self.hidden = nn.Linear(VALUE_PLANES * cells, hidden)
        self.output = nn.Linear(hidden, 1)

    def forward(self, board: Tensor) -> Tensor:
        """[batch, channels, rows, columns] -> values [batch], in -1 .. 1"""
        hidden = torch.relu(self.hidden(torch.relu(self.reduce(board)).flatten(1)))
        return torch.tanh(self.output(hidden)).squeeze(1)


class Tower(nn.Module):
    """The whole network of an `Architecture`. Use `new_tower` or `load_tower`: both set every weight."""

    def __init__(self, architecture: Architecture):
        super().__init__()
        self.architecture = architecture
        planes, rows, columns = architecture.planes
        channels, cells = architecture.channels, rows * columns
        self.stem = ConvolutionNorm(planes, channels, 3)
        self.blocks = nn.Sequential(*(Block(channels) for _ in range(architecture.blocks)))
        self.policy = PolicyHead(channels, cells, architecture.moves)
        self.value = ValueHead(channels, cells, architecture.value_hidden) if architecture.value_hidden else None

    def forward(self, board: Tensor) -> tuple[Tensor, Tensor | None]:
        """[batch, planes, rows, columns] float32 -> logits [batch, moves], values [batch] (None: no value head)"""
        board = self.blocks(torch.relu(self.stem(board)))
        return self.policy(board), None if self.value is None else self.value(board)


def new_tower(architecture: Architecture, seed: int) -> Tower:
    """A tower with fresh weights, a function of the architecture and the 64-bit seed alone.

    He initialisation of convolutions and dense layers; the last layer of each head starts at a tenth of it, so that
    the first policy is near uniform and the first value near 0. The second batch norm of a block starts at 0: the
    tower begins as the identity (Goyal et al. 2017, arXiv:1706.02677).
    """
    tower = _bare(architecture)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, tensor in _tensors(tower).items():
            if name.endswith("second.norm.weight"):
                tensor.zero_()
            elif name.endswith(("norm.weight", "running_var")):
                tensor.fill_(1.0)
            elif tensor.dim() == 1:
                tensor.zero_()
            else:
                nn.init.kaiming_normal_(tensor, generator=generator)
                if name in ("policy.dense.weight", "value.output.weight"):
                    tensor.mul_(0.1)
    return tower


def load_tower(network: Network) -> Tower:
    """The torch module of a network that was read from a file."""
    tower = _bare(network.architecture)
    with torch.no_grad():
        for name, tensor in _tensors(tower).items():
            tensor.copy_(torch.from_numpy(network.tensors[name]))
    return tower


def network_of(tower: Tower) -> Network:
    """The tower's weights as NumPy arrays (copies, contiguous, by name)."""
    arrays = {name: tensor.detach().cpu().contiguous().numpy().copy() for name, tensor in _tensors(tower).items()}
    return Network(tower.architecture, arrays)


def _bare(architecture: Architecture) -> Tower:
    # Built without memory first: the layers' constructors would draw from torch's global generator.
    with torch.device("meta"):
        tower = Tower(architecture)
    tower.to_empty(device="cpu")
    for module in tower.modules():
        if isinstance(module, nn.BatchNorm2d) and module.num_batches_tracked is not None:
            module.num_batches_tracked.zero_()
    return tower


def _tensors(tower: Tower) -> dict[str, Tensor]:
    """The tensors that a network file holds, by name: everything but torch's own batch counters."""
    state = tower.state_dict()
    return {name: state[name] for name in tower.architecture.shapes()}
