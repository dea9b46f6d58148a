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
