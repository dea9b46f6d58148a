import { expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { PriceList } from "@rowmill/contract/model-prices";
import { expectStatus } from "../../testing/api.ts";
import { startTestService } from "../../testing/service.ts";
import { priceListAsOf, priceListAt } from "./model-prices.ts";
import { listedPrices } from "./price-list.ts";

const service = await startTestService();
const { api } = await service.newOrganization();
const OPENAI = { type: "openai_compatible", name: "OpenAI", baseUrl: "https://api.openai.com/v1" };

test("the list says where its prices are from, how old they are, and that they may be outdated", async () => {
  const daysSince = (asOf: string): number => Math.floor((Date.now() - Date.parse(asOf)) / 86_400_000);
  const before = daysSince(priceListAsOf);
  const response = await api<PriceList>("GET", "/v1/model-prices");
  expectStatus(response, 200);
  const { asOf, ageDays, note, providers, data } = response.body;
  expect(asOf).toMatch(/^\d{4}-\d\d-\d\d$/);
  // At midnight either day is right.
  expect([before, daysSince(asOf)]).toContain(ageDays);
  expect(note).toContain("outdated");
  expect(data.find(({ model }) => model === "gpt-5-mini")).toEqual({
    provider: "openai",
    model: "gpt-5-mini",
    inputUsdPerMillionTokens: "0.25",
    outputUsdPerMillionTokens: "2.00",
    cachedInputUsdPerMillionTokens: "0.025",
    batchDiscountPercent: 50,
    sourceDate: "2025-10-01",
  });
  for (const { provider } of data) expect(providers.map((one) => one.provider)).toContain(provider);
});

test("the list names each model of a provider once, with amounts of money and a date that has been", () => {
  const { data } = priceListAt(new Date());
  expect(new Set(data.map(({ provider, model }) => `${provider} ${model}`)).size).toBe(data.length);
  for (const price of data) {
    expect(Number(price.inputUsdPerMillionTokens)).toBeLessThanOrEqual(Number(price.outputUsdPerMillionTokens));
    expect(Number(price.cachedInputUsdPerMillionTokens ?? "0")).toBeLessThan(Number(price.inputUsdPerMillionTokens));
    expect(Date.parse(price.sourceDate)).toBeLessThan(Date.now());
  }
  expect(Object.values(listedPrices).every(({ prices }) => prices.length > 0)).toBe(true);
});

test("a connection that says `list` has the list's prices, shown and as its runs see them", async () => {
  const created = await api<Connection>("POST", "/v1/connections", { body: { ...OPENAI, prices: "list" } });
  expectStatus(created, 201);
  const { id, prices, priceList } = created.body;
  expect(prices?.models?.["gpt-5-mini"]).toEqual({
    inputUsdPerMillionTokens: "0.25",
    outputUsdPerMillionTokens: "2.00",
    batchDiscountPercent: 50,
  });
  expect(priceList).toEqual({ asOf: priceListAt(new Date()).asOf, ageDays: expect.any(Number) as number });
  expect((await api<Connection>("GET", `/v1/connections/${id}`)).body).toEqual(created.body);
  const [row] = await service.query<{ prices: object }>("select prices from connections where name = 'OpenAI'");
  expect(row?.prices).toEqual({ list: true });

  const own = { models: { "*": { inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "2" } } };
  const changed = await api<Connection>("PATCH", `/v1/connections/${id}`, { body: { prices: own } });
  expect(changed.body).toMatchObject({ prices: own, priceList: null });
  const back = await api<Connection>("PATCH", `/v1/connections/${id}`, { body: { prices: "list" } });
  expect(back.body.priceList).not.toBeNull();
});

test("what the list does not know is refused, and the list is not kept for another address", async () => {
  const refused = async (body: object, method = "POST", path = "/v1/connections") => {
    const response = await api(method, path, { body });
    expect([response.status, response.body.error?.param]).toEqual([400, "prices"]);
    expect(response.body.error.message).toContain("api.openai.com");
  };
  await refused({ ...OPENAI, baseUrl: "https://models.example.com/v1", prices: "list" });
  await refused({ ...OPENAI, type: "anthropic", prices: "list" });
  const { body } = await api<Connection>("POST", "/v1/connections", { body: { ...OPENAI, prices: "list" } });
  await refused({ baseUrl: "https://models.example.com/v1" }, "PATCH", `/v1/connections/${body.id}`);
  const http = await api<Connection>("POST", "/v1/connections", {
    body: { type: "http", name: "CRM", baseUrl: "https://crm.example.com" },
  });
  await refused({ prices: "list" }, "PATCH", `/v1/connections/${http.body.id}`);
  for (const prices of ["own", true, []])
    expect((await api("POST", "/v1/connections", { body: { ...OPENAI, prices } })).status).toBe(400);
});
