# #region run
rowmill map reviews.csv --limit 6 --model gpt-5-mini --price 0.25/2.00 --max-output-tokens 60 --max-cost 1 \
  --prompt 'Label this review: {{review}}' \
  --out 'mood: good|bad|mixed, urgent boolean: needs a response today' -o moods.csv
# #endregion

# #region table
cat moods.csv
# #endregion
