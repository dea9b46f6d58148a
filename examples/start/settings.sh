# Settings of docs/operations/ and docs/processors.md: tests/start-examples.test.ts starts services with them.

# #region bucket
export ROWMILL_STORAGE_URL=s3://my-bucket/rowmill?region=eu-central-1
# #endregion

# #region other-server
export ROWMILL_STORAGE_URL='s3://my-bucket/rowmill?endpoint=https://s3.example.com'
# #endregion

# #region trusted-proxies
export ROWMILL_TRUSTED_PROXIES=10.0.0.0/8,fd00::/8,192.0.2.7
# #endregion

# #region browsers
export ROWMILL_CORS_ORIGINS=https://app.example.com,http://localhost:5173
# #endregion

# #region receivers
export ROWMILL_EGRESS_CONNECT_OVERRIDES=hooks.example.com:443=10.0.0.7:9443
export ROWMILL_EGRESS_EXTRA_CA=/etc/rowmill/internal-ca.pem
# #endregion

# #region name-servers
export ROWMILL_EGRESS_NAME_SERVERS=10.0.0.2,10.0.0.3:5353
# #endregion

# #region models
export ROWMILL_CONNECTION_ALLOWED_ORIGINS=http://127.0.0.1:11434,http://10.0.0.5:8000
# #endregion

# #region outgoing-proxy
export ROWMILL_EGRESS_PROXY=http://rowmill:password@proxy.example.com:3128
# #endregion
