# Deletes what is old, as docs/operations/limits.md shows it.
rowmill map contacts.csv --transform clean.js -o clean.csv

# #region count
before=$(date -u -d '90 days ago' +%FT00:00:00Z)
rowmill api POST /v1/bulk-actions --data '{"resource": "runs", "action": "delete", "filter": {"createdBefore": "'$before'"}, "dryRun": true}'
# #endregion

# #region runs
rowmill api POST /v1/bulk-actions --data '{"resource": "runs", "action": "delete", "filter": {"createdBefore": "'$before'"}}'
# #endregion

# #region datasets
for id in $(rowmill api GET /v1/datasets --paginate | jq -r "select(.createdAt < \"$before\").id"); do
  rowmill datasets delete "$id"
done
# #endregion
