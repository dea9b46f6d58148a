# #region run
rowmill map companies.csv --http 'GET https://api.example.com/companies/{{id}}' \
  --out 'city, employees integer' --yes -o enriched.csv
# #endregion
echo "exit code $?"

# #region table
cat enriched.csv
# #endregion

# #region failures
rowmill failures @last
# #endregion
