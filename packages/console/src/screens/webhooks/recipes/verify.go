package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// IsGenuine takes the bytes of the body as they came, and the secret, "whsec_...".
func IsGenuine(header http.Header, body []byte, secret string) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	// Five minutes: an old delivery that somebody has recorded is refused.
	if err != nil || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	// Two signatures while a secret is being rotated: one that matches is enough.
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal(expected, []byte(given)) {
			return true
		}
	}
	return false
}
