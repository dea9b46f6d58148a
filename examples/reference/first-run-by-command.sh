# ROWMILL_URL and ROWMILL_API_KEY are set.
cat > reviews.jsonl <<'END'
{"text": "Great value.", "stars": 5}
{"text": "Broke after a week.", "stars": 1}
END
echo 'export default (row) => (row.stars > 3 ? "positive" : "negative");' > label.js

rowmill map reviews.jsonl --transform label.js -o labels.jsonl
cat labels.jsonl
