# How a checkout is set up: README.md and CONTRIBUTING.md.

# #region demo
npm install
npm run demo
# #endregion

# #region contribute
npm ci
npm run demo     # the main job end to end, on real data
npm start        # the service on http://127.0.0.1:8080
# #endregion
