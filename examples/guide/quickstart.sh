# The steps of docs/guide/quickstart.md, in their order.

# #region install
npm install
export PATH="$PATH:$PWD/node_modules/.bin"
# #endregion

# #region service
rowmill dev &
# #endregion
until_it_listens

# #region folder
mkdir ~/first && cp examples/guide/reviews.csv ~/first && cd ~/first
# #endregion

# #region model
export OPENAI_BASE_URL=http://127.0.0.1:11500/v1
# #endregion

# #region price
rowmill map reviews.csv --prompt 'What mood does this review have? {{review}}' \
  --model gpt-5-mini --price 0.25/2.00 --max-output-tokens 60 \
  --out 'mood: good|bad|mixed, confidence number' -o labeled.csv
# #endregion

# #region start
rowmill map reviews.csv --prompt 'What mood does this review have? {{review}}' \
  --model gpt-5-mini --price 0.25/2.00 --max-output-tokens 60 \
  --out 'mood: good|bad|mixed, confidence number' -o labeled.csv \
  --max-cost 1 --concurrency 1 &
# #endregion
until_rows_succeed

# #region status
rowmill runs show @last
# #endregion

# #region kill
kill -9 %?dev $(head -n 1 ~/.local/share/rowmill/dev/data/postgres/cluster/pgdata/postmaster.pid)
# #endregion
wait

# #region again
rowmill dev &
# #endregion
until_it_listens

# #region resume
rowmill map reviews.csv --prompt 'What mood does this review have? {{review}}' \
  --model gpt-5-mini --price 0.25/2.00 --max-output-tokens 60 \
  --out 'mood: good|bad|mixed, confidence number' -o labeled.csv \
  --max-cost 1
# #endregion

# #region table
grep -n '' labeled.csv | sed -n '1,4p;38p' | cut -d: -f2-
# #endregion

# #region failures
rowmill failures
# #endregion

# #region end
kill %?dev
# #endregion
wait
