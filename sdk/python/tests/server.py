"""A real server for the tests: the binary that FERMATA_BINARY names, on a port of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from typing import Optional


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    def __init__(self) -> None:
        self.binary = os.environ.get("FERMATA_BINARY", "build/release/fermata")
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.data = tempfile.mkdtemp(prefix="fermata-sdk-")
        self.process: Optional[subprocess.Popen] = None
        self.log = open(os.path.join(self.data, "log"), "ab")

    def start(self) -> None:
        self.process = subprocess.Popen(
            [self.binary, "serve", "--listen", f"127.0.0.1:{self.port}", "--data",
             os.path.join(self.data, "store")],
            stdout=self.log, stderr=self.log,
        )
        for _ in range(400):
            try:
                with urllib.request.urlopen(self.url + "/readyz", timeout=1) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                pass
            if self.process.poll() is not None:
                with open(os.path.join(self.data, "log")) as log:
                    raise RuntimeError(log.read())
            time.sleep(0.05)
        raise RuntimeError("the server did not become ready")

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=20)
        self.log.close()
        shutil.rmtree(self.data, ignore_errors=True)
