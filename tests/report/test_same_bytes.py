"""The same command writes the same bytes in every process: pages, pictures, tables and synthetic graphs."""

import os
import subprocess
import sys
from pathlib import Path

from edgeorbit.report.gallery import draw_gallery
from made_results import write_results

# One process for all commands, because importing takes longer than most of them.
COMMANDS = """
import os, sys
from edgeorbit.cli.main import main
results, place = sys.argv[1:]
os.chdir(place)
for line in '''
gallery -o gallery
draw karate -o karate.png
draw karate -o karate.svg
draw prism lobster -o two.pdf
report karate -o karate.html
report RESULTS -o page.html -o page.md -o page.tex -o page.csv --figures figures
report RESULTS -o against.md --against eo-gnn
bench RESULTS --write bench.md
theory c8 --picture c8.svg
expressiveness prism -o order.svg
synth syn-karate --ear 0.3,0.8 --rounds 2 --features random -o sweep
orbits karate -o orbits.csv
'''.split("\\n")[1:-1]:
    sys.argv = ["edgeorbit", *(results if word == "RESULTS" else word for word in line.split())]
    try:
        main()
    except SystemExit as stop:
        if stop.code:
            sys.exit(f"{line}: {stop.code}")
"""


def written(results: Path, place: Path, hash_seed: int) -> dict[str, bytes]:
    """Return what the commands write, and print, in a process whose sets have another order."""
    place.mkdir()
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, results, place], env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    found = {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}
    return found | {"printed": done.stdout}


def test_every_page_picture_and_table_has_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    results = write_results(tmp_path, seeds=2, ears=(0.1, 0.7), models=["cn", "eo-gnn", "eo-gnn without d1"])
    first, other = (written(results, tmp_path / str(hash_seed), hash_seed) for hash_seed in (1, 2))
    assert {Path(name).suffix for name in first} >= {".png", ".svg", ".pdf", ".html", ".md", ".tex", ".npz", ".parquet"}
    assert other.keys() == first.keys()
    # The PDF files that vl-convert writes differ between processes.
    kept = [name for name in first if not (name.startswith("figures") and name.endswith(".pdf"))]
    assert [name for name in kept if first[name] != other[name]] == []


def test_places_in_a_figure_do_not_depend_on_where_objects_lie_in_memory() -> None:
    found = []
    for number in range(6):
        # The solver of the layout walks through its constraints in the order of their addresses.
        memory = [bytearray(100 + 7 * place % 600) for place in range(3000 * number)]
        del memory[::2]
        figure = draw_gallery().figure
        figure.draw_without_rendering()
        found.append([axes.get_position().bounds for axes in figure.get_axes()])
    assert all(places == found[0] for places in found)
