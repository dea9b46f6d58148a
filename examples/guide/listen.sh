# #region receiver
SIGNING_SECRET=$(rowmill listen --print-secret) PORT=3055 python3 receivers/python/receiver.py > receiver.log 2>&1 &
# #endregion
until_port_listens 3055

# #region listen
rowmill listen --forward-to http://localhost:3055/hooks/rowmill > listen.log 2>&1 &
# #endregion
until_events_are_forwarded

# #region trigger
rowmill trigger run.finished
# #endregion

# #region received
grep accepted receiver.log
# #endregion
