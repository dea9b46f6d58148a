"""The wheel and the source distribution, and the package installed where nothing else is."""

import email.parser
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import unittest
import zipfile
from pathlib import Path

import rowmill
from tests.support import ServiceTest

PACKAGE = Path(__file__).resolve().parents[1]
#: What PEP 517 says that a front end calls. ``-I -S``: no package but the standard library can be imported.
BUILD = "import sys; sys.path.insert(0, 'build_backend'); import rowmill_build; getattr(rowmill_build, sys.argv[1])(sys.argv[2])"
PYTHON = [sys.executable, "-I", "-S", "-B", "-W", "error", "-c", BUILD]
PROGRAM = """
import rowmill, sys
from rowmill.types import Run
assert rowmill.__file__.startswith(sys.prefix), rowmill.__file__
print([row["echo"] for row in rowmill.map([{"a": 1}], mock=True)])
"""
has_pip = all(importlib.util.find_spec(name) for name in ("pip", "venv"))


class Build(ServiceTest):
    def test_the_wheel_and_the_source_distribution_are_built_by_the_standard_library(self) -> None:
        folder = self.folder()
        # Not in place: a build must not write beside what it builds.
        source = folder / "source"
        shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__", ".mypy_cache"))
        before = sorted(str(path) for path in source.rglob("*"))
        wheel, sdist = self.build(source, folder / "dist")
        self.assertEqual(sorted(str(path) for path in source.rglob("*")), before)
        names = zipfile.ZipFile(wheel).namelist()
        for name in ("rowmill/py.typed", "rowmill/_generated/types.py", "rowmill/_map/map.py"):
            self.assertIn(name, names)
        modules = [str(path.relative_to(PACKAGE / "src")) for path in (PACKAGE / "src").rglob("*.py")]
        self.assertEqual(sorted(name for name in names if name.endswith(".py")), sorted(modules))
        with tarfile.open(sdist) as archive:
            packed = archive.getnames()
            # Python 3.12 and 3.13 warn where no filter is named; older ones may not know any.
            archive.extractall(folder / "unpacked", **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        for name in ("README.md", "LICENSE", "PKG-INFO", "pyproject.toml", "src/rowmill/py.typed"):
            self.assertIn(f"rowmill-{rowmill.__version__}/{name}", packed)

        # Whoever builds from the source distribution gets the same bytes.
        again, _ = self.build(folder / "unpacked" / f"rowmill-{rowmill.__version__}", folder / "again")
        self.assertEqual(again.read_bytes(), wheel.read_bytes())

    def test_the_metadata_of_the_wheel_is_the_table_of_the_project(self) -> None:
        folder = self.folder()
        wheel, _ = self.build(PACKAGE, folder / "dist")
        text = zipfile.ZipFile(wheel).read(f"rowmill-{rowmill.__version__}.dist-info/METADATA").decode()
        metadata = email.parser.Parser().parsestr(text)
        self.assertEqual(metadata["Name"], "rowmill")
        self.assertEqual(metadata["Version"], rowmill.__version__)
        self.assertEqual(metadata["Requires-Python"], ">=3.9")
        self.assertEqual(metadata.get_all("Requires-Dist"), ['pandas>=1.5; extra == "pandas"'])
        self.assertTrue(metadata.get_payload().startswith("# rowmill"), metadata.get_payload()[:80])

    def build(self, source: Path, target: Path) -> "tuple[Path, Path]":
        target.mkdir()
        for hook in ("build_sdist", "build_wheel"):
            subprocess.run([*PYTHON, hook, str(target)], cwd=source, check=True)
        name = f"rowmill-{rowmill.__version__}"
        return target / f"{name}-py3-none-any.whl", target / f"{name}.tar.gz"


@unittest.skipUnless(has_pip, "pip and venv are not both installed")
class Package(ServiceTest):
    def test_pip_installs_the_folder_without_an_index(self) -> None:
        folder = self.folder()
        environment = folder / "environment"
        run = {"check": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], **run)  # type: ignore[call-overload]
        python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
        # As somebody types it, with build isolation; the index is an address at which nothing listens.
        install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", str(PACKAGE)]
        own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ROWMILL_", "PIP_"))}
        offline = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        subprocess.run(install, env={**own, **offline}, **run)  # type: ignore[call-overload]
        settings = {"ROWMILL_URL": self.organization.url, "ROWMILL_API_KEY": self.organization.api_key}
        done = subprocess.run([str(python), "-c", PROGRAM], cwd=folder, env={**own, **settings}, **run)  # type: ignore[call-overload]
        self.assertEqual(done.stdout, "[{'a': 1}]\n")
