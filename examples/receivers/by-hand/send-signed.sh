# Sends a signed event of your own making to your own receiver.
RECEIVER=${RECEIVER:-http://127.0.0.1:3000/hooks/rowmill}
id=evt_0000000000e008000000000000
timestamp=$(date +%s)
body='{"id":"'$id'","type":"test.ping","apiVersion":"v1","createdAt":"2026-01-01T00:00:00.000Z","organizationId":"org_0000000000e008000000000000","test":true,"data":{"object":"test","url":"/"}}'

own=$(printf '%s.%s' "$timestamp" "$body" | openssl dgst -sha256 -hmac "$SIGNING_SECRET" | sed 's/^.* //')
key=$(printf '%s' "${SIGNING_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
standard=$(printf '%s.%s.%s' "$id" "$timestamp" "$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)

curl -sS -w '%{http_code}\n' "$RECEIVER" --data-binary "$body" -H 'content-type: application/json' \
  -H "Service-Webhook-Id: $id" -H "Service-Webhook-Timestamp: $timestamp" -H "Service-Webhook-Signature: v1=$own" \
  -H "webhook-id: $id" -H "webhook-timestamp: $timestamp" -H "webhook-signature: v1,$standard"
