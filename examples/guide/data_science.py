# #region before
import pandas
import rowmill

reviews = pandas.read_csv("reviews.csv", index_col="id")
options = {
    "prompt": "What mood does this review have? {{review}}",
    "model": "gpt-5-mini",
    "base_url": "http://127.0.0.1:11500/v1",
    "price": "0.25/2.00",
    "max_output_tokens": 60,
    "schema": "mood: good|bad|mixed, confidence number",
}
try:
    rowmill.map(reviews, **options)
except rowmill.PriceNotAgreedError as error:
    cost = error.estimate["estimate"]["costUsd"]
    print(f"${cost['low']} to ${cost['high']}")
# #endregion

# #region map
labeled = rowmill.map(reviews, **options, max_cost=1)
print(labeled["mood"].value_counts().to_dict())
print(labeled[labeled["row_state"] == "failed"][["review", "failure_code"]].to_string())
# #endregion

# #region again
again = rowmill.map(reviews, **options, max_cost=1)
print(again.equals(labeled))
# #endregion
