"""Builds the wheel and the source distribution (PEP 517) with the standard library alone.

``pip install ./clients/python`` therefore needs no package index: there is nothing to fetch for the build. The package is pure Python;
its metadata is the table ``[project]`` of ``pyproject.toml``. The same sources give the same bytes.
"""

import ast
import base64
import gzip
import hashlib
import io
import os
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: The oldest time that a ZIP file can hold: files of archives have no times of their own, so that builds can be compared.
EPOCH = (1980, 1, 1, 0, 0, 0)
#: What a source distribution has beside ``src``; the tests need the repository.
SOURCE_FILES = ("LICENSE", "README.md", "build_backend/rowmill_build.py", "pyproject.toml")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Write the wheel into ``wheel_directory`` and return its file name."""
    project = read_project()
    files = [(path.relative_to(ROOT / "src").as_posix(), path.read_bytes()) for path in package_files()]
    return write_wheel(Path(wheel_directory), project, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Write a wheel that leads to the sources (PEP 660) and return its file name."""
    return write_wheel(Path(wheel_directory), read_project(), [("rowmill.pth", f"{ROOT / 'src'}\n".encode())])


def build_sdist(sdist_directory, config_settings=None):
    """Write the source distribution into ``sdist_directory`` and return its file name."""
    project = read_project()
    folder = f"{project['name']}-{project['version']}"
    contents = [("PKG-INFO", metadata_of(project))]
    contents += [(name, (ROOT / name).read_bytes()) for name in SOURCE_FILES]
    contents += [(path.relative_to(ROOT).as_posix(), path.read_bytes()) for path in package_files()]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in contents:
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size, entry.mode = len(content), 0o644
            archive.addfile(entry, io.BytesIO(content))
    (Path(sdist_directory) / f"{folder}.tar.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return f"{folder}.tar.gz"


def package_files():
    found = (ROOT / "src" / "rowmill").rglob("*")
    return sorted(path for path in found if path.suffix == ".py" or path.name == "py.typed")


def read_project():
    """The tables ``[project]`` and ``[project.optional-dependencies]``: strings, and lists of strings, which Python writes alike.

    Python 3.9 and 3.10 have no reader of TOML.
    """
    project = {"optional-dependencies": {}}
    table, pending = "", ""
    for line in (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines():
        if not pending and line.startswith("["):
            table = line.strip("[] ")
        elif table in ("project", "project.optional-dependencies"):
            pending += line
            key, found, value = pending.partition("=")
            if not found or value.count("[") > value.count("]"):
                continue
            target = project if table == "project" else project["optional-dependencies"]
            target[key.strip()] = ast.literal_eval(value.strip())
            pending = ""
    return project


def metadata_of(project):
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License: {project['license']}",
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {requirement}" for requirement in project["dependencies"]),
    ]
    for extra, requirements in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {requirement}; extra == "{extra}"' for requirement in requirements]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / project["readme"]).read_text(encoding="utf-8")]
    return "\n".join(lines).encode()


def write_wheel(directory, project, files):
    about = f"{project['name']}-{project['version']}.dist-info"
    files = [
        *files,
        (f"{about}/LICENSE", (ROOT / "LICENSE").read_bytes()),
        (f"{about}/METADATA", metadata_of(project)),
        (f"{about}/WHEEL", b"Wheel-Version: 1.0\nGenerator: rowmill_build\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
    ]
    record = "".join(f"{name},sha256={digest_of(content)},{len(content)}\n" for name, content in files)
    files.append((f"{about}/RECORD", f"{record}{about}/RECORD,,\n".encode()))
    name = f"{project['name']}-{project['version']}-py3-none-any.whl"
    # Under another name until it is complete: whoever looks into the directory meanwhile does not take a part for the whole.
    partial = directory / f".{name}.partial"
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files:
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
            archive.writestr(entry, content)
    os.replace(partial, directory / name)
    return name


def digest_of(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
