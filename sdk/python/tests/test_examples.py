from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

from .server import Server

ROOT = Path(__file__).resolve().parent.parent


class ExamplesTest(unittest.TestCase):
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
