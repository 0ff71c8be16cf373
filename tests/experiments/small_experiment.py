"""A small experiment that tests run, and change."""

from pathlib import Path

SMALL = """title = "Small"
seeds = 2
models = ["ra", "gcn"]
negatives = ["random", "orbit"]

[training]
epochs = 2
metric = "auc"

[settings.gcn]
hidden_channels = 8

[[data]]
name = "karate"
source = "karate"
features = ["constant"]

[[data]]
name = "two karates"
generator = "syn-karate"
options = { edges = 40 }
features = ["constant", "identity"]
negatives = ["orbit"]
orbit_rounds = 2
seeds = 1
"""


def write(directory: Path, text: str, name: str = "small.toml") -> Path:
    """Write a file that says what an experiment is, or what was tuned for it."""
    path = directory / name
    path.write_text(text)
    return path
