# The terminals of docs/guide/tutorials/backend.md.
sed "s/3055/$FREE_PORT/" backend.ts > orders.ts

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
