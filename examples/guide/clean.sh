# #region run
rowmill map contacts.csv --transform clean.js -o clean.csv
# #endregion

# #region table
cat clean.csv
# #endregion

# #region test
rowmill specs test @last --dataset @last --count 5
# #endregion
