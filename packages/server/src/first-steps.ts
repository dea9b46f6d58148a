/** What the first start prints: lines that lead from nothing to a processed file when they are pasted into a shell. */

/** bash and zsh run them as they stand; `curl` is all they need. A test runs them. */
export function firstSteps(url: string, madeAdminKey: string | undefined): string {
  const lines = [
    madeAdminKey === undefined
      ? 'ADMIN_KEY="${ROWMILL_ADMIN_KEY:?set it to the admin key of this installation}"'
      : `ADMIN_KEY=${madeAdminKey}`,
    `URL=${url}`,
    `api() { curl -sS -H "Authorization: Bearer $1" -H "Content-Type: application/json" -H "Idempotency-Key: $RANDOM-$RANDOM-$RANDOM" "$URL$2" "\${@:3}"; }`,
    `value() { grep -o "\\"$1\\":\\"[^\\"]*\\"" | head -n 1 | cut -d '"' -f 4; }`,
    `ORGANIZATION=$(api "$ADMIN_KEY" /v1/organizations -d '{"name":"Acme"}' | value id)`,
    `export ROWMILL_URL=${url} ROWMILL_API_KEY=$(api "$ADMIN_KEY" "/v1/organizations/$ORGANIZATION/api-keys" -d '{"name":"First","scopes":["*"]}' | value key)`,
    String.raw`printf 'name,city\nAda,London\nGrace,New York\n' > people.csv`,
    `UPLOAD=$(api "$ROWMILL_API_KEY" /v1/dataset-uploads -d '{"name":"People","source":{"type":"upload","filename":"people.csv"}}' | value id)`,
    `curl -sS -o /dev/null -T people.csv -H "Authorization: Bearer $ROWMILL_API_KEY" "$URL/v1/dataset-uploads/$UPLOAD/content"`,
    `until api "$ROWMILL_API_KEY" "/v1/dataset-uploads/$UPLOAD?waitSeconds=30" | grep -qE '"state":"(completed|failed)"'; do sleep 1; done`,
    `DATASET=$(api "$ROWMILL_API_KEY" "/v1/dataset-uploads/$UPLOAD" | value datasetId)`,
    String.raw`SPEC=$(api "$ROWMILL_API_KEY" /v1/job-specs -d '{"name":"Labels","processor":{"type":"transform","code":"export default (row) => ({ label: row.name + \", \" + row.city })"}}' | value id)`,
    `RUN=$(api "$ROWMILL_API_KEY" /v1/runs -d '{"datasetId":"'"$DATASET"'","jobSpecId":"'"$SPEC"'","scope":{"type":"all"}}' | value id)`,
    `api "$ROWMILL_API_KEY" "/v1/runs/$RUN?waitSeconds=30"; echo`,
    `EXPORT=$(api "$ROWMILL_API_KEY" "/v1/runs/$RUN/exports" -d '{"type":"outputs","format":"csv","includeInput":true}' | value id)`,
    `until api "$ROWMILL_API_KEY" "/v1/exports/$EXPORT?waitSeconds=30" | grep -qE '"status":"(ready|failed)"'; do sleep 1; done`,
    `curl -sS -f -H "Authorization: Bearer $ROWMILL_API_KEY" -o labels.csv "$URL/v1/exports/$EXPORT/download" && cat labels.csv`,
  ];
  return [
    madeAdminKey === undefined
      ? "There is no organization yet. From nothing to a processed file; paste these lines into bash or zsh:"
      : "The admin key of this installation is in the first line below. It is shown only this once: keep it.\n" +
        "From nothing to a processed file; paste these lines into bash or zsh:",
    "",
    ...lines.map((line) => `  ${line}`),
    "",
    `ROWMILL_API_KEY is the key of the organization; the command rowmill uses it in this shell, too. What it can do is described at ${url}/docs.`,
  ].join("\n");
}
