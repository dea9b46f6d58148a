# #region run
rowmill map contacts.csv --transform clean.js -o clean.csv
# #endregion

# #region table
cat clean.csv
# #endregion
