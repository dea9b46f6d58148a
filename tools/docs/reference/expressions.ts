/** The page of expressions (CEL) and templates. */
import { MAX_DEPTH, MAX_SOURCE_BYTES } from "@rowmill/server/platform/conditions/condition-limits";
import { constantOf, inBytes, inTime } from "./constants.ts";
import { expressionGroups, sampleRow, templateErrorSamples, templateSamples } from "./expression-samples.ts";
import { block, cell, code, compactJson, paragraphs, table } from "./markdown-text.ts";
import { GENERATED } from "./generated-page.ts";
import type { Page } from "./generated-page.ts";

const evaluationLimit = constantOf("server/src/platform/conditions/conditions.ts", "EVALUATION_LIMIT_MS");
const codeCell = (text: string): string => code(cell(text).replaceAll("&lt;", "<"));

export const expressionsPage = (): Page => ({
  path: "expressions.md",
  text: `${paragraphs(
    "# Expressions and templates",
    GENERATED,
    "Two small languages: **expressions** choose rows and events, **templates** put values of a row into a text. All examples are about this row:",
    block("json", compactJson(sampleRow)),
    "## Expressions",
    "An expression is [CEL](https://cel.dev), and is true or false. It has one name: `row` in a run's `scope` of type `filter`, `event` (the [envelope](events.md#the-envelope)) in the `filter` of an alert rule.",
    [
      "- Numbers of JSON are doubles. They may be mixed with whole numbers: `row.id % 2 == 0`.",
      "- A row or event whose expression cannot be evaluated, since a member is missing or has another type, does not match. Ask `has(row.a) && …` first.",
      `- An expression has at most ${inBytes(MAX_SOURCE_BYTES)} and ${MAX_DEPTH} levels, and one evaluation at most ${inTime(evaluationLimit / 1000)} of processor time. It has no clock, no network and no state.`,
      "- What does not compile is refused when it is created: 422 [`scope_invalid`](errors.md#scope_invalid) or [`condition_invalid`](errors.md#condition_invalid).",
    ].join("\n"),
    ...expressionGroups.map(({ title, samples }) =>
      paragraphs(
        `### ${title}`,
        table(
          ["write", "meaning", "true for the row above"],
          samples.map(({ write, meaning, example }) => [
            cell(write).replaceAll("&lt;", "<"),
            cell(meaning),
            codeCell(example),
          ]),
        ),
      ),
    ),
    "## Templates",
    "Prompts of `llm` and the URL, headers and body of `http` are templates. A tag `{{row.…}}` names a value of the row and nothing else: there is no logic and no code. What a value holds is never read as a template again.",
    table(
      ["template", "prints", ""],
      templateSamples.map(({ template, text, meaning }) => [codeCell(template), codeCell(text), cell(meaning)]),
    ),
    "A member that the row does not have is a failure of the row, [`template_error`](failures.md#template_error), never an empty text. `details.path` names it:",
    table(
      ["template", "`details.path`"],
      templateErrorSamples.map(({ template, path }) => [codeCell(template), code(path)]),
    ),
    'In a URL of `http`, values are percent-encoded and stay within their part of the URL. In headers, `{{connection.secret}}` is the secret of the connection. In a JSON body, a string that is a single tag keeps the type of its value: `{"id": "{{row.id}}"}` sends the number. [Processors](../processors.md#templates) says which mistakes are found before a run.',
  )}\n`,
});
