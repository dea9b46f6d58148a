/** What a reader types into the search of the guide, and a page that must be among the first three. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ROOT } from "../pages.ts";
import { createSearch } from "./browser/search-engine.ts";
import type { Found } from "./browser/search-engine.ts";
import { renderPage } from "./render-page.ts";
import { searchDocumentOf } from "./search-index.ts";
import type { SearchDocument } from "./search-format.ts";
import { listSitePages } from "./site-pages.ts";

const FIRST = 3;

let document: SearchDocument;
let search: (words: string) => Found[];

beforeAll(() => {
  const contents = listSitePages(ROOT).map((page) => {
    const text = readFileSync(join(ROOT, page.source), "utf8");
    const rendered = renderPage(text, { rewriteLink: (href) => href, imageSize: () => undefined });
    return { page: { ...page, title: rendered.title, label: rendered.title }, rendered };
  });
  document = searchDocumentOf(contents);
  search = createSearch(document);
});

test.each([
  ["install", "tutorials/operations"],
  ["docker", "deployment"],
  ["k8s", "deployment"],
  ["nginx", "deployment"],
  ["openai", "quickstart"],
  ["ollama", "processors"],
  ["csv", "reference/data-types"],
  ["excel", "reference/data-types"],
  ["parquet", "reference/data-types"],
  ["budget", "concepts"],
  ["cost", "recipes/cost"],
  ["rate limit", "processors"],
  ["429", "reference/errors"],
  ["retry", "recipes/retry-a-prompt"],
  ["webhook", "webhooks"],
  ["python", "python"],
  ["pandas", "tutorials/data-science"],
  ["backup", "operations/backup"],
  ["restore", "tutorials/operations"],
  ["api key", "reference/api/api-keys"],
  ["team", "reference/api/members"],
  ["permission", "reference/api"],
  ["pagination", "reference/api"],
  ["idempotency", "reference/api"],
  ["structured output", "recipes/extract"],
  ["images", "recipes/images"],
  ["cron", "recipes/nightly"],
  ["prometheus", "reference/metrics"],
  ["s3", "operations/configure"],
  ["export", "reference/api/exports"],
  ["ssl", "deployment"],
  ["mcp", "mcp"],
  ["environment variables", "reference/settings"],
  ["reverse proxy", "deployment"],
  ["how to install", "tutorials/operations"],
  ["resume after crash", "quickstart"],
  ["what is a chunk", "concepts"],
  ["how much does it cost", "recipes/cost"],
  ["verify a webhook signature", "recipes/receive-webhooks"],
  ["export to parquet", "reference/api/exports"],
  ["postgres connection string", "tutorials/operations"],
  ["retry failed rows", "recipes/retry-a-prompt"],
  ["openai batch half price", "recipes/batches"],
  ["paused budget_exhausted", "troubleshooting"],
  ["delete old data", "operations/limits"],
  ["gdpr", "operations/limits"],
  ["webhook signature python", "webhooks"],
  ["webhook not arriving", "troubleshooting"],
  ["forgot admin key", "disaster"],
  ["rotate encryption key", "operations/secure"],
  ["upgrade postgres version", "operations/backup"],
  ["downgrade", "disaster"],
  ["high availability", "operations/scale"],
  ["hardware requirements", "operations/run"],
  ["memory", "operations/run"],
  ["https", "deployment"],
  ["cors", "operations/configure"],
  ["firewall", "operations/configure"],
  ["run stuck queued", "troubleshooting"],
  ["max file size", "reference/limits"],
  ["upload large file", "use-the-api"],
  ["local model", "processors"],
  ["audit log", "reference/api/audit-events"],
  ["log level", "reference/settings"],
  ["sso", "reference/api/sessions"],
  ["sandbox fetch", "reference/transform"],
  ["rate limit 429", "processors"],
  ["semicolon csv", "reference/data-types"],
])("“%s” leads to %s", (words, expected) => {
  const pages = search(words)
    .slice(0, FIRST)
    .map(({ section }) => document.pages[document.sections[section]?.[0] ?? -1]?.[0]);
  expect(pages).toContain(expected);
});

test("a decision or the changelog is never first for what a page of the guide explains", () => {
  const firstOf = (words: string): string => {
    const [first] = search(words);
    const [, , part = ""] = document.pages[document.sections[first?.section ?? -1]?.[0] ?? -1] ?? [];
    return `${words}: ${part}`;
  };
  const found = ["csv", "parquet", "s3", "rate limit", "retry", "console"].map(firstOf);
  expect(found.filter((one) => one.endsWith(": Why"))).toEqual([]);
});
