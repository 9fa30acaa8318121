"""What is built: a wheel that is whole, and an sdist from which the same wheel and its tests come."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from email.parser import BytesParser
from pathlib import Path

import pytest
from packaging.metadata import Metadata

import sfumato as sf
from tests.generated import PAGES, ROOT
from tests.recipes import people

HERE = re.compile(r"file:|localhost|127\.0\.0\.1|/home/|/tmp/|/work/")
"""What only one machine knows."""

RECIPE = """
microfile = { path = "people.csv", identifiers = ["name"] }
[[protect]]
method = "k-means"
quasi = ["age"]
sets = 3
k = 5
"""


def built(root: Path, target: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    (made,) = folder.iterdir()
    return made


def unpacked(sdist: Path, folder: Path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    return root


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def sources(root: Path) -> set[str]:
    """Return the files of the package, as a wheel names them."""
    found = (path for path in (root / "src").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(root / "src").as_posix() for path in found if ".egg-info" not in str(path)}


def metadata_of(wheel: Path) -> str:
    (name,) = (name for name in contents(wheel) if name.endswith(".dist-info/METADATA"))
    return name


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    return unpacked(built(ROOT, "sdist", tmp_path_factory.mktemp("sdist")), tmp_path_factory.mktemp("unpacked"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Install the wheel into an environment that sees the packages of this one, but not the checkout."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    install = ("-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", "--no-deps", str(wheel))
    subprocess.run([sys.executable, *install], check=True)
    own = sysconfig.get_path("purelib", vars={"base": str(folder)})
    # a folder named here is searched last, and what is installed in it as editable is not followed
    Path(own, "packages.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def run(*command: str, cwd: Path) -> str:
        free = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        done = subprocess.run([folder / "bin" / command[0], *command[1:]], cwd=cwd, env=free, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    return run


def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel):
    held = {name for name in contents(wheel) if ".dist-info/" not in name}
    assert held == sources(ROOT)
    assert {"sfumato/py.typed", "sfumato/recipe.schema.json", "sfumato/report/page.html"} <= held


def test_the_sdist_gives_the_same_wheel(wheel, sdist, tmp_path):
    assert contents(built(sdist, "wheel", tmp_path)) == contents(wheel)


def modules(folder):
    """Return the modules below a folder, but for environments that benchmarks have made there."""
    return [path for path in folder.rglob("*.py") if ".envs" not in path.parts]


def test_the_sdist_has_what_tests_read(sdist):
    assert sources(sdist) == sources(ROOT)
    tests = {path.relative_to(ROOT) for name in ("tests", "benchmarks", "handbook") for path in modules(ROOT / name)}
    pages = {Path(name) for name in (*PAGES, "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "mkdocs.yml")}
    tools = {Path(name) for name in ("pyproject.toml", "Makefile", "constraints.txt", ".ci/run")}
    assert not [name for name in tests | pages | tools if not (sdist / name).is_file()]
    links = re.findall(r"\]\((?!https?:)([^)#]+)", (sdist / "README.md").read_text())
    assert not [name for name in links if not (sdist / name).is_file()]


def test_the_metadata_is_right(wheel):
    held, name = contents(wheel), metadata_of(wheel)
    told = Metadata.from_email(held[name])  # refuses what the standard does not allow
    assert (told.name, str(told.version)) == ("sfumato", sf.__version__)
    assert told.description_content_type == "text/markdown"
    assert told.description == (ROOT / "README.md").read_text()
    assert (told.license_expression, told.license_files) == ("Apache-2.0", ["LICENSE"])
    assert held[name.replace("METADATA", "licenses/LICENSE")] == (ROOT / "LICENSE").read_bytes()
    head = "".join(f"{key}: {value}\n" for key, value in BytesParser().parsebytes(held[name]).items())
    assert not HERE.search(head)
    assert not HERE.search(told.description)
    assert "Typing :: Typed" in told.classifiers


def test_the_constraints_name_what_is_required_and_within_its_range(wheel):
    given = (line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#"))
    tested = {canonical(name): version for name, _, version in (line.partition("==") for line in given)}
    for wanted in Metadata.from_email(contents(wheel)[metadata_of(wheel)]).requires_dist or ():
        if wanted.name != "sfumato":
            assert wanted.specifier.contains(tested[canonical(wanted.name)]), wanted.name


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_installed_wheel_works_outside_the_checkout(installed, tmp_path):
    where = installed("python", "-c", "import sfumato; print(sfumato.__file__)", cwd=tmp_path)
    assert str(ROOT) not in where
    assert "protect" in installed("sfumato", "--help", cwd=tmp_path)
    assert installed("sfumato", "--version", cwd=tmp_path) == f"sfumato {sf.__version__}\n"

    people().write_csv(tmp_path / "people.csv")
    (tmp_path / "recipe.toml").write_text(RECIPE)
    installed("sfumato", "protect", "recipe.toml", "--out", "out", cwd=tmp_path)
    assert json.loads(installed("sfumato", "audit", "out", "--json", cwd=tmp_path))["holds"]
    installed("sfumato", "report", "out", "--out", "out.html", cwd=tmp_path)
    assert "</html>" in (tmp_path / "out.html").read_text()


def test_the_installed_wheel_reads_its_own_files(installed, tmp_path):
    code = """
import json
from importlib.resources import files
from sfumato.datasets import acs_variables
from sfumato.recipe_schema import recipe_schema
from sfumato.release.certificate import certificate_schema

package = files("sfumato")
assert json.loads(package.joinpath("recipe.schema.json").read_text()) == recipe_schema()
assert package.joinpath("cli/demo.toml").read_text()
assert json.loads(package.joinpath("release/certificate.schema.json").read_text()) == certificate_schema()
print(len(acs_variables()))
"""
    assert int(installed("python", "-c", code, cwd=tmp_path)) == 12
