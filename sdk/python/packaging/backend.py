"""Builds the package with nothing but the standard library (PEP 517, PEP 660).

The package itself needs nothing else either, so that it can be installed where no registry is
within reach.
"""

from __future__ import annotations

import base64
import hashlib
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict, List

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "fermata"
TAG = "py3-none-any"


def _version() -> str:
    for line in (ROOT / "pyproject.toml").read_text().splitlines():
        if line.startswith("version"):
            return line.split('"')[1]
    raise RuntimeError("pyproject.toml has no version")


def _metadata() -> bytes:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {PACKAGE}",
        f"Version: {_version()}",
        "Summary: Client and worker for the Fermata workflow engine",
        "License: Apache-2.0",
        "Requires-Python: >=3.9",
        "Description-Content-Type: text/markdown",
    ]
    return ("\n".join(lines) + "\n\n" + (ROOT / "README.md").read_text()).encode()


def _sources() -> Dict[str, bytes]:
    files = sorted((ROOT / PACKAGE).glob("*.py")) + [ROOT / PACKAGE / "py.typed"]
    return {f"{PACKAGE}/{file.name}": file.read_bytes() for file in files}


def _record(files: Dict[str, bytes]) -> List[str]:
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}")
    return lines


def _wheel(directory: str, files: Dict[str, bytes]) -> str:
    about = f"{PACKAGE}-{_version()}.dist-info"
    files = {
        **files,
        f"{about}/METADATA": _metadata(),
        f"{about}/WHEEL": f"Wheel-Version: 1.0\nGenerator: {PACKAGE}\nRoot-Is-Purelib: true\n"
                          f"Tag: {TAG}\n".encode(),
    }
    record = "\n".join([*_record(files), f"{about}/RECORD,,", ""])
    name = f"{PACKAGE}-{_version()}-{TAG}.whl"
    with zipfile.ZipFile(Path(directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in {**files, f"{about}/RECORD": record.encode()}.items():
            wheel.writestr(path, content)
    return name


def build_wheel(wheel_directory: str, config_settings: Any = None,
                metadata_directory: Any = None) -> str:
    return _wheel(wheel_directory, _sources())


def build_editable(wheel_directory: str, config_settings: Any = None,
                   metadata_directory: Any = None) -> str:
    return _wheel(wheel_directory, {f"{PACKAGE}.pth": f"{ROOT}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    base = f"{PACKAGE}-{_version()}"
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for name in ("pyproject.toml", "README.md", "packaging/backend.py", *_sources()):
            archive.add(ROOT / name, f"{base}/{name}")
    return f"{base}.tar.gz"
