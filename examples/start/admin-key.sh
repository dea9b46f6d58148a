# A new admin key: docs/operations/run.md.
(
  # #region key
  export ROWMILL_ADMIN_KEY="rma_$(openssl rand -hex 20)"
  echo "$ROWMILL_ADMIN_KEY"
  rowmill server
  # #endregion
) >server.log 2>&1 &
until_ready
key=$(head -n 1 server.log)
curl -sf "http://127.0.0.1:$ROWMILL_PORT/v1/organizations" -H "Authorization: Bearer $key"
