import rowmill

# #region client
client = rowmill.Rowmill()  # or Rowmill(url, api_key), Rowmill(profile="work")

code = "export default (row) => ({ text: row.review.toUpperCase() })"
dataset = client.datasets.upload("reviews", file="reviews.csv")
spec = client.job_specs.create({"name": "shout", "processor": {"type": "transform", "code": code}})
run = client.runs.create({"datasetId": dataset["id"], "jobSpecId": spec["id"], "scope": {"type": "all"}})
run = client.runs.wait_for(run["id"], on_progress=lambda run: print(run["progress"]["percent"]))
client.exports.save_table(run["id"], "reviews.parquet")
# #endregion

# #region webhook
def receive(body, headers, signing_secret):
    event = rowmill.verify_webhook(payload=body, headers=headers, secret=signing_secret)
    print(event["type"], event["data"]["object"])
# #endregion


try:
    receive(b"{}", {"webhook-id": "evt_1", "webhook-timestamp": "1", "webhook-signature": "v1,eA=="}, "whsec_c2VjcmV0")
except rowmill.WebhookVerificationError:
    print("It is not genuine.")
