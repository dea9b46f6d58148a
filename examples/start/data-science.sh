# The terminals of docs/guide/tutorials/data-science.md.
(
  # #region service
  npm install
  export PATH="$PATH:$PWD/node_modules/.bin"
  rowmill dev
  # #endregion
) &

(
  # #region model
  npm run demo:model
  # #endregion
) &

unset PYTHONPATH
ln -s "$PYTHON" ~/bin/python3
sed "s/11500/$MODEL_PORT/" examples/guide/data_science.py > data_science.py
# #region client
python3 -m venv --system-site-packages .venv
. .venv/bin/activate
pip install ./clients/python
cp examples/guide/reviews.csv .
# #endregion

until_it_listens
until_port_listens "$MODEL_PORT"
echo "rowmill is in $(python3 -c 'import rowmill; print(rowmill.__file__)')"
# #region notebook
python3 data_science.py
# #endregion
