/** Values that a filter of a list takes, and values that it refuses. */
import type { Filter } from "@rowmill/contract/pagination";
import { unknownId } from "./operations.ts";

export function badValues(filter: Filter): string[] {
  const always = ["", "%00"];
  switch (filter.kind) {
    case "enum": {
      const [first = ""] = filter.values;
      return [
        ...always,
        "frobnicate",
        `${first},`,
        `${first},frobnicate`,
        first.toUpperCase(),
        `${first};${first}`,
        "constructor",
      ];
    }
    case "choice": {
      const [first = ""] = filter.values;
      return [...always, "frobnicate", `${first},${filter.values.at(-1)}`, first.toUpperCase(), "constructor"];
    }
    case "index":
      return [...always, "-1", "x", "1.5", "1e3", "0x10", "1000000000", "9".repeat(40), "1,2"];
    case "date":
      return [
        ...always,
        "today",
        "2026-11-20T09:30:00Z",
        "2026-02-30",
        "2026-13-01",
        "2026-00-10",
        "26-11-20",
        "1969-12-31",
        "20261120",
        "2026-11-20%20",
        "%2B2026-11-20",
      ];
    case "id":
      return [
        ...always,
        "x",
        unknownId("request"),
        unknownId(filter.of).slice(0, -1),
        `${unknownId(filter.of)}0`,
        unknownId(filter.of).toUpperCase(),
      ];
    case "boolean":
      return [...always, "yes", "1", "0", "TRUE", "true,false", "null"];
    case "timestamp":
      return [
        ...always,
        "yesterday",
        "2026-11-20",
        "2026-11-20T09:30:00",
        "2026-13-20T09:30:00Z",
        "2026-02-30T09:30:00Z",
        "1795000000",
        "2026-11-20T25:00:00Z",
        "2026-11-20 09:30:00Z",
        "+020260-11-20T09:30:00Z",
        "2026-00-10T00:00:00Z",
        "2026-04-31T00:00:00Z",
      ];
    case "text":
      return ["%00", "x".repeat(201)];
    case "metadata":
      // It needs a key: see below.
      return ["", "%00", "x"];
  }
}

export function goodValues(filter: Filter): string[] {
  switch (filter.kind) {
    case "enum":
      return [
        ...filter.values,
        filter.values.join(","),
        filter.values.join("%2C"),
        `${filter.values[0]},%20${filter.values[0]}`,
      ];
    case "choice":
      return [...filter.values];
    // Any other would make a range with what the list takes where one end is left out.
    case "date":
      return [new Date().toISOString().slice(0, 10)];
    case "id":
      return [unknownId(filter.of)];
    case "index":
      return ["0", "1", "999999999"];
    case "boolean":
      return ["true", "false"];
    case "timestamp":
      return [
        "2026-11-20T09:30:00Z",
        "2026-11-20T09:30:00.123456Z",
        "2026-11-20T10:30:00%2B01:00",
        "1970-01-01t00:00:00z",
        "9999-12-31T23:59:59.999Z",
        "0001-01-01T00:00:00Z",
      ];
    case "text":
      return ["x", "%F0%9F%98%80", "'; drop table runs; --", "%25"];
    case "metadata":
      return [];
  }
}
