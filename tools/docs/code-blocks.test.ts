import { describe, expect, test } from "vitest";
import { readBlocks, writeBlocks } from "./code-blocks.ts";
import { readRegion } from "./regions.ts";

describe("a region", () => {
  test("is what stands between its marks, without common indentation and blank ends", () => {
    const text = "function a() {\n  // #region body\n\n  if (b)\n    c();\n\n  // #endregion\n}\n";
    expect(readRegion(text, "body")).toBe("if (b)\n  c();");
  });

  test.each([
    ["ts", "// #region x\na\n// #endregion x"],
    ["python, sh, recorded output", "# #region x\na\n# #endregion"],
    ["sql", "-- #region x\na\n-- #endregion"],
    ["html", "<!-- #region x -->\na\n<!-- #endregion -->"],
    ["css", "/* #region x */\na\n/* #endregion */"],
  ])("is marked in the comments of %s", (_language, text) => {
    expect(readRegion(text, "x")).toBe("a");
  });

  test("may hold others, whose marks are not shown; neither are those of a whole file", () => {
    const text = "// #region all\na\n// #region part\nb\n// #endregion\nc\n// #endregion\nd\n";
    expect(readRegion(text, "all")).toBe("a\nb\nc");
    expect(readRegion(text, "part")).toBe("b");
    expect(readRegion(text, undefined)).toBe("a\nb\nc\nd");
  });

  test.each([
    ["a", "other", /no region "other"/],
    ["# #region x\na", "x", /no #endregion/],
    ["a\n# #endregion", undefined, /without #region/],
    ["# #region x\n# #endregion\n# #region x\n# #endregion", "x", /begins twice/],
  ])("that is not there, or not whole, is an error (%#)", (text, name, message) => {
    expect(() => readRegion(text, name)).toThrow(message);
  });
});

describe("a page", () => {
  const files: Record<string, string> = {
    "a.ts": "// #region one\nconst a = 1;\n// #endregion\nconst b = 2;\n",
    "a.out": "id  text\n",
    "a.md": "```sh\nls\n```\n",
    "a.xyz": "?",
  };
  const readSource = (path: string): string => {
    const text = files[path];
    if (text === undefined) throw new Error("there is no such file");
    return text;
  };
  const written = (markdown: string): string => {
    const { text, problems } = writeBlocks(markdown, readSource);
    expect(problems).toEqual([]);
    return text;
  };

  test("gets content and language of each block from the file it names", () => {
    const page = "Text.\n\n<!-- code: a.ts#one -->\n```js\nold\n```\n\nMore.\n\n<!-- output: a.out -->\n```\n```\n";
    const expected =
      "Text.\n\n<!-- code: a.ts#one -->\n```ts\nconst a = 1;\n```\n\nMore.\n\n<!-- output: a.out -->\n```text\nid  text\n```\n";
    expect(written(page)).toBe(expected);
    expect(written(expected)).toBe(expected);
  });

  test("gets a block where there is none yet, and in a list at its indentation", () => {
    expect(written("- Do:\n  <!-- code: a.ts#one -->\n- Then.\n")).toBe(
      "- Do:\n  <!-- code: a.ts#one -->\n  ```ts\n  const a = 1;\n  ```\n- Then.\n",
    );
  });

  test("fences Markdown with a longer fence", () => {
    const page = written("<!-- code: a.md -->\n");
    expect(page).toBe("<!-- code: a.md -->\n````md\n```sh\nls\n```\n````\n");
    expect(written(page)).toBe(page);
  });

  test("shows marks that stand within a code block as they are", () => {
    const page = "```md\n<!-- code: missing.ts -->\n```\n";
    expect(written(page)).toBe(page);
  });

  test.each([
    ["<!-- code: missing.ts -->\n```ts\nold\n```\n", "missing.ts: there is no such file"],
    ["<!-- code: a.ts#two -->\n", 'a.ts: no region "two"; there are one'],
    ["<!-- code: a.xyz -->\n", "a.xyz: the language of such files is not known"],
    ["<!-- Code: a.ts -->\n", "write <!-- code: path"],
    ["<!-- code: a.ts one -->\n", "write <!-- code: path"],
  ])("stays as it is at a wrong mark, which is reported with its line: %j", (page, message) => {
    const { text, problems } = writeBlocks(`\n${page}`, readSource);
    expect(text).toBe(`\n${page}`);
    expect(problems).toEqual([{ line: 2, message: expect.stringContaining(message) as string }]);
  });

  test("is read as its blocks, each with its language and its source", () => {
    const page = "```\nplain\n```\n<!-- code: a.ts#one -->\n```ts\nconst a = 1;\n```\n~~~text\n```\n~~~\n";
    expect(readBlocks(page)).toMatchObject([
      { line: 1, language: "", text: "plain", source: undefined },
      { line: 5, language: "ts", text: "const a = 1;", source: { kind: "code", path: "a.ts", region: "one" } },
      { line: 8, language: "text", text: "```", source: undefined },
    ]);
  });
});
