"""The wheel and the source distribution, and the wheel installed where nothing else is."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import unittest
import zipfile
from pathlib import Path

from tests.support import ServiceTest

PACKAGE = Path(__file__).resolve().parents[1]
#: What PEP 517 says that a front end calls.
BUILD = "import sys; from setuptools import build_meta; getattr(build_meta, sys.argv[1])(sys.argv[2])"
PROGRAM = """
import rowmill, sys
from rowmill.types import Run
assert rowmill.__file__.startswith(sys.prefix), rowmill.__file__
print([row["echo"] for row in rowmill.map([{"a": 1}], mock=True)])
"""
has_tools = all(importlib.util.find_spec(name) for name in ("setuptools", "wheel", "pip", "venv"))


@unittest.skipUnless(has_tools, "setuptools, wheel, pip and venv are not all installed")
class Package(ServiceTest):
    def test_the_wheel_works_in_an_empty_environment(self) -> None:
        folder = self.folder()
        source = folder / "source"
        # A build writes beside what it builds.
        shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("tests", "build", "dist", "*.egg-info", "__pycache__", ".mypy_cache"))
        built = folder / "dist"
        built.mkdir()
        run = {"check": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        for hook in ("build_sdist", "build_wheel"):
            build = [sys.executable, "-W", "ignore", "-c", BUILD, hook, str(built)]
            subprocess.run(build, cwd=source, **run)  # type: ignore[call-overload]
        wheel, sdist = built / "rowmill-0.1.0-py3-none-any.whl", built / "rowmill-0.1.0.tar.gz"
        names = zipfile.ZipFile(wheel).namelist()
        for name in ("rowmill/py.typed", "rowmill/_generated/types.py", "rowmill/_map/map.py"):
            self.assertIn(name, names)
        self.assertFalse([name for name in names if name.startswith("tests")])
        with tarfile.open(sdist) as archive:
            packed = archive.getnames()
            # Python 3.12 and 3.13 warn where no filter is named; older ones may not know any.
            archive.extractall(folder / "unpacked", **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        for name in ("README.md", "LICENSE", "pyproject.toml", "src/rowmill/py.typed"):
            self.assertIn(f"rowmill-0.1.0/{name}", packed)

        # Whoever installs the source distribution gets the same package.
        again = folder / "again"
        again.mkdir()
        build = [sys.executable, "-W", "ignore", "-c", BUILD, "build_wheel", str(again)]
        subprocess.run(build, cwd=folder / "unpacked" / "rowmill-0.1.0", **run)  # type: ignore[call-overload]
        self.assertEqual(sorted(zipfile.ZipFile(again / wheel.name).namelist()), sorted(names))

        environment = folder / "environment"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], **run)  # type: ignore[call-overload]
        python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
        install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", "--no-deps", str(wheel)]
        subprocess.run(install, **run)  # type: ignore[call-overload]
        settings = {"ROWMILL_URL": self.organization.url, "ROWMILL_API_KEY": self.organization.api_key}
        own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ROWMILL_"))}
        done = subprocess.run([str(python), "-c", PROGRAM], cwd=folder, env={**own, **settings}, **run)  # type: ignore[call-overload]
        self.assertEqual(done.stdout, "[{'a': 1}]\n")
