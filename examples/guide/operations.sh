# The steps of docs/guide/tutorials/operations.md, in their order.

# #region install
npm install
export PATH="$PATH:$PWD/node_modules/.bin"
cp examples/guide/reviews.csv .
# #endregion

# #region folders
sudo install -d -o "$(id -un)" /var/lib/rowmill /var/lib/rowmill-api /var/lib/rowmill-w1 /var/lib/rowmill-w2 /srv/rowmill /backups
# #endregion

# #region start
export ROWMILL_DATA_DIR=/var/lib/rowmill
export ROWMILL_INIT_ORGANIZATION=Acme ROWMILL_INIT_KEY_FILE=acme.key
rowmill server > server.log 2>&1 &
# #endregion
until_ready

# #region key
export ROWMILL_URL=http://127.0.0.1:8080 ROWMILL_API_KEY=$(cat acme.key)
# #endregion
export ROWMILL_URL="http://127.0.0.1:$ROWMILL_PORT"

# #region first
echo 'export default ({ review }) => ({ words: review.split(" ").length });' > words.js
rowmill map reviews.csv --transform words.js -o before.csv
# #endregion

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
ROWMILL_ROLE=api ROWMILL_DATA_DIR=/var/lib/rowmill-api rowmill server > api.log 2>&1 &
ROWMILL_ROLE=worker ROWMILL_DATA_DIR=/var/lib/rowmill-w1 ROWMILL_PORT=0 rowmill server > w1.log 2>&1 &
ROWMILL_ROLE=worker ROWMILL_DATA_DIR=/var/lib/rowmill-w2 ROWMILL_PORT=0 rowmill server > w2.log 2>&1 &
# #endregion
until_ready

# #region restored
rowmill map reviews.csv --transform words.js -o after.csv
cmp before.csv after.csv && echo the same table
# #endregion

# #region kill
kill -9 %?w2
# #endregion

# #region run
rowmill map reviews.csv --mock -o moods.csv
# #endregion

# #region end
kill %?api %?w1
# #endregion
