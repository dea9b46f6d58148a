# ROWMILL_URL and ROWMILL_API_KEY are set. Responses are JSON: jq reads them better than this.
member() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }
get() { curl -sSf "$ROWMILL_URL$1" -H "Authorization: Bearer $ROWMILL_API_KEY"; }
post() {
  curl -sSf "$ROWMILL_URL$1" -H "Authorization: Bearer $ROWMILL_API_KEY" \
    -H "Content-Type: application/json" -H "Idempotency-Key: $(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')" -d "$2"
}

upload=$(post /v1/dataset-uploads '{"name": "Reviews", "source": {"type": "inline", "rows": [
  {"text": "Great value.", "stars": 5}, {"text": "Broke after a week.", "stars": 1}]}}' | member id)
dataset=$(get "/v1/dataset-uploads/$upload?waitSeconds=30" | member datasetId)

spec=$(post /v1/job-specs '{"name": "Label reviews", "processor": {"type": "transform",
  "code": "export default (row) => (row.stars > 3 ? \"positive\" : \"negative\");"}}' | member id)
run=$(post /v1/runs "{\"datasetId\": \"$dataset\", \"jobSpecId\": \"$spec\", \"scope\": {\"type\": \"all\"}}" | member id)

get "/v1/runs/$run?waitSeconds=30" | member state
get "/v1/runs/$run/outputs" | grep -o '"index":[0-9]*,"data":"[a-z]*"'
