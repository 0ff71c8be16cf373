"""How much memory there is."""

import os

from edgeorbit import memory


def test_memory_is_read_from_the_system(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    2048 kB\n")
    assert memory.available_memory() == 2048 * 1024
    (tmp_path / "meminfo").write_text("rubbish")
    assert memory.available_memory() == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
