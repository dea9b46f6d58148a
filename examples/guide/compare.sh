# #region samples
rowmill map reviews.csv --sample 40 --seed 1 --model gpt-5-mini --price 0.25/2 --max-cost 1 \
  --prompt 'Label this review: {{review}}' --out 'mood: good|bad|mixed' -o asked.csv

echo 'export default ({ review }) => ({ mood: /good|great|love/i.test(review) ? "good" : "bad" })' > rule.js
rowmill map reviews.csv --sample 40 --seed 1 --transform rule.js -o ruled.csv
# #endregion

# #region differences
diff asked.csv ruled.csv
# #endregion

# #region all
rowmill map reviews.csv --model gpt-5-mini --price 0.25/2 --max-cost 1 \
  --prompt 'Label this review: {{review}}' --out 'mood: good|bad|mixed' -o moods.csv
# #endregion
echo "exit code $?"
