"""How much memory there is."""

import os
import subprocess
import sys

import pytest

from edgeorbit import _memory as memory

MEGABYTE = 1 << 20


@pytest.fixture(autouse=True)
def no_groups(tmp_path, monkeypatch):
    """Hide the control groups of the machine that the tests run on."""
    monkeypatch.setattr(memory, "GROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(memory, "GROUP_FILES", tmp_path / "groups")
    (tmp_path / "cgroup").write_text("")


def test_memory_is_read_from_the_system(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    2048 kB\n")
    assert memory.available_memory() == 2048 * 1024
    (tmp_path / "meminfo").write_text("rubbish")
    assert memory.available_memory() == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@pytest.mark.parametrize(
    ("line", "place", "most", "used", "unlimited"),
    [
        ("0::/box/inner", "box/inner", "memory.max", "memory.current", "max"),
        ("0::/named/outside", "", "memory.max", "memory.current", "max"),
        ("4:memory:/box", "memory/box", "memory.limit_in_bytes", "memory.usage_in_bytes", str(2**63 - 4096)),
    ],
)
def test_a_container_has_what_its_group_leaves(tmp_path, line, place, most, used, unlimited):
    (tmp_path / "cgroup").write_text(f"9:cpu:/box\n{line}\n")
    group = tmp_path / "groups" / place
    group.mkdir(parents=True)
    (group / used).write_text(f"{50 * MEGABYTE}\n")
    (group / "memory.stat").write_text(f"anon 5\ninactive_file {20 * MEGABYTE}\n")
    (group / most).write_text(f"{100 * MEGABYTE}\n")
    assert memory.available_memory() == 70 * MEGABYTE
    (group / most).write_text(f"{20 * MEGABYTE}\n")
    assert memory.available_memory() == 0
    (group / most).write_text(f"{unlimited}\n")
    assert memory.available_memory() > 70 * MEGABYTE


@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_a_limit_of_the_process_counts(limit):
    resource = pytest.importorskip("resource")
    code = (
        "import resource; from edgeorbit._memory import available_memory\n"
        f"resource.setrlimit(resource.{limit}, (2**30, resource.getrlimit(resource.{limit})[1]))\n"
        "before = available_memory(); held = bytearray(2**28); print(before, available_memory())"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    before, after = map(int, said.stdout.split())
    assert resource and 2**29 < before < 2**30
    assert abs(before - after - 2**28) < 2**24
