# As `rowmill dev` leaves it, whose port is another one here.
mkdir -p ~/.local/share/rowmill/dev && echo "$ROWMILL_API_KEY" > ~/.local/share/rowmill/dev/key
service=$ROWMILL_URL

# #region key
export ROWMILL_URL=http://127.0.0.1:8080 ROWMILL_API_KEY=$(cat ~/.local/share/rowmill/dev/key)
# #endregion
export ROWMILL_URL=$service

# #region steps
api() { curl -sS -H "Authorization: Bearer $ROWMILL_API_KEY" -H "Content-Type: application/json" -H "Idempotency-Key: $RANDOM-$RANDOM-$RANDOM" "$@"; }

UPLOAD=$(api "$ROWMILL_URL/v1/dataset-uploads" -d '{"name": "Two rows", "source": {"type": "inline", "rows": [{"n": 1}, {"n": 2}]}}' | jq -r .id)
DATASET=$(api "$ROWMILL_URL/v1/dataset-uploads/$UPLOAD?waitSeconds=30" | jq -r .datasetId)

SPEC=$(api "$ROWMILL_URL/v1/job-specs" -d '{"name": "Double", "processor": {"type": "transform", "code": "export default (row) => ({ twice: row.n * 2 })"}}' | jq -r .id)
RUN=$(api "$ROWMILL_URL/v1/runs" -d "{\"datasetId\": \"$DATASET\", \"jobSpecId\": \"$SPEC\", \"scope\": {\"type\": \"all\"}}" | jq -r .id)
api "$ROWMILL_URL/v1/runs/$RUN?waitSeconds=30" | jq -c '{state, rows}'

EXPORT=$(api "$ROWMILL_URL/v1/runs/$RUN/exports" -d '{"type": "resolved_results", "layout": "flat", "format": "csv"}' | jq -r .id)
api "$ROWMILL_URL/v1/exports/$EXPORT?waitSeconds=30" | jq -c '{status, rowCount}'
api "$ROWMILL_URL/v1/exports/$EXPORT/download"
# #endregion
