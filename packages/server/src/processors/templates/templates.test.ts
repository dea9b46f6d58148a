import { describe, expect, test } from "vitest";
import { parseExactJson } from "../../platform/exact-json.ts";
import { compileJsonTemplate } from "./json-templates.ts";
import { compileTemplate, MAX_RENDERED_CHARACTERS, TemplateError } from "./templates.ts";

const names = ["row"];
const row = {
  review: "good",
  nothing: null,
  yes: true,
  count: 3,
  list: ["a", { b: "c" }],
  "odd name": "odd",
  'q"uote': "quoted",
  größe: "XL",
  deep: { er: { est: 1 } },
  smile: "a😀😀b",
};

function render(source: string, scope: Record<string, unknown> = { row }) {
  const template = compileTemplate(source, { names: Object.keys(scope) });
  expect(template.problems).toEqual([]);
  return template.render(scope);
}

describe("a template prints", () => {
  test.each([
    ["no tag at all", "no tag at all"],
    ["", ""],
    ["{{row.review}}", "good"],
    ["<{{  row.review\n}}>", "<good>"],
    ["{{row.nothing}}|{{row.yes}}|{{row.count}}", "|true|3"],
    ["{{row.list[0]}}{{row.list.1.b}}{{ row.list[001].b }}", "acc"],
    ['{{row["odd name"]}} {{row[\'odd name\']}} {{row["q\\"uote"]}}', "odd odd quoted"],
    ["{{row.größe}}", "XL"],
    ["{{row.deep}}", '{"er":{"est":1}}'],
    ["{{row.review | json}} {{row.nothing|json}} {{row.list | json}}", '"good" null ["a",{"b":"c"}]'],
    ["{{row.review | truncate: 2}}{{row.review|truncate:0}}{{row.deep | truncate: 5}}", 'go{"er"'],
    ["{{row.smile | truncate: 2}}|{{row.smile | truncate: 3}}|{{row.smile | truncate: 4}}", "a😀|a😀😀|a😀😀b"],
    ["{{row.review | truncate: 1 | json}}", '"g"'],
    ["\\{{row.review}}", "{{row.review}}"],
    ["\\\\{{row.review}}", "\\good"],
    ["\\\\\\{{row.review}}", "\\{{row.review}}"],
    ["C:\\dir }} { } {x} \\{{", "C:\\dir }} { } {x} {{"],
  ])("%s", (source, text) => {
    expect(render(source)).toBe(text);
  });

  test("numbers as they stand in the row, whatever JavaScript can hold", () => {
    const exact = parseExactJson('{"id":12345678901234567890,"price":1.10,"huge":1e400,"zero":-0,"n":[1.0],"plain":7}');
    expect(render("{{row.id}} {{row.price}} {{row.huge}} {{row.zero}} {{row.n}} {{row.plain}}", { row: exact })).toBe(
      "12345678901234567890 1.10 1e400 -0 [1.0] 7",
    );
    expect(render("{{row | json}}", { row: exact })).toContain('"id":12345678901234567890');
  });

  test("values as they are, tags and escapes in them included", () => {
    expect(render("{{row.a}}{{row.b}}", { row: { a: "{{row.b}} $& $1 \\{{", b: "</x>" } })).toBe(
      "{{row.b}} $& $1 \\{{</x>",
    );
  });
});

describe("a member that is not there is an error that names it", () => {
  test.each([
    ["{{row.missing}}", "row.missing"],
    ["{{row.deep.gone.further}}", "row.deep.gone"],
    ["{{row.nothing.at}}", "row.nothing.at"],
    ["{{row.review.length}}", "row.review.length"],
    ["{{row.review[0]}}", "row.review.0"],
    ["{{row.list.length}}", "row.list.length"],
    ["{{row.list[2]}}", "row.list.2"],
    ["{{row.list['01']}}", "row.list.01"],
    ["{{row.list.map}}", "row.list.map"],
    ["{{row.constructor}}", "row.constructor"],
    ["{{row.__proto__}}", "row.__proto__"],
    ["{{row.deep.constructor.constructor}}", "row.deep.constructor"],
    ["{{row.toString | json}}", "row.toString"],
    ['{{row["no such"]["a\\"b"]}}', 'row["no such"]'],
  ])("%s", (source, path) => {
    const error = render(source);
    expect(error).toBeInstanceOf(TemplateError);
    expect((error as TemplateError).toFailure()).toEqual({
      code: "template_error",
      message: expect.stringContaining(path) as string,
      details: { path },
    });
  });

  test("the text of a number too long for JavaScript has no members", () => {
    expect(render("{{row.id.rawJSON}}", { row: parseExactJson('{"id":12345678901234567890}') })).toMatchObject({
      path: "row.id.rawJSON",
    });
  });

  test("a member that a row really has may bear any name", () => {
    const own = parseExactJson('{"__proto__":"p","constructor":"c","toString":"t"}');
    expect(render("{{row.__proto__}}{{row.constructor}}{{row.toString}}", { row: own })).toBe("pct");
  });
});

describe("a template that cannot be read is refused with the place and a sentence", () => {
  test.each([
    ["ab {{rwo.x}}", 3, 'not with "rwo"'],
    ["{{constructor}}", 0, "begins with row"],
    ["{{ __proto__.x }}", 0, "begins with row"],
    ["{{}}", 0, 'not with "}"'],
    ["{{", 0, "the end of the text"],
    ["{{{{", 0, "write \\{{"],
    ["{{{row.x}}}", 0, 'not with "{"'],
    ["{{row.x", 0, "}} is missing"],
    ["{{row.x | json", 0, "}} is missing"],
    ["{{row.}}", 5, '"." cannot stand here'],
    ["{{row.odd name}}", 10, 'row["a name"]'],
    ["{{row.x()}}", 7, '"(" cannot stand here'],
    ["{{row[-1]}}", 5, '"[" cannot stand here'],
    ["{{row . x}}", 6, '"." cannot stand here'],
    ["{{row.x | upper}}", 8, 'no filter "upper"'],
    ["{{row.x | }}", 8, "no filter"],
    ["{{row.x | truncate}}", 8, "needs a number"],
    ["{{row.x | truncate: 99999999999999999999}}", 8, "needs a number"],
    ["{{row.x | json: 3}}", 8, "takes no number"],
    ["{{connection.secret}}", 0, "begins with row"],
    ["{{row.x #if}}", 8, '"#" cannot stand here'],
  ])("%s", (source, position, message) => {
    const { problems } = compileTemplate(source, { names });
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(message);
    expect(problems[0]?.position).toBe(position);
  });

  test("every problem is reported, up to ten", () => {
    expect(compileTemplate("{{a}}{{row.x}}{{b}}", { names }).problems.map(({ position }) => position)).toEqual([0, 14]);
    expect(compileTemplate("{{a}}".repeat(1_000), { names }).problems).toHaveLength(10);
  });
});

describe("limits", () => {
  test("a text beyond the cap is an error that names the tag", () => {
    const big = "x".repeat(MAX_RENDERED_CHARACTERS / 2);
    expect(render("{{row.big}}{{row.big}}", { row: { big } })).toHaveLength(MAX_RENDERED_CHARACTERS);
    expect(render("{{row.big}}{{row.big}}!", { row: { big } })).toBeInstanceOf(TemplateError);
    expect(render("{{row.big}}{{row.big}}{{row.big}}", { row: { big } })).toMatchObject({ path: "row.big" });
  });

  test("a source of the largest size and of the worst form is read at once", () => {
    const size = 262_144;
    for (const piece of ["{{", "{", "\\", "\\{{", "{{row", '{{row["', "{{row.a|", "}}", "{{row.a}}", "[", " "]) {
      const source = piece.repeat(Math.floor(size / piece.length));
      const before = process.cpuUsage();
      compileTemplate(source, { names });
      compileTemplate(`{{row${source}`, { names });
      compileTemplate(`{{row["${source}`, { names });
      // Quadratic work would take minutes.
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
    }
  });
});

test("a single tag has a value with its type, any other template a text", () => {
  const valueOf = (source: string) => compileTemplate(source, { names }).evaluate({ row });
  expect(valueOf("{{row.count}}")).toBe(3);
  expect(valueOf("{{row.nothing}}")).toBeNull();
  expect(valueOf("{{row.list}}")).toEqual(["a", { b: "c" }]);
  expect(valueOf("{{row.count | json}}")).toBe("3");
  expect(valueOf(" {{row.count}}")).toBe(" 3");
  expect(valueOf("{{row.missing}}")).toBeInstanceOf(TemplateError);
});

test("an encoder is given what each tag prints", () => {
  const template = compileTemplate("/x/{{row.path}}?q={{row.path}}", { names });
  expect(template.render({ row: { path: "a/b&c" } }, encodeURIComponent)).toBe("/x/a%2Fb%26c?q=a%2Fb%26c");
  expect(template.render({ row: { path: "a" } }, (printed, tag) => `${tag.position}${printed}`)).toBe("/x/3a?q=18a");
});

test("several roots, each known by its name", () => {
  const template = compileTemplate("Bearer {{connection.secret}} {{row.id}}", { names: ["row", "connection"] });
  expect(template.render({ row: { id: 1 }, connection: { secret: "s" } })).toBe("Bearer s 1");
});

describe("JSON templates", () => {
  test("every string is a template; a single tag keeps the type of its value", () => {
    const template = compileJsonTemplate(
      {
        id: "{{row.id}}",
        text: "no. {{row.id}}",
        list: [1, null, true, "{{row.list}}", {}, []],
        "{{row.id}}": "\\{{x}}",
      },
      { names },
    );
    expect(template.problems).toEqual([]);
    const text = template.render({ row: parseExactJson('{"id":12345678901234567890,"list":[{"a":"\\"}"}]}') });
    expect(text).toBe(
      '{"id":12345678901234567890,"text":"no. 12345678901234567890","list":[1,null,true,[{"a":"\\"}"}],{},[]],"{{row.id}}":"{{x}}"}',
    );
  });

  test("a scalar, and what is wrong with where", () => {
    expect(compileJsonTemplate(7, { names }).render({ row })).toBe("7");
    expect(compileJsonTemplate("{{row.count}}", { names }).render({ row })).toBe("3");
    expect(compileJsonTemplate({ a: "{{row.gone}}" }, { names }).render({ row })).toMatchObject({ path: "row.gone" });
    expect(compileJsonTemplate({ "a/b": ["", "{{x}}"] }, { names }).problems).toMatchObject([
      { path: "/a~1b/1", position: 0 },
    ]);
  });

  test("the whole is limited, not only each string", () => {
    const big = "x".repeat(MAX_RENDERED_CHARACTERS / 2);
    expect(compileJsonTemplate(["{{row.big}}", "{{row.big}}"], { names }).render({ row: { big } })).toBeInstanceOf(
      TemplateError,
    );
  });
});

describe("no template takes more than its share of the thread and of the memory", () => {
  test("of all templates for a row together", () => {
    const text = "x".repeat(MAX_RENDERED_CHARACTERS);
    const template = compileTemplate("{{row.text}}", { names });
    const scope = { row: { text } };
    expect(template.render(scope)).toBe(text);
    expect(template.render(scope)).toBe(text);
    const third = template.render(scope);
    expect(third).toBeInstanceOf(TemplateError);
    expect((third as TemplateError).message).toContain("together longer than 8388608 characters");
    expect(template.render({ row: { text } })).toBe(text);
  });

  test("where it prints the whole row again and again, and keeps a character of each", () => {
    const source = "{{row|json|truncate:1}}".repeat(10_000);
    const template = compileTemplate(source, { names });
    expect(template.problems).toEqual([]);
    const outcome = template.render({ row: { list: Array.from({ length: 100_000 }, (_, i) => i) } });
    expect(outcome).toBeInstanceOf(TemplateError);
    expect((outcome as TemplateError).message).toContain("print values as JSON again and again");
    // The row is small: there it is nothing.
    expect(template.render({ row: { a: 1 } })).toBe("{".repeat(10_000));
  });

  test("with filters that double the text each time", () => {
    expect(compileTemplate(`{{row.s${"|json".repeat(5)}}}`, { names }).problems).toEqual([
      { position: 27, message: "A tag has at most 4 filters." },
    ]);
    const quotes = '"'.repeat(2 * 1024 * 1024);
    const outcome = compileTemplate("{{row.s|json|json|json|truncate:1}}", { names }).render({ row: { s: quotes } });
    expect(outcome).toBeInstanceOf(TemplateError);
  });

  test("with thousands of problems in a JSON value", () => {
    const value = Array.from({ length: 10_000 }, () => "{{");
    expect(compileJsonTemplate(value, { names }).problems).toHaveLength(100);
  });
});
