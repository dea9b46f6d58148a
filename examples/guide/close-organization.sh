# Deletes what an organization has, and closes it, as docs/operations/limits.md shows it.
rowmill map contacts.csv --transform clean.js -o clean.csv
rowmill webhooks new https://example.com/hooks --events run.finished --save secret.txt
organization=$(rowmill api GET /v1/me | jq -r .organizationId)

# #region key
export ROWMILL_API_KEY=$(ROWMILL_API_KEY=$ADMIN_KEY rowmill api POST "/v1/organizations/$organization/api-keys" --data '{"name": "Closing", "scopes": ["*"]}' | jq -r .key)
for id in $(rowmill api GET "/v1/organizations/$organization/api-keys" --paginate | jq -r 'select(.name != "Closing" and .revokedAt == null).id'); do
  rowmill api DELETE "/v1/organizations/$organization/api-keys/$id"
done
# #endregion

# #region runs
rowmill api POST /v1/bulk-actions --data '{"action": "cancel", "filter": {"state": ["queued", "running", "paused"]}}'
while [ "$(rowmill api GET '/v1/runs?limit=1' | jq '.data | length > 0')" = true ]; do
  action=$(rowmill api POST /v1/bulk-actions --data '{"action": "delete", "filter": {"createdAfter": "2020-01-01T00:00:00Z"}}' | jq -r .id)
  rowmill api GET "/v1/bulk-actions/$action?waitSeconds=30" | jq -c '{total, done, skipped, failed}'
done
# #endregion

# #region rest
for things in datasets job-specs connections webhook-endpoints alert-rules; do
  for id in $(rowmill api GET "/v1/$things" --paginate | jq -r .id); do rowmill api DELETE "/v1/$things/$id"; done
done
# #endregion

# #region close
ROWMILL_API_KEY=$ADMIN_KEY rowmill api PATCH "/v1/organizations/$organization" --data '{"state": "suspended"}' | jq -c '{state, usage}'
# #endregion
rowmill runs && exit 1 || exit 0
