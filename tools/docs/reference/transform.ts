/** The page of the sandbox in which the code of `transform` runs. */
import * as limits from "@rowmill/server/processors/transform/transform-limits";
import { inBytes, inTime } from "./constants.ts";
import { block, cell, code, compactJson, paragraphs, table } from "./markdown-text.ts";
import { GENERATED } from "./generated-page.ts";
import type { Page } from "./generated-page.ts";
import {
  fixedValues,
  globalsNotThere,
  globalsThere,
  newerFeatures,
  refusedCode,
  transformSamples,
} from "./transform-samples.ts";

const PAGE_BYTES = 64 * 1024;

export const transformPage = (): Page => ({
  path: "transform.md",
  text: `${paragraphs(
    "# The sandbox of `transform`",
    GENERATED,
    "A `transform` is one JavaScript module. Its default export is a function from a row to a JSON value. It runs in an engine of its own (QuickJS in WebAssembly), apart from the service.",
    ...transformSamples.map(({ title, code: source, row, gives }) =>
      paragraphs(
        `**${title}**`,
        block("js", source),
        `For ${code(compactJson(row, " "))} ${"output" in gives ? `the output is ${code(compactJson(gives.output, " "))}.` : `the row fails with [${code(gives.failure)}](failures.md#${gives.failure}): ${code(gives.message)}.`}`,
      ),
    ),
    "## What is there",
    "The language and the library of ES2023, such as " +
      `${globalsThere.map(code).join(", ")}. Newer features that work: ${newerFeatures.map(({ name }) => (/^[A-Z]/.test(name) ? code(name) : name)).join(", ")}.`,
    "The same row gives the same output, since there is no clock and no randomness:",
    table(
      ["expression", "value"],
      fixedValues.map(({ expression, value }) => [code(expression), code(JSON.stringify(value))]),
    ),
    `\`console\` writes nowhere in a run. In a [test](api/job-specs.md#try-a-job-spec-on-a-few-rows-without-a-run), \`logs\` has the first ${limits.MAX_LOG_CHARACTERS.toLocaleString("en")} characters of each row. What the module keeps between rows is kept for some of them, in no order, and a row may be computed twice. So do not count rows there.`,
    "## What is not there",
    `Network, files, modules, processes and timers. None of these names exists: ${globalsNotThere.map(code).join(", ")}.`,
    "Such code is refused when the job spec is created, with 422 [`job_spec_invalid`](errors.md#job_spec_invalid):",
    table(
      ["code", "why"],
      refusedCode.map(({ code: source, why }) => [code(cell(source)), cell(why)]),
    ),
    "## Limits",
    table(
      ["limit", "value", "beyond it"],
      [
        ["code", inBytes(limits.MAX_CODE_BYTES), "422 `job_spec_invalid`"],
        [
          "computing, for a row",
          `${limits.MAX_INTERRUPTS.toLocaleString("en")} checks of the engine, one about every 10,000 loops or calls; at most ${inTime(limits.MAX_CPU_MS / 1000)} of processor time`,
          "[`transform_timeout`](failures.md#transform_timeout)",
        ],
        [
          "memory of a sandbox",
          inBytes(limits.MEMORY_MAXIMUM_PAGES * PAGE_BYTES),
          "[`transform_memory`](failures.md#transform_memory)",
        ],
        [
          "output",
          `${inBytes(limits.MAX_OUTPUT_BYTES)}, ${limits.MAX_OUTPUT_DEPTH} levels`,
          "[`transform_error`](failures.md#transform_error)",
        ],
        [
          "message of an error",
          `${limits.MAX_MESSAGE_CHARACTERS.toLocaleString("en")} characters, ${limits.MAX_STACK_LINES} lines of the stack`,
          "cut",
        ],
      ],
    ),
    "A loop that does not end, a promise or a function as output, and an output that is not JSON are failures of that row; the other rows continue.",
  )}\n`,
});
