import { expect, test } from "vitest";
import { missingIn } from "./specs.ts";

test("what is not filled in is named in the order of the form", () => {
  const messages = [{ role: "user" as const, content: "" }];
  expect(missingIn({ type: "llm", connection: "", model: " ", messages })).toEqual([
    "choose a connection",
    "name a model",
    "write a prompt",
  ]);
  const written = [{ role: "user" as const, content: "Label {{row.text}}" }];
  expect(missingIn({ type: "llm", connection: "conn_1", model: "small", messages: written })).toEqual([]);
  expect(missingIn({ type: "http", method: "GET", url: "" })).toEqual(["write a URL"]);
  expect(missingIn({ type: "mock" })).toEqual([]);
});
