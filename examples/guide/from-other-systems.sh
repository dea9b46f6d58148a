set -o pipefail
# The practice model takes any key; commands that ask for none do not see it.
OPENAI_API_KEY=sk-practice
ends_with() { code=$?; [ "$code" -eq "$1" ] || { echo "It ended with $code, and not with $1."; exit 1; }; }

# #region connection
echo "$OPENAI_API_KEY" |
  rowmill connect http --name Requests --base-url https://api.openai.com/v1 --key-file -
# #endregion
ends_with 0

# #region custom-ids
jq -r .custom_id batch-input.jsonl | sort | uniq -d
# #endregion
ends_with 0

# #region batch
rowmill map batch-input.jsonl --http 'POST /chat/completions' --connection Requests \
  --header 'authorization: Bearer {{connection.secret}}' --body '{{body}}' --yes -o batch.jsonl
# #endregion
ends_with 3

# #region batch-files
rowmill export -o succeeded.jsonl --type outputs --include-input
jq -c '{custom_id: .input.custom_id, response: {status_code: 200, body: .data}, error: null}' \
  succeeded.jsonl > output.jsonl
rowmill export -o failed.jsonl --type failures --include-input
jq -c '{custom_id: .input.custom_id, response: {status_code: .details.status, body: .details.answer}, error: {code, message}}' \
  failed.jsonl > error.jsonl
# #endregion
ends_with 0

# #region batch-lines
jq -r '[.custom_id, .response.status_code, .response.body.object] | @tsv' output.jsonl
jq -r '[.custom_id, .response.status_code, .error.code] | @tsv' error.jsonl
# #endregion
ends_with 0

# #region prompt
jq -c 'select(.body.messages | type == "array")' batch-input.jsonl > prompts.jsonl
rowmill map prompts.jsonl --model gpt-5-mini --price 0.25/2 --max-cost 1 \
  --system '{{body.messages[0].content}}' --prompt '{{body.messages[1].content}}' -o prompts.csv
# #endregion
ends_with 0

# #region tolerated
cat > cities.json <<'JSON'
{
  "processor": { "type": "http", "method": "GET", "url": "https://api.example.com/companies/{{id}}" },
  "retry": { "maxAttempts": 3, "initialDelayMs": 1000, "multiplier": 2 },
  "failurePolicy": { "maxFailedPercent": 30, "minEvaluatedRows": 4 }
}
JSON
rowmill map companies.csv --spec cities.json --concurrency 2 --yes -o cities.csv
# #endregion
ends_with 3

# #region redrive
rowmill map companies.csv --spec cities.json --yes -o cities.csv --retry
# #endregion

# #region worker
node queue-worker.js 3055 &
# #endregion
until_port_listens 3055

# #region queue
rowmill map companies.csv --http 'POST http://127.0.0.1:3055/' --concurrency 20 --yes -o letters.csv
# #endregion
ends_with 0

# #region letters
cat letters.csv
# #endregion
ends_with 0
