package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	maxBodyBytes = 64 << 10

	// The clocks of both sides may differ so much.
	tolerance = 5 * time.Minute
)

type event struct {
	ID   string          `json:"id"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

func main() {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("SIGNING_SECRET"), "whsec_"))
	if err != nil || len(key) == 0 {
		log.Fatal("SIGNING_SECRET is not a signing secret")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/hooks/rowmill", func(w http.ResponseWriter, r *http.Request) {
		// The signature is over the bytes as they came.
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
		if err != nil || r.Method != http.MethodPost || !isGenuine(r.Header, body, key) {
			http.Error(w, "forged", http.StatusBadRequest)
			return
		}
		var received event
		if err := json.Unmarshal(body, &received); err != nil {
			http.Error(w, "not an event", http.StatusBadRequest)
			return
		}
		if err := accept(received); err != nil {
			// The event comes again.
			http.Error(w, "not stored", http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr())
	server := &http.Server{Handler: mux, ReadTimeout: 15 * time.Second}
	log.Fatal(server.Serve(listener))
}

func isGenuine(header http.Header, body, key []byte) bool {
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", header.Get("webhook-id"), timestamp)
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// Several while a rotation is under way; one that matches is enough.
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(expected), []byte(given)) {
			return true
		}
	}
	return false
}

// accept stores the event, once for each ID; the work on it comes later.
func accept(received event) error {
	fmt.Println("accepted", received.ID, received.Type)
	return nil
}
