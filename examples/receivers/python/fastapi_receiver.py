# uvicorn fastapi_receiver:app --port 3000
import json
import os

from fastapi import FastAPI, Request, Response

from webhook_signature import is_genuine

app = FastAPI()


@app.post("/hooks/rowmill")
async def receive(request: Request) -> Response:
    # The body, not a model: the signature is over the bytes as they came.
    body = await request.body()
    if not is_genuine(request.headers, body, os.environ["SIGNING_SECRET"]):
        return Response("forged", status_code=400)
    await accept(json.loads(body))
    return Response(status_code=204)


async def accept(event):
    """Stores the event, once for each event["id"]; the work on it comes later. Raises if it cannot: then it comes again."""
    print("accepted", event["id"], event["type"], flush=True)
