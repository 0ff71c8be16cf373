"""What importing the package costs, and what it says where PyTorch Geometric is missing."""

import subprocess
import sys


def run(code: str) -> str:
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return finished.stdout.strip()


def test_without_torch_geometric_the_way_out_is_named() -> None:
    code = """
import sys
sys.modules["torch_geometric"] = None
from edgeorbit.errors import MissingExtraError
try:
    import edgeorbit.pyg
except MissingExtraError as error:
    print(error)
"""
    assert run(code) == "edgeorbit.pyg needs torch_geometric; pip install 'edgeorbit[pyg]'"


def test_importing_edgeorbit_does_not_import_torch() -> None:
    assert run("import sys, edgeorbit, edgeorbit.synthetic; print('torch' in sys.modules)") == "False"
