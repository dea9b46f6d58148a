# #region run
rowmill map mails.jsonl --model gpt-5-mini --price 0.25/2.00 --max-cost 1 \
  --system 'Extract the invoice from the mail. Use null for what it does not say.' --prompt '{{mail}}' \
  --out invoice.json -o invoices.jsonl
# #endregion

# #region table
jq -c . invoices.jsonl
# #endregion
