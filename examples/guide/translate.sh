# #region run
rowmill map products.csv --model gpt-5-mini --price 0.25/2.00 --max-cost 1 --temperature 0 \
  --system 'You translate product texts into French. Keep names, numbers and units as they are.' \
  --prompt '{{title}}: {{description}}' \
  --out 'title_fr, description_fr' -o products.fr.csv
# #endregion
