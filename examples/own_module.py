"""Your own nn.Module beside gcn and eo-gnn: `edgeorbit bench own_module.toml` finds it as own_module:Net."""

from torch import nn
from torch_geometric.nn import GCNConv


class Net(nn.Module):
    """A GCN encoder and an MLP decoder in one; arguments with a default are settings that can be tuned."""

    def __init__(self, in_channels: int, hidden_channels: int = 32, dropout: float = 0.2) -> None:
        super().__init__()
        self.conv1, self.conv2 = GCNConv(in_channels, hidden_channels), GCNConv(hidden_channels, hidden_channels)
        self.dropout = nn.Dropout(dropout)
        self.decoder = nn.Sequential(nn.Linear(hidden_channels, hidden_channels), nn.ReLU())
        self.out = nn.Linear(hidden_channels, 1)

    def forward(self, x, edge_index, edge_label_index):
        """Return a logit for every column of edge_label_index."""
        z = self.dropout(self.conv1(x, edge_index).relu())
        z = self.conv2(z, edge_index)
        return self.out(self.decoder(z[edge_label_index[0]] * z[edge_label_index[1]])).squeeze(-1)


if __name__ == "__main__":
    import subprocess

    subprocess.run(["edgeorbit", "bench", "own_module.toml"], check=True)
    subprocess.run(["edgeorbit", "bench", "own_module.toml", "--write", "own_module.md"], check=True)
