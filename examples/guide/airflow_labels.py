# #region dag
import json
import os
import urllib.request
from datetime import datetime

from airflow.sdk import dag, task

URL = os.environ["ROWMILL_URL"]
HEADERS = {"Authorization": "Bearer " + os.environ["ROWMILL_API_KEY"], "Content-Type": "application/json"}


def call(method, path, body=None, idempotency_key=None):
    headers = {**HEADERS, **({"Idempotency-Key": idempotency_key} if idempotency_key else {})}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data=data, method=method, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


@dag(schedule="15 3 * * *", start_date=datetime(2026, 1, 1), catchup=False)
def labels():
    @task(retries=3)
    def start(ds=None):
        """The key names the day: a retry of the task starts nothing twice."""
        dataset = call("GET", "/v1/datasets?name=Reviews&limit=1")["data"][0]
        job_spec = call("GET", "/v1/job-specs?name=Moods&limit=1")["data"][0]
        body = {"datasetId": dataset["id"], "jobSpecId": job_spec["id"], "scope": {"type": "all"}}
        return call("POST", "/v1/runs", body, idempotency_key=f"labels-{ds}")["id"]

    @task(retries=3)
    def wait(run_id):
        while True:
            run = call("GET", f"/v1/runs/{run_id}?waitSeconds=30")
            if run["state"] in ("succeeded", "partially_succeeded"):
                return run["rows"]
            if run["state"] in ("failed", "canceled", "expired", "paused"):
                raise RuntimeError(f"{run_id} is {run['state']}")

    wait(start())


labels()
# #endregion
