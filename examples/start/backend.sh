# The terminals of docs/guide/tutorials/backend.md.
cp backend.ts orders.ts
sed -i "s/3055/$FREE_PORT/" orders.ts

(
  # #region service
  export PATH="$PATH:$PWD/node_modules/.bin"
  rowmill dev
  # #endregion
) &
until_it_listens

# #region run
node_modules/.bin/node --conditions=@rowmill/source orders.ts
# #endregion
