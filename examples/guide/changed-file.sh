# #region first
rowmill map reviews.csv --model gpt-5-mini --price 0.25/2 --max-cost 1 \
  --prompt 'Label this review: {{review}}' --out 'mood: good|bad|mixed' -o moods.csv
# #endregion

# #region change
sed -e 2d -e '4s/never replied/replied at once/' reviews.csv > next-week.csv
echo '121,Kettle,2026-11-27,"Really bad, it broke after a week."' >> next-week.csv
# #endregion

# #region again
rowmill map next-week.csv --model gpt-5-mini --price 0.25/2 --max-cost 1 \
  --prompt 'Label this review: {{review}}' --out 'mood: good|bad|mixed' -o moods-next-week.csv
# #endregion

# #region table
head -n 4 moods-next-week.csv
# #endregion
