# flask --app flask_receiver run --port 3000
import json
import os

from flask import Flask, request

from webhook_signature import is_genuine

app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 64 * 1024


@app.post("/hooks/rowmill")
def receive():
    # The data, not request.json: the signature is over the bytes as they came.
    body = request.get_data()
    if not is_genuine(request.headers, body, os.environ["SIGNING_SECRET"]):
        return "forged", 400
    accept(json.loads(body))
    return "", 204


def accept(event):
    """Stores the event, once for each event["id"]; the work on it comes later. Raises if it cannot: then it comes again."""
    print("accepted", event["id"], event["type"], flush=True)
