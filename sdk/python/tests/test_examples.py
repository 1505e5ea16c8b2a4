from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from .server import Server

ROOT = Path(__file__).resolve().parent.parent

READ_ME = re.compile(r"<!-- runs: (.*) -->\n```python\n(.*?)```", re.S)


class ExamplesTest(unittest.TestCase):
    def test_worker_example_gets_its_result_though_the_server_is_killed(self):
        server = Server()
        server.start()
        example = None
        try:
            environment = {**os.environ, "FERMATA_SERVER": server.url, "PYTHONPATH": str(ROOT),
                           "BANK_SECONDS": "2"}
            example = subprocess.Popen([sys.executable, str(ROOT / "examples" / "worker.py")],
                                       env=environment, stdout=subprocess.PIPE, text=True)
            self.assertIn("charging 12 attempt 1", example.stdout.readline())
            server.kill()
            server.start()
            rest, _ = example.communicate(timeout=90)
            self.assertEqual(example.returncode, 0, rest)
            self.assertEqual(rest.count("result:"), 1, rest)
            self.assertNotIn("charging", rest, "the attempt under way is the only one")
        finally:
            if example is not None:
                example.kill()
                example.communicate()
            server.stop()

    def test_every_example_runs_to_its_result(self):
        server = Server()
        server.start()
        try:
            environment = {**os.environ, "FERMATA_SERVER": server.url, "PYTHONPATH": str(ROOT)}
            for example in sorted((ROOT / "examples").glob("*.py")):
                ran = subprocess.run([sys.executable, str(example)], env=environment, timeout=60,
                                     capture_output=True, text=True)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn("result:", ran.stdout)
        finally:
            server.stop()

    def test_the_package_is_built_and_found_without_anything_else(self):
        with tempfile.TemporaryDirectory() as folder:
            build = f"import backend; print(backend.build_wheel({folder!r}))"
            built = subprocess.run([sys.executable, "-c", build], cwd=ROOT / "packaging",
                                   timeout=60, capture_output=True, text=True, check=True)
            wheel = os.path.join(folder, built.stdout.strip())
            # A wheel of plain Python can be imported as it is.
            found = "import fermata; print(fermata.__file__, fermata.Worker.__name__)"
            ran = subprocess.run([sys.executable, "-c", found], cwd=folder, timeout=60,
                                 env={**os.environ, "PYTHONPATH": wheel}, capture_output=True,
                                 text=True, check=True)
            self.assertTrue(ran.stdout.startswith(wheel), ran.stdout)

    def test_what_the_read_me_shows_runs(self):
        shown = READ_ME.findall((ROOT / "README.md").read_text())
        self.assertEqual(len(shown), 1)
        server = Server()
        server.start()
        try:
            environment = {**os.environ, "FERMATA_SERVER": server.url, "PYTHONPATH": str(ROOT)}
            for printed, program in shown:
                ran = subprocess.run([sys.executable, "-c", program], env=environment, timeout=60,
                                     capture_output=True, text=True)
                self.assertEqual(ran.stdout, printed + "\n", ran.stderr)
        finally:
            server.stop()
