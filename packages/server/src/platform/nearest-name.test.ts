import { describe, expect, test } from "vitest";
import { didYouMean, nearestName } from "./nearest-name.ts";

describe("the nearest name", () => {
  test.each([
    ["dataset_id", ["jobSpecId", "datasetId", "scope"], "datasetId"],
    ["DatasetID", ["jobSpecId", "datasetId", "scope"], "datasetId"],
    ["datasteId", ["jobSpecId", "datasetId", "scope"], "datasetId"],
    ["nmae", ["name", "metadata"], "name"],
    ["PROT", ["HOST", "PORT"], "PORT"],
    ["suceeded", ["succeeded", "failed"], "succeeded"],
    ["frobnicate", ["name", "scope"], undefined],
    ["", ["name"], undefined],
    ["_", ["name"], undefined],
    ["x".repeat(100_000), ["name"], undefined],
    ["constructor", ["name"], undefined],
    ["n", ["id"], undefined],
  ])("of %j among %j is %j", (name, known, nearest) => {
    expect(nearestName(name, known)).toBe(nearest);
  });

  test("is what an alias says, where that exists", () => {
    const aliases = { apikey: ["secret"], limit: ["count"] };
    expect(nearestName("apiKey", ["name", "secret"], aliases)).toBe("secret");
    expect(nearestName("API_KEY", ["name", "secret"], aliases)).toBe("secret");
    expect(nearestName("apiKey", ["apikeys"], aliases)).toBe("apikeys");
    expect(nearestName("limit", ["limits", "count"], aliases)).toBe("count");
    expect(nearestName("constructor", ["name"], aliases)).toBeUndefined();
  });

  test("becomes a question, or nothing", () => {
    expect(didYouMean("dataset_id", ["datasetId"])).toBe(" Did you mean `datasetId`?");
    expect(didYouMean("frobnicate", ["datasetId"])).toBe("");
  });
});
