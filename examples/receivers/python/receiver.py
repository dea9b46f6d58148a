import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from webhook_signature import is_genuine

SECRET = os.environ["SIGNING_SECRET"]
MAX_BODY_BYTES = 64 * 1024


class Receiver(BaseHTTPRequestHandler):
    # A sender that stops in the middle does not hold a thread for ever.
    timeout = 15

    def do_POST(self):
        length = int(self.headers.get("content-length") or 0)
        if self.path != "/hooks/rowmill" or not 0 < length <= MAX_BODY_BYTES:
            return self.answer(404)
        # The signature is over the bytes as they came.
        body = self.rfile.read(length)
        if not is_genuine(self.headers, body, SECRET):
            return self.answer(400)
        accept(json.loads(body))
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()


def accept(event):
    """Stores the event, once for each event["id"]; the work on it comes later. Raises if it cannot: then it comes again."""
    print("accepted", event["id"], event["type"], flush=True)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
    print(f"listening on 127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
