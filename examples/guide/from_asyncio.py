# #region map
import rowmill

result = rowmill.map(
    "companies.csv",
    spec={
        "processor": {"type": "http", "method": "GET", "url": "https://api.example.com/companies/{{id}}"},
        "retry": {"maxAttempts": 5},  # tenacity.stop_after_attempt(5)
    },
    concurrency=20,  # asyncio.Semaphore(20)
    yes=True,
)
for row in result:
    print(row["id"], row["city"], row["row_state"])
# #endregion
