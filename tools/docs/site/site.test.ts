import { describe, expect, test } from "vitest";
import { rewriteMarkdown } from "./for-models.ts";
import { imageSizeOf } from "./image-size.ts";
import { relativeAddress, rewriteLink } from "./links.ts";
import { renderPage } from "./render-page.ts";

const surroundings = { rewriteLink: (href: string) => href, imageSize: () => undefined };
const htmlOf = (markdown: string): string => renderPage(`# Title\n\n${markdown}`, surroundings).html;

describe("what somebody writes into a page", () => {
  test.each([
    ["<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
    ['<img src=x onerror="alert(1)">', "&lt;img"],
    ['<a id="x" onclick="y"></a>', "&lt;a id"],
    ["[x](javascript:alert(1))", "[x](javascript:alert(1))"],
    ["[x](data:text/html,y)", "[x](data:text/html,y)"],
    ["```html\n<script></script>\n```", '&lt;<span class="hljs-name">script'],
    ["```no-such-language\n<b>\n```", "&lt;b&gt;"],
  ])("is never more than text: %s", (markdown, expected) => {
    const html = htmlOf(markdown);
    expect(html).toContain(expected);
    expect(html).not.toMatch(/<script|<img|\son\w+="|href="(?:javascript|data)/i);
  });

  test("may be a comment, which is left out, or an anchor", () => {
    const html = htmlOf('Before <!-- within -->after.\n\n<!-- code:\nx.ts -->\n\n<a id="error.one"></a>Text');
    expect(html).toContain("<p>Before after.</p>");
    expect(html).not.toContain("x.ts");
    expect(html).toContain('<a id="error.one"></a>Text');
  });
});

test("code that does the same is tabs, which need no script; each is printed with its name", () => {
  const html = htmlOf(
    "<!-- tabs -->\n\n**A**\n\n```ts\nlet a;\n```\n\n**B**\n\n```sh\nls\n```\n\n<!-- /tabs -->\n\nAfter.",
  );
  expect(html).toContain('<input type="radio" name="tabs-1" id="tabs-1-0" checked><label for="tabs-1-0">A</label>');
  expect(html.match(/<div><p aria-hidden="true">[AB]<\/p><pre/g)).toHaveLength(2);
  expect(html).toMatch(/<\/fieldset>\n<p>After/);
  expect(() => htmlOf("<!-- tabs -->\n\nText.\n\n<!-- /tabs -->")).toThrow(/2 to 6 blocks/);
});

test("tables and code can be scrolled by keys; an empty head is a cell, and alignment is a class", () => {
  const html = htmlOf("| a | |\n|--:|---|\n| 1 | 2 |\n\n```ts\nlet a;\n```\n");
  expect(html).toContain('<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>');
  expect(html).toContain('<th scope="col" class="to-right">a</th>');
  expect(html).toContain("<td></td>");
  expect(html).not.toContain("style=");
  expect(html).toContain('<pre tabindex="0"');
  expect(html).toContain('<span class="hljs-keyword">let</span>');
});

test("cells of a wide table have the word of their column, for narrow screens", () => {
  const html = htmlOf("| a | `b` | c |\n|---|--:|---|\n| 1 | 2 | 3 |\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
  expect(html).toContain('<table class="wide">');
  expect(html).toContain('<td data-label="a">1</td>');
  expect(html).toContain('<td class="to-right" data-label="b">2</td>');
  expect(html).toMatch(/<table>[^]*<td>1<\/td>\n<td>2<\/td>/);
});

test("a page has a title, a description, headings with anchors, and sections for the search", () => {
  const page = renderPage(
    "# `Rowmill`\n\nFirst *words*.\n\n## A b\n\nText `code`.\n\n### A b\n\n```text\nnot searched\n```\n",
    surroundings,
  );
  expect(page).toMatchObject({
    title: "Rowmill",
    description: "First words.",
    headings: [
      { level: 2, text: "A b", anchor: "a-b" },
      { level: 3, text: "A b", anchor: "a-b-1" },
    ],
    sections: [
      { anchor: "", title: "", text: "First words." },
      { anchor: "a-b", title: "A b", text: "Text code." },
      { anchor: "a-b-1", title: "A b", text: "" },
    ],
  });
  expect(page.html).toContain('<h2 id="a-b">A b <a class="anchor" href="#a-b" aria-label="Link to “A b”">#</a></h2>');
  expect(() => renderPage("No title", surroundings)).toThrow("no heading of the first level");
});

describe("links", () => {
  const added: string[] = [];
  const to = {
    pages: new Map([
      ["README.md", ""],
      ["docs/guide/quickstart.md", "quickstart"],
      ["docs/decisions/0001.md", "decisions/0001"],
    ]),
    addFile: (path: string) => !path.endsWith("/") && added.push(path) > 0,
  };

  test.each([
    ["README.md", "docs/guide/quickstart.md#a", "quickstart#a"],
    ["docs/guide/quickstart.md", "../../README.md", "./"],
    ["docs/decisions/0001.md", "../guide/quickstart.md", "../quickstart"],
    ["docs/decisions/0001.md", "../../README.md", "../"],
    ["docs/guide/quickstart.md", "../../compose.yaml", "files/compose.yaml"],
    ["docs/decisions/0001.md", "../images/run.png", "../images/run.png"],
    ["docs/decisions/0001.md", "#own", "#own"],
    ["README.md", "https://example.com/docs/x.md", "https://example.com/docs/x.md"],
    ["README.md", "examples/", undefined],
  ])("of %s to %s lead to %s", (from, href, expected) => {
    expect(rewriteLink(href, from, to, "")).toBe(expected);
  });

  test("of Markdown lead to Markdown", () => {
    expect(rewriteLink("../../README.md#b", "docs/guide/quickstart.md", to, ".md")).toBe("index.md#b");
    const page = "[a](x.md) `[b](x.md)`\n<!-- code: a.ts -->\n```md\n[c](x.md)\n```\n![d](y.png) [e](z)\n";
    expect(rewriteMarkdown(page, (href) => (href === "z" ? undefined : `new/${href}`))).toBe(
      "[a](new/x.md) `[b](x.md)`\n```md\n[c](x.md)\n```\n![d](new/y.png) [e](z)\n",
    );
  });

  test("are relative", () => {
    expect([relativeAddress("a/b", "c"), relativeAddress("", ""), relativeAddress("a", "b/c")]).toEqual([
      "../c",
      "./",
      "b/c",
    ]);
  });
});

test("pictures have their size", () => {
  const png = Buffer.concat([
    Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
    Buffer.from("000005000000035c", "hex"),
  ]);
  expect(imageSizeOf(png)).toEqual({ width: 1280, height: 860 });
  expect(imageSizeOf(Buffer.from('<svg xmlns="x" viewBox="0 0 640.5 100">'))).toEqual({ width: 641, height: 100 });
  expect(imageSizeOf(Buffer.from("GIF89a"))).toBeUndefined();
});

test("a name of several words may be broken in a table, and nowhere else", () => {
  const table = htmlOf("| a | b |\n|---|---|\n| `ROWMILL_MAX_DATASET_ROWS` | x |\n");
  expect(table).toContain("<code>ROWMILL_MAX_<wbr>DATASET_ROWS</code>");
  expect(htmlOf("Set `ROWMILL_MAX_DATASET_ROWS` to `a<b`.")).toContain(
    "<code>ROWMILL_MAX_DATASET_ROWS</code> to <code>a&lt;b</code>",
  );
});
