set -eo pipefail
# What connections ask for; no such service is called here.
export OPENAI_API_KEY=sk-practice COMPANIES_KEY=practice

# #region api
api() { curl -sS --fail-with-body -H "Authorization: Bearer $ROWMILL_API_KEY" -H "Content-Type: application/json" -H "Idempotency-Key: $RANDOM-$RANDOM-$RANDOM" "$@"; }
# #endregion

# #region connection
CONNECTION=$(api "$ROWMILL_URL/v1/connections" -d '{
  "type": "openai_compatible", "name": "OpenAI", "baseUrl": "https://api.openai.com/v1", "secret": "'"$OPENAI_API_KEY"'",
  "rateLimit": {"requestsPerMinute": 500, "tokensPerMinute": 200000},
  "prices": {"models": {"gpt-5-mini": {"inputUsdPerMillionTokens": "0.25", "outputUsdPerMillionTokens": "2.00"}}}
}' | jq -r .id)
api -X POST "$ROWMILL_URL/v1/connections/$CONNECTION/test" | jq -c '{ok, status, message}'
# #endregion

# #region ollama
OLLAMA=$(api "$ROWMILL_URL/v1/connections" -d '{"type": "openai_compatible", "name": "Ollama", "baseUrl": "http://127.0.0.1:11434/v1"}' | jq -r .id)
# #endregion

# #region llm
SPEC=$(api "$ROWMILL_URL/v1/job-specs" -d '{
  "name": "Review labels",
  "processor": {
    "type": "llm", "connection": "'"$CONNECTION"'", "model": "gpt-5-mini",
    "messages": [
      {"role": "system", "content": "You label reviews of products."},
      {"role": "user", "content": "Label this review: {{row.review | truncate: 4000}}"}
    ],
    "outputSchema": {
      "type": "object", "additionalProperties": false, "required": ["mood", "confidence"],
      "properties": {"mood": {"enum": ["good", "bad", "mixed"]}, "confidence": {"type": "number", "minimum": 0, "maximum": 1}}
    },
    "fallbacks": [{"connection": "'"$OLLAMA"'", "model": "llama3.2"}]
  }
}' | jq -r .id)
api "$ROWMILL_URL/v1/job-specs/$SPEC/test" -d '{"rows": [{"review": "Really good, I use it every day."}]}' | jq -c '.outputs[].data, .failures[].code'
# #endregion

# #region estimate
DATASET=$(api "$ROWMILL_URL/v1/datasets" | jq -r '.data[0].id')
api "$ROWMILL_URL/v1/runs" -d '{"datasetId": "'"$DATASET"'", "jobSpecId": "'"$SPEC"'", "scope": {"type": "all"}, "dryRun": true}' | jq .
# #endregion

# #region http
COMPANIES=$(api "$ROWMILL_URL/v1/connections" -d '{"type": "http", "name": "Companies", "baseUrl": "https://api.example.com", "secret": "'"$COMPANIES_KEY"'"}' | jq -r .id)
CITIES=$(api "$ROWMILL_URL/v1/job-specs" -d '{
  "name": "Cities of companies",
  "processor": {
    "type": "http", "method": "GET", "connection": "'"$COMPANIES"'",
    "url": "/companies/{{row.id}}",
    "headers": {"authorization": "Bearer {{connection.secret}}"},
    "responsePath": "city",
    "expect": {"status": [200]}, "timeoutMs": 10000, "maxResponseBytes": 65536
  }
}' | jq -r .id)
api "$ROWMILL_URL/v1/job-specs/$CITIES/test" -d '{"rows": [{"id": 7}]}' | jq -c '.outputs[].data, .failures[].code'
# #endregion

# #region transform
TOTALS=$(jq -n --rawfile code total.js '{name: "Totals", processor: {type: "transform", code: $code}}' | api "$ROWMILL_URL/v1/job-specs" -d @- | jq -r .id)
api "$ROWMILL_URL/v1/job-specs/$TOTALS/test" -d '{"rows": [{"id": 1, "price": 1.1, "count": 3}]}' | jq -c '.outputs[].data, .failures[].code'
# #endregion

# #region stream
curl -sSN "$ROWMILL_URL/v1/events/stream?type=run.*,export.ready" -H "Authorization: Bearer $ROWMILL_API_KEY" > events.log &
# #endregion

# #region endpoint
api "$ROWMILL_URL/v1/webhook-endpoints" -d '{"url": "https://hooks.example.com/hooks/rowmill", "eventTypes": ["run.finished", "export.ready"]}' | jq '{id, enabled, signingSecret}'
# #endregion
