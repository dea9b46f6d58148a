# #region connect
rowmill connect openai --price 0.25/2.00
# #endregion

# #region script
#!/usr/bin/env bash
# nightly.sh: label the reviews, once, within two dollars.
set -u
day=$(date +%F)
rowmill map reviews.csv --model gpt-5-mini --connection openai --max-cost 2 \
  --prompt 'Label this review: {{review}}' --out 'mood: good|bad|mixed' \
  -o "moods-$day.csv" --quiet
case $? in
  0) echo "$day: all rows succeeded" ;;
  3) echo "$day: some rows failed; see rowmill failures @last" ;;
  6) echo "$day: the budget is used up, or something has to be agreed to" >&2; exit 1 ;;
  *) echo "$day: it did not finish; the same command continues it" >&2; exit 1 ;;
esac
# #endregion
