# #region run
import rowmill

result = rowmill.map(
    "reviews.csv",
    prompt="Label this review: {{review}}",
    model="gpt-5-mini",
    base_url="http://127.0.0.1:11500/v1",
    price="0.25/2.00",
    schema="mood: good|bad|mixed, urgent boolean",
    limit=6,
    max_cost=1,
)
for row in result:
    print(row["id"], row["mood"], row["urgent"])
# #endregion
