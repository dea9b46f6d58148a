# The commands of docs/deployment.md.

# #region compose
docker compose up -d
docker compose logs rowmill      # the admin key and a way in, printed by the first start only
# #endregion

# #region scale
cp deploy/scale.env.example .env          # and fill it in
docker compose -f compose.scale.yaml up -d --scale api=2 --scale worker=4
# #endregion

# #region systemd
sudo git clone https://example.com/rowmill.git /opt/rowmill && cd /opt/rowmill && sudo npm ci
sudo install -D -m 600 /dev/stdin /etc/rowmill/rowmill.env <<'END'
ROWMILL_PUBLIC_URL=https://rowmill.example.com
END
sudo install -m 644 deploy/rowmill.service /etc/systemd/system/ && sudo systemctl daemon-reload
sudo systemctl enable --now rowmill && journalctl -u rowmill
# #endregion

# #region systemd-backup
sudo install -m 644 deploy/rowmill-backup.service deploy/rowmill-backup.timer /etc/systemd/system/ && sudo systemctl daemon-reload
sudo systemctl enable --now rowmill-backup.timer    # every night
sudo systemctl start rowmill-backup                 # and now
sudo ls -l /var/lib/rowmill/backups/
# #endregion

# #region systemd-upgrade
sudo systemctl start rowmill-backup && cd /opt/rowmill && sudo git pull && sudo npm ci &&
  sudo systemctl restart rowmill && journalctl -u rowmill -n 20
# #endregion

# #region systemd-restore
sudo systemctl stop rowmill
# now move everything out of /var/lib/rowmill, and put monday.tar and encryption-key into it
sudo chown --reference=/var/lib/rowmill/ /var/lib/rowmill/monday.tar /var/lib/rowmill/encryption-key
sudo systemd-run --pipe --wait -p DynamicUser=yes -p User=rowmill -p StateDirectory=rowmill \
  -p EnvironmentFile=-/etc/rowmill/rowmill.env -E ROWMILL_DATA_DIR=/var/lib/rowmill --working-directory=/opt/rowmill \
  /opt/rowmill/node_modules/node/bin/node --conditions=@rowmill/source packages/server/src/backup/program.ts restore /var/lib/rowmill/monday.tar
sudo systemctl start rowmill
# #endregion
