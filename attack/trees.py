"""Inputs of a command: files by their relative path, some of which may be pipes, devices or directories."""

import os
import random
import shutil
from enum import Enum
from pathlib import Path
from typing import TypeAlias


class Special(Enum):
    """What is not a regular file."""

    DIRECTORY = "a directory"
    PIPE = "a named pipe that nobody writes to"
    ZEROS = "a link to /dev/zero"
    LOOP = "a symbolic link to itself"
    DANGLING = "a symbolic link to nothing"


Tree: TypeAlias = dict[str, bytes | Special]


def read_tree(directory: Path) -> dict[str, bytes]:
    """Return all files of a directory."""
    files = sorted(file for file in directory.rglob("*") if file.is_file())
    return {str(file.relative_to(directory)): file.read_bytes() for file in files}


def write_tree(tree: Tree, directory: Path) -> None:
    """Write the files of a tree into an empty directory."""
    for name, content in tree.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case Special.DIRECTORY:
                path.mkdir()
            case Special.PIPE:
                os.mkfifo(path)
            case Special.ZEROS:
                path.symlink_to("/dev/zero")
            case Special.LOOP:
                path.symlink_to(path.name)
            case Special.DANGLING:
                path.symlink_to("nothing-is-here")
            case _:
                path.write_bytes(content)


def listing(directory: Path) -> dict[str, bytes | None]:
    """Return what lies in a directory now: the content of small files, None for all else."""
    found: dict[str, bytes | None] = {}
    for place, folders, files in os.walk(directory):
        for name in (*folders, *files):
            path = Path(place, name)
            small = path.is_file() and not path.is_symlink() and path.stat().st_size < 1 << 24
            found[str(path.relative_to(directory))] = path.read_bytes() if small else None
    return found


def empty(directory: Path) -> None:
    """Remove all that lies in a directory."""
    for entry in directory.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def damage_tree(rng: random.Random, tree: Tree, name: str) -> str:
    """Remove, replace or exchange a file of a tree; return what was done."""
    names = sorted(tree)
    match rng.randrange(4):
        case 0:
            del tree[name]
            return f"removed {name}"
        case 1:
            other = rng.choice(names)
            tree[name], tree[other] = tree[other], tree[name]
            return f"exchanged {name} and {other}"
        case 2:
            tree[name] = b""
            return f"emptied {name}"
        case _:
            special = rng.choice([*Special])
            tree[name] = special
            return f"{name} is {special.value}"
