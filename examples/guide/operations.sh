# The steps of docs/guide/tutorials/operations.md, in their order.

# #region install
export ROWMILL_DATA_DIR=/var/lib/rowmill
rowmill server > server.log &
# #endregion
until_ready

# #region backup
rowmill backup /backups/monday.tar
# #endregion

# #region stop
kill %1
wait %1
# #endregion

# #region restore
export ROWMILL_DATABASE_URL=postgres://rowmill:password@db.example.com/rowmill
export ROWMILL_STORAGE_URL=file:///srv/rowmill/files
export ROWMILL_ENCRYPTION_KEY=$(cat /var/lib/rowmill/encryption-key)
rowmill restore /backups/monday.tar
# #endregion

# #region scale
export ROWMILL_METRICS_PORT=off
ROWMILL_ROLE=api ROWMILL_DATA_DIR=/var/lib/rowmill-api rowmill server > api.log &
ROWMILL_ROLE=worker ROWMILL_DATA_DIR=/var/lib/rowmill-w1 ROWMILL_PORT=0 rowmill server > w1.log &
ROWMILL_ROLE=worker ROWMILL_DATA_DIR=/var/lib/rowmill-w2 ROWMILL_PORT=0 rowmill server > w2.log &
# #endregion
until_ready

export ROWMILL_URL="http://127.0.0.1:$ROWMILL_PORT" ROWMILL_API_KEY="$(cat key)"
kill -9 %?w2
# #region run
rowmill map reviews.csv --mock -o moods.csv
# #endregion
