"""The same recipe gives the same bytes on every kind of machine."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.bytes.environments import ROOT, digests_in, environments

FOREIGN = {
    "linalg": {
        "norm",
        "qr",
        "svd",
        "eigh",
        "eigvalsh",
        "eigvals",
        "eig",
        "inv",
        "pinv",
        "solve",
        "lstsq",
        "cholesky",
        "det",
    },
    "np": {"dot", "vdot", "inner", "einsum", "tensordot", "matmul", "cov", "corrcoef", "polyfit"},
}
"""What numpy leaves to BLAS or LAPACK, whose last digits depend on the processor."""
REPORTED = {"attacks/disclosed_places.py"}
"""Modules whose results are only told, rounded, and decide nothing."""
INTEGERS = {
    "measures/contingency.py": "matches @ counts_by_block",
    "representations/fuzzy_sets.py": "present @ (1 << np.arange(",
}
"""Products of whole numbers, which are exact."""


@pytest.fixture(scope="module")
def usual() -> dict[str, str]:
    return digests_in({})


@pytest.mark.parametrize("name", [name for name in environments() if name != "default"])
def test_every_environment_gives_the_same_bytes(usual, name):
    found = digests_in(environments()[name])
    assert {recipe for recipe in usual if found[recipe] != usual[recipe]} == set()


def test_there_are_recipes_of_every_kind(usual):
    assert len(usual) >= 12
    assert len(set(usual.values())) == len(usual)


def test_no_module_leaves_sums_to_another_library():
    folder = ROOT / "src" / "sfumato"
    wrong = [line for path in sorted(folder.rglob("*.py")) for line in _foreign_sums(path, folder)]
    assert wrong == []


def test_no_kernel_lets_the_compiler_reorder_sums():
    text = "".join(path.read_text() for path in (ROOT / "src" / "sfumato" / "kernels").rglob("*.py"))
    assert "fastmath=" not in text


def _foreign_sums(path: Path, folder: Path) -> list[str]:
    name, source = path.relative_to(folder).as_posix(), path.read_text()
    found = []
    for node in ast.walk(ast.parse(source)):
        line = source.splitlines()[node.lineno - 1].strip() if hasattr(node, "lineno") else ""
        product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
        whole = name in INTEGERS and INTEGERS[name] in line
        called = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute)
        owner = (node.value.attr if isinstance(node.value, ast.Attribute) else node.value.id) if called else ""
        foreign = called and node.attr in FOREIGN.get(owner, ())
        if ((product and not whole) or foreign) and name not in REPORTED:
            found.append(f"{name}:{node.lineno}: {line}")
    return found
