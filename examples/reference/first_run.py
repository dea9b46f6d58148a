from rowmill import Rowmill

rowmill = Rowmill()  # ROWMILL_URL and ROWMILL_API_KEY

dataset = rowmill.datasets.upload(
    name="Reviews",
    rows=[
        {"text": "Great value.", "stars": 5},
        {"text": "Broke after a week.", "stars": 1},
    ],
)
job_spec = rowmill.job_specs.create(
    {
        "name": "Label reviews",
        "processor": {"type": "transform", "code": 'export default (row) => (row.stars > 3 ? "positive" : "negative");'},
    }
)
run = rowmill.runs.create({"datasetId": dataset["id"], "jobSpecId": job_spec["id"], "scope": {"type": "all"}})
run = rowmill.runs.wait_for(run["id"])

print(run["state"])
for output in rowmill.runs.outputs(run["id"]):
    print(output["index"], output["data"])
