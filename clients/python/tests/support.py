"""A real service for the tests of this folder, with a database of its own; and a model that is not one."""

from __future__ import annotations

import atexit
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple, Optional

import rowmill

REPOSITORY = Path(__file__).resolve().parents[3]
#: The Node of the repository.
NODE = os.environ.get("ROWMILL_TEST_NODE") or str(REPOSITORY / "node_modules" / "node" / "bin" / "node")
#: Making a database on a busy machine included.
START_TIMEOUT = 120
ADMIN_KEY = "rma_testpython0000000000000000000000"


class Organization(NamedTuple):
    url: str
    api_key: str
    client: rowmill.Rowmill


@functools.lru_cache(maxsize=None)
def service_url() -> str:
    """Started by the first test that needs it, stopped after the last one."""
    folder = tempfile.mkdtemp(prefix="rowmill-python-")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ROWMILL_")}
    settings = {
        "ROWMILL_PORT": "0",
        "ROWMILL_METRICS_PORT": "off",
        "ROWMILL_ADMIN_KEY": ADMIN_KEY,
        "ROWMILL_DATA_DIR": folder,
        "ROWMILL_MODE": "development",
        "ROWMILL_RATE_LIMIT_PER_MINUTE": "0",
        "ROWMILL_TRANSFORM_THREADS": "1",
    }
    process = subprocess.Popen(
        [NODE, "--conditions=@rowmill/source", str(REPOSITORY / "packages" / "server" / "src" / "main.ts")],
        env={**environment, **settings},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )

    readers: List[threading.Thread] = []

    def stop() -> None:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for reader in readers:
            reader.join()
        if process.stdout is not None:
            process.stdout.close()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    watchdog = threading.Timer(START_TIMEOUT, process.kill)
    watchdog.start()
    lines: List[str] = []
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        found = re.search(r" listens on (http:\S+)$", line.rstrip())
        if found is not None:
            watchdog.cancel()
            # What it says later is of no interest, but must be read.
            readers.append(threading.Thread(target=process.stdout.read, daemon=True))
            readers[0].start()
            return found[1]
    watchdog.cancel()
    raise RuntimeError("the service did not start:\n" + "".join(lines))


def new_organization() -> Organization:
    url = service_url()
    with rowmill.Rowmill(url, ADMIN_KEY) as admin:
        made = admin.organizations.create({"name": "Python"})
        key = admin.organizations.api_keys.create(made["id"], {"name": "Everything", "scopes": ["*"]})["key"]
    return Organization(url, key, rowmill.Rowmill(url, key))


class ServiceTest(unittest.TestCase):
    """Each class has an organization of its own."""

    organization: Organization
    client: rowmill.Rowmill

    @classmethod
    def setUpClass(cls) -> None:
        cls.organization = new_organization()
        cls.client = cls.organization.client
        cls.addClassCleanup(cls.client.close)

    def folder(self) -> Path:
        path = Path(tempfile.mkdtemp(prefix="rowmill-test-"))
        self.addCleanup(shutil.rmtree, path, True)
        return path


class Seen(NamedTuple):
    method: str
    path: str
    headers: Dict[str, str]
    body: bytes


class Reply(NamedTuple):
    status: int = 200
    body: Any = None
    headers: Dict[str, str] = {}
    #: Sends the head and a part of the body, and breaks off.
    breaks: bool = False


class Server:
    """A small HTTP service that responds as a test says, and remembers what it was asked."""

    def __init__(self, test: unittest.TestCase, respond: Callable[[Seen, int], Reply]) -> None:
        self.seen: List[Seen] = []
        lock = threading.Lock()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                if self.headers.get("transfer-encoding") == "chunked":
                    body = b""
                    while True:
                        size = int(self.rfile.readline(), 16)
                        body += self.rfile.read(size)
                        self.rfile.readline()
                        if size == 0:
                            break
                else:
                    body = self.rfile.read(int(self.headers.get("content-length", "0")))
                headers = {name.lower(): value for name, value in self.headers.items()}
                seen = Seen(self.command, self.path, headers, body)
                with lock:
                    outer.seen.append(seen)
                    number = len(outer.seen) - 1
                reply = respond(seen, number)
                data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                self.send_response(reply.status)
                for name, value in {"content-type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data) + (10 if reply.breaks else 0)))
                self.end_headers()
                self.wfile.write(data)
                if reply.breaks:
                    self.close_connection = True

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

            def log_message(self, *_: Any) -> None:
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        # Clients that leave within a request or response are what some tests are about.
        server.handle_error = lambda *_: None  # type: ignore[method-assign,assignment]
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()

        def stop() -> None:
            server.shutdown()
            server.server_close()
            thread.join()

        test.addCleanup(stop)


def completion(text: str) -> Dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "small",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


def prompt_of(seen: Seen) -> Optional[str]:
    messages = json.loads(seen.body or b"{}").get("messages")
    return None if messages is None else messages[-1]["content"]
