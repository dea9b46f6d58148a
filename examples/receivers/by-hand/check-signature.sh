# body.json holds the body as it came, without a line end of your editor's; the values are those of the headers.
TIMESTAMP=${TIMESTAMP:-1790000000}       # Service-Webhook-Timestamp
SIGNATURE=${SIGNATURE:-v1=0123456789abcdef}  # Service-Webhook-Signature

expected=v1=$({ printf '%s.' "$TIMESTAMP"; cat body.json; } | openssl dgst -sha256 -hmac "$SIGNING_SECRET" | sed 's/^.* //')
if [ "$SIGNATURE" = "$expected" ]; then echo genuine; else echo "forged, or another secret: expected $expected"; fi
