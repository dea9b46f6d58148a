import { expect, test } from "vitest";
import { promptsOf, renderPrompt } from "./render-prompt.ts";

const row = { name: "Ann", "odd name": 'q"', count: 3, list: [{ a: true }], nothing: null };

test.each([
  ["{{row.name}} has {{ row.count }}", "Ann has 3"],
  ['{{row["odd name"]}} {{row["odd name"] | json}}', 'q" "q\\""'],
  ["{{row.list[0].a}} {{row.list}}", 'true [{"a":true}]'],
  ["{{row.name | truncate: 2}}{{row.nothing}}", "An"],
  ["\\{{row.name}} {{row.missing}}", "{{row.name}} {{row.missing}}"],
  ["{{row | json}}", JSON.stringify(row)],
])("%s", (template, rendered) => expect(renderPrompt(template, row)).toBe(rendered));

test("the messages of a job spec, an image by its address", () => {
  const content = [
    { type: "text", text: "What is it?" },
    { type: "image", url: "{{row.url}}" },
  ];
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content },
  ];
  expect(promptsOf({ messages })).toEqual([
    { role: "system", template: "Be brief." },
    { role: "user", template: "What is it?\n[image {{row.url}}]" },
  ]);
});
