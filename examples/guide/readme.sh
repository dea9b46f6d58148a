# #region run
rowmill map reviews.csv --model gpt-5-mini --price 0.25/2 --max-cost 1 \
  --prompt 'Label this review: {{review}}' --out 'mood: good|bad|mixed' -o moods.csv
# #endregion

# #region table
head -n 4 moods.csv
# #endregion
