import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test, vi } from "vitest";
import { operations } from "@rowmill/contract";
import type { OperationId } from "@rowmill/contract";
import type { Operation } from "@rowmill/contract/operation";
import { components } from "@rowmill/contract/schemas";
import { ApiError } from "./errors.ts";
import { compileBody } from "./validate.ts";

function errorOf(id: OperationId, body: unknown): ApiError {
  const o: Operation = operations[id];
  try {
    if (o.body) compileBody(o.body)(body);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("the body was taken");
}
const messagesOf = (id: OperationId, body: unknown): string[] =>
  (errorOf(id, body).options.details ?? []).map(({ message }) => message);

const run = { datasetId: "ds_x", jobSpecId: "spec_x", scope: { type: "all" } };
const llm = { type: "llm", connection: "conn_x", model: "m", messages: [{ role: "user", content: "x" }] };
const upload = { name: "x", source: { type: "upload" } };
const connection = { type: "openai_compatible", name: "x", baseUrl: "https://api.example.com" };

describe("a value that is not one of a few gets those, and the nearest", () => {
  test.each<[OperationId, unknown, string]>([
    [
      "createRun",
      { ...run, scope: { type: "everything" } },
      "`scope.type` must be one of: limit, all, range, sample, rows, filter.",
    ],
    ["createRun", { ...run, scope: {} }, "`scope.type` is required. It is one of: limit, all, range, sample, rows"],
    ["createRun", { ...run, scope: { type: 7 } }, "`scope.type` must be one of: limit, all"],
    [
      "createRun",
      { ...run, budget: { maxCostUsd: "1", onExceeded: "cancle" } },
      "pause, cancel. Did you mean `cancel`?",
    ],
    [
      "createDatasetUpload",
      { name: "x", source: { type: "file" } },
      "`source.type` must be one of: inline, upload, url.",
    ],
    [
      "createJobSpec",
      { name: "x", processor: { type: "javascript", code: "x" } },
      "`processor.type` must be one of: transform, llm, http, mock.",
    ],
    [
      "createConnection",
      { ...connection, type: "openai" },
      "`type` must be one of: openai_compatible, anthropic, http.",
    ],
    ["createConnection", { name: "x" }, "`type` is required. It is one of: openai_compatible, anthropic, http."],
    ["retryRun", { selection: { type: "failed" } }, "`selection.type` must be one of: unfinished, failures"],
    ["createExport", { type: "output", format: "csv" }, "Did you mean `outputs`?"],
    ["createDatasetUpload", { ...upload, csv: { encoding: "latin1" } }, "Did you mean `iso-8859-1`?"],
    ["createDatasetUpload", { ...upload, csv: { encoding: "latin-1" } }, "Did you mean `iso-8859-1`?"],
    ["createDatasetUpload", { ...upload, csv: { encoding: "cp1252" } }, "Did you mean `windows-1252`?"],
    ["createDatasetUpload", { ...upload, csv: { encoding: "UTF8" } }, "Did you mean `utf-8`?"],
  ])("%s %j", (id, body, message) => {
    expect(errorOf(id, body).message).toContain(message);
  });
});

describe("an unknown member gets the one that was meant", () => {
  test.each<[OperationId, unknown, string, string]>([
    ["createRun", { ...run, dataset_id: "x" }, "dataset_id", "datasetId"],
    ["createRun", { ...run, DatasetID: "x" }, "DatasetID", "datasetId"],
    ["createRun", { ...run, metdata: {} }, "metdata", "metadata"],
    ["createRun", { ...run, scope: { type: "limit", count: 5, limit: 5 } }, "scope.limit", "count"],
    ["createRun", { ...run, maxCostUsd: "1" }, "maxCostUsd", "budget.maxCostUsd"],
    ["createConnection", { ...connection, apiKey: "x" }, "apiKey", "secret"],
    ["createConnection", { ...connection, api_key: "x" }, "api_key", "secret"],
    ["createConnection", { ...connection, rateLimitPerMinute: 5 }, "rateLimitPerMinute", "rateLimit.requestsPerMinute"],
    ["createConnection", { ...connection, rpm: 5 }, "rpm", "rateLimit.requestsPerMinute"],
    ["createApiKey", { name: "x", scopes: ["*"], rateLimitPerMinute: 5 }, "rateLimitPerMinute", "requestsPerMinute"],
    [
      "createJobSpec",
      { name: "x", processor: { ...llm, parameters: { max_tokens: 5 } } },
      "processor.parameters.max_tokens",
      "maxOutputTokens",
    ],
    [
      "createJobSpec",
      { name: "x", processor: { ...llm, max_tokens: 5 } },
      "processor.max_tokens",
      "parameters.maxOutputTokens",
    ],
    [
      "createJobSpec",
      { name: "x", processor: { ...llm, temperature: 1 } },
      "processor.temperature",
      "parameters.temperature",
    ],
  ])("%s %j", (id, body, param, meant) => {
    const error = errorOf(id, body);
    expect(error.code).toBe("unknown_field");
    expect(error.options.param).toBe(param);
    expect(error.options.details?.[0]?.message).toContain(`Did you mean \`${meant}\`?`);
  });

  test("or with no guess", () => {
    expect(errorOf("createRun", { ...run, frobnicate: 1 }).message).toBe("There is no member `frobnicate` here.");
  });
});

describe("all that is wrong is reported at once", () => {
  test("each in its place, unknown members first", () => {
    const error = errorOf("createRun", {
      dataset_id: "ds_x",
      jobSpecId: 7,
      scope: { type: "limit", count: "5" },
      priority: 9,
      budget: { maxCostUsd: 5, onExceded: "pause" },
    });
    expect(error.code).toBe("unknown_field");
    expect(error.options.details).toEqual([
      { path: "/dataset_id", code: "unknown_field", message: expect.stringContaining("datasetId") as string },
      { path: "/budget/onExceded", code: "unknown_field", message: expect.stringContaining("onExceeded") as string },
      { path: "/datasetId", code: "missing", message: "`datasetId` is required." },
      { path: "/jobSpecId", code: "wrong_type", message: expect.stringContaining('in quotes: "7"') as string },
      { path: "/scope/count", code: "wrong_type", message: expect.stringContaining("without quotes: 5.") as string },
      { path: "/priority", code: "maximum", message: expect.stringContaining("from 1 to 5") as string },
      { path: "/budget/maxCostUsd", code: "wrong_type", message: expect.stringContaining('"0.25"') as string },
    ]);
    expect(error.message).toMatch(/^There is no member `dataset_id` here\. .* Further errors: 6, see `details`\.$/);
  });

  test("also where it is not known which variant was meant", () => {
    expect(messagesOf("createConnection", { type: "openai", apiKey: "k" })).toEqual([
      "There is no member `apiKey` here. Did you mean `secret`?",
      "`type` must be one of: openai_compatible, anthropic, http.",
      "`name` is required.",
    ]);
    expect(messagesOf("createJobSpec", { name: "x", processor: { kind: "llm" } })[0]).toContain("`processor.kind`");
    // What another variant takes is no error as long as the variant is not known.
    expect(messagesOf("createRun", { ...run, scope: { count: 5, seed: 1 } })).toHaveLength(1);
    const unknown = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`frobnicate${i}`, 1]));
    expect(messagesOf("createConnection", { ...connection, type: "x", ...unknown })).toHaveLength(20);
  });

  test("up to twenty", () => {
    const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`frobnicate${i}`, 1]));
    const error = errorOf("createRun", { ...run, ...unknown });
    expect(error.options.details).toHaveLength(20);
    expect(error.message).toContain("Further errors: 49");
  });

  test("but of a very large body only the first", () => {
    const rowIds = Array.from({ length: 9_000 }, () => 1);
    expect(messagesOf("createRun", { ...run, scope: { type: "rows", rowIds } })).toHaveLength(1);
  });

  test("a value with several shapes is described by the one that was meant", () => {
    expect(messagesOf("updateRun", { name: 7 })).toEqual([
      '`name` must be of type string or null. Write it in quotes: "7".',
    ]);
    expect(
      messagesOf("createJobSpec", { name: "x", processor: { ...llm, messages: [{ role: "user", content: 7 }] } }),
    ).toEqual(['`processor.messages.0.content` must be of type string or array. Write it in quotes: "7".']);
  });
});

describe("what was meant by unknown members", () => {
  /** What is compared with the names that there are. */
  function comparedWith(id: OperationId, body: unknown): string[] {
    const folding = vi.spyOn(String.prototype, "toLowerCase");
    try {
      errorOf(id, body);
      return folding.mock.contexts.map(String);
    } finally {
      folding.mockRestore();
    }
  }

  test("is looked for only for those that are shown", () => {
    const unknown = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${1_000 + i}`, 0]));
    expect(comparedWith("createRun", unknown(2_000))).toHaveLength(comparedWith("createRun", unknown(20)).length);
  });

  test("is not looked for where a name is longer than any", () => {
    const compared = comparedWith("createJobSpec", { ["Name_".repeat(100)]: 0 });
    expect(Math.max(0, ...compared.map(({ length }) => length))).toBeLessThanOrEqual(60);
  });
});

test("an empty secret and a price that is a number get a cure", () => {
  expect(messagesOf("createConnection", { ...connection, secret: "" })).toEqual([
    expect.stringMatching(/^`secret` .*Leave `secret` out/),
  ]);
  expect(
    messagesOf("createConnection", {
      ...connection,
      prices: { models: { m: { inputUsdPerMillionTokens: 0.25, outputUsdPerMillionTokens: "" } } },
    }),
  ).toEqual([
    expect.stringMatching(/inputUsdPerMillionTokens` must be of type string\. .*"0\.25"\.$/),
    expect.stringMatching(/outputUsdPerMillionTokens` .*"0\.25"\.$/),
  ]);
});

describe("a text of the wrong form gets the right one, and no pattern", () => {
  test.each<[OperationId, unknown, string]>([
    ["createOrganization", { name: "x", slug: "A B" }, "`slug` does not have the right form. Use 1 to 63 lowercase"],
    ["createOrganization", { name: "" }, "`name` must not be empty."],
    ["createOrganization", { name: "x".repeat(201) }, "`name` may have at most 200 characters."],
    ["createInvitation", { email: "nonsense", role: "owner" }, "form. Send one e-mail address"],
    ["createRun", { ...run, deadlineAt: "tomorrow" }, "must be an RFC 3339 timestamp such as 2026-11-20T09:30:00Z."],
    ["createRun", { ...run, scope: { type: "rows", rowIds: [] } }, "`scope.rowIds` must not be empty."],
    ["createRun", { ...run, metadata: { ["k".repeat(41)]: "x" } }, "in `metadata` may have at most 40 characters."],
    [
      "createJobSpec",
      { name: "x", processor: { type: "http", method: "GET", url: "https://a.example.com", headers: { "A B": "x" } } },
      "The name `A B` in `processor.headers` does not have the right form. Names of headers are",
    ],
  ])("%s %j", (id, body, message) => {
    expect(errorOf(id, body).message).toContain(message);
  });

  test("which every pattern of a body has", () => {
    const without: string[] = [];
    const seen = new Set<unknown>();
    const walk = (schema: unknown, at: string): void => {
      if (typeof schema !== "object" || schema === null || seen.has(schema)) return;
      seen.add(schema);
      const { pattern, $ref, "x-hint": hint } = schema as Record<string, unknown>; // of whatever kind
      if (typeof pattern === "string" && hint === undefined) without.push(`${at}: ${pattern}`);
      if (typeof $ref === "string") walk(components.get($ref), $ref);
      for (const [name, member] of Object.entries(schema)) walk(member, `${at}/${name}`);
    };
    for (const [id, { body }] of Object.entries<Operation>(operations)) walk(body, id);
    expect(without).toEqual([]);
    expect(seen.size).toBeGreaterThan(100);
  });
});

test("every schema of a body is one, since nothing else checks them before the first body comes", () => {
  const ajv = new Ajv2020({ strict: false, discriminator: true });
  const bodies = Object.values<Operation>(operations).flatMap(({ body }) => body ?? []);
  const problems = [...components.values(), ...bodies].flatMap((schema) =>
    ajv.validateSchema(schema) === true ? [] : (ajv.errors ?? []),
  );
  expect(problems).toEqual([]);
  for (const body of bodies) expect(() => compileBody(body)(undefined)).toThrow(ApiError);
});
