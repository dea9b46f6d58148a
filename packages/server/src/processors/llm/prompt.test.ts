import { describe, expect, test } from "vitest";
import type { LlmConfig } from "./llm-config.ts";
import { compilePrompt } from "./prompt.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const mayFetch = (url: URL) => (url.hostname === "forbidden.example" ? "That host is forbidden." : undefined);
const compile = (messages: LlmConfig["messages"]) => compilePrompt(messages, mayFetch);
const problemsOf = (messages: LlmConfig["messages"]) =>
  compile(messages).problems.map(({ path, message }) => `${path} ${message}`);
const image = (part: { url?: string; base64?: string; mediaType?: string }, row: unknown) =>
  compile([{ role: "user", content: [{ type: "image", ...part }] }]).render(JSON.stringify(row));

describe("what cannot be a conversation is refused", () => {
  test.each<[LlmConfig["messages"], string]>([
    [[{ role: "system", content: "s" }], "/messages There must be a message of the role user."],
    [[{ role: "assistant", content: "a" }], "/messages/0/role The first message"],
    [
      [
        { role: "user", content: "u" },
        { role: "assistant", content: "a" },
      ],
      "/messages/1/role The last message",
    ],
    [
      [
        { role: "user", content: "u" },
        { role: "system", content: "s" },
        { role: "user", content: "u" },
      ],
      "/messages/1/role Messages of the role system",
    ],
    [[{ role: "user", content: "{{rwo.x}}" }], "/messages/0/content Character 1: A tag begins with row"],
    [[{ role: "user", content: [{ type: "text", text: "a {{row.x" }] }], "/messages/0/content/0/text Character 3:"],
    [[{ role: "user", content: [{ type: "image" }] }], "/messages/0/content/0 An image has either"],
    [
      [{ role: "user", content: [{ type: "image", url: "{{row.a}}", base64: "{{row.b}}" }] }],
      "/messages/0/content/0 An image has either",
    ],
    [
      [{ role: "user", content: [{ type: "image", url: "u", mediaType: "image/png" }] }],
      "/messages/0/content/0/mediaType",
    ],
    [
      [
        { role: "system", content: [{ type: "image", url: "u" }] },
        { role: "user", content: "u" },
      ],
      "/messages/0/content/0 An image can stand",
    ],
  ])("%j", (messages, problem) => {
    const problems = problemsOf(messages);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });
});

test("examples and several system messages are a conversation", () => {
  const prompt = compile([
    { role: "system", content: "one" },
    { role: "system", content: "two" },
    { role: "user", content: "{{row.a}}" },
    { role: "assistant", content: "yes" },
    { role: "user", content: [{ type: "text", text: "{{row.b | json}}" }] },
  ]);
  expect(prompt.problems).toEqual([]);
  expect(prompt.render('{"a":1.10,"b":null}')).toMatchObject([
    {},
    {},
    { role: "user", parts: [{ type: "text", text: "1.10" }] },
    { role: "assistant" },
    { role: "user", parts: [{ type: "text", text: "null" }] },
  ]);
  expect(prompt.render("{}")).toMatchObject({ code: "template_error", details: { path: "row.a" } });
});

describe("an image", () => {
  test("by URL is named, not fetched, and only where connections may go", () => {
    const made = image({ url: "{{row.url}}" }, { url: " https://images.example/a.png?x=1 " });
    expect(made).toMatchObject([{ parts: [{ type: "image", mediaType: "image/*" }] }]);
    expect(JSON.stringify(made)).toContain("https://images.example/a.png?x=1");
    expect(image({ url: "{{row.url}}" }, { url: "https://forbidden.example/" })).toMatchObject({
      code: "egress_denied",
      message: expect.stringContaining("That host is forbidden.") as string,
      details: { path: "/messages/0/content/0" },
    });
    expect(image({ url: "{{row.url}}" }, { url: "file:///etc/passwd" })).toMatchObject({ code: "egress_denied" });
    expect(image({ url: "{{row.url}}" }, { url: "no url" })).toMatchObject({ code: "content_rejected" });
  });

  test.each([
    [{}, PNG],
    [{}, `data:image/png;base64,${PNG}`],
    [
      {},
      PNG.replaceAll("+", "-")
        .replaceAll("/", "_")
        .replace(/(.{20})/g, "$1\r\n"),
    ],
    [{ mediaType: "image/png" }, PNG],
  ])("by base64 %j as files are written in it", (more, base64) => {
    expect(image({ base64: "{{row.image}}", ...more }, { image: base64 })).toEqual([
      { role: "user", parts: [{ type: "image", mediaType: "image/png", base64: PNG }] },
    ]);
  });

  test.each([["not base64!"], [""], ["data:text/plain,hello"], ["aGVsbG8gd29ybGQh"]])("%j is none", (base64) => {
    expect(image({ base64: "{{row.image}}" }, { image: base64 })).toMatchObject({ code: "content_rejected" });
  });

  test("by a URL with the data in it is data", () => {
    expect(image({ url: "{{row.url}}" }, { url: `data:image/png;base64,${PNG}` })).toMatchObject([
      { parts: [{ base64: PNG }] },
    ]);
  });
});
