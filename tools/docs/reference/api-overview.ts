/** The first page of the API's reference: what all operations share. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "@rowmill/contract";
import { responseHeaders } from "@rowmill/contract/response-headers";
import type { ResponseHeader } from "@rowmill/contract/response-headers";
import { errorCodeNames, errorCodes } from "@rowmill/contract/errors";
import { errorsOf } from "@rowmill/contract/operation-errors";
import type { Operation } from "@rowmill/contract/operation";
import { DEFAULT_LIMIT, MAX_LIMIT, MAX_METADATA_FILTERS } from "@rowmill/contract/pagination";
import { roleScopes } from "@rowmill/contract/roles";
import { defaultScopes, scopes } from "@rowmill/contract/scopes";
import { exampleId, idPrefixes } from "@rowmill/contract/schemas";
import { settings } from "@rowmill/server/config";
import { ROOT } from "../pages.ts";
import { inTime } from "./constants.ts";
import { apiPages } from "./api-pages.ts";
import { block, cell, code, paragraphs, table } from "./markdown-text.ts";
import { GENERATED } from "./generated-page.ts";
import type { Page } from "./generated-page.ts";

export const apiOverviewPage = (): Page => ({ path: "api.md", text: `${text()}\n` });

const defaultOf = (name: keyof typeof settings): number => Number(settings[name].defaultText);

/** They are run by a test. */
const readProgram = (file: string): string => readFileSync(join(ROOT, "examples/reference", file), "utf8");

const all = Object.values(operations) as Operation[];

function text(): string {
  return paragraphs(
    "# API",
    GENERATED,
    "A JSON API over HTTP. All paths begin with `/v1`. `GET /v1/openapi.json` describes it for programs, and `/docs` of a running service shows the same with forms to try it.",
    table(
      ["resource", ""],
      apiPages.map(({ file, title, intro }) => [`[${title}](api/${file}.md)`, cell(firstSentence(intro))]),
    ),
    ...authentication(),
    ...firstRun(),
    ...scopesAndValues(),
    ...idempotencyAndLists(),
    ...preconditionsAndErrors(),
    ...headersAndLimits(),
    "## Versions",
    "The path names the version. Within `/v1`, operations, members, codes, event types and values of enumerations may be added; nothing is removed or changes its meaning.",
    "## Clients",
    "[TypeScript](../../packages/client/README.md), [Python](../python.md), the [command line](cli.md), and [MCP](../mcp.md) for agents. Each operation names its method and command.",
  );
}

const authentication = (): string[] => [
  "## Authentication",
  "Send a key with each request. Examples of this reference take the address and the key from the environment:",
  block(
    "sh",
    'export ROWMILL_URL=http://127.0.0.1:8080\nexport ROWMILL_API_KEY=rmk_…\ncurl -sS "$ROWMILL_URL/v1/me" -H "Authorization: Bearer $ROWMILL_API_KEY"',
  ),
  "`rowmill dev` keeps its key in `~/.local/share/rowmill/dev/key`. Examples with an `Idempotency-Key` make a random one; keep yours, and send it again when you repeat a request.",
  "A key (`rmk_…`) belongs to one organization. The admin key (`rma_…`) belongs to the operator: it manages organizations and keys, and reads no data of an organization. Another organization's thing looks like one that does not exist: 404 `not_found`.",
];

const firstRun = (): string[] => [
  "## A run from beginning to end",
  "The same four times: by the [command](cli.md#rowmill-map), which writes a table, in TypeScript, in Python with its standard library, and by requests alone. The last three print the state of the run and its outputs.",
  "<!-- tabs -->",
  "**Command line**",
  block("sh", readProgram("first-run-by-command.sh")),
  "**TypeScript**",
  block("ts", readProgram("first-run.ts")),
  "**Python**",
  block("python", readProgram("first_run.py")),
  "**curl**",
  block("sh", readProgram("first-run.sh")),
  "<!-- /tabs -->",
];

const scopesAndValues = (): string[] => [
  "## Scopes",
  "A key can do what its scopes allow. `…:write` includes `…:read`; `*` stands for all. A key gets the scopes marked *default* if its creator names none. Roles are what [invitations](api/members.md) give.",
  table(
    ["scope", "default", ...Object.keys(roleScopes)],
    scopes.map((scope) => [
      code(scope),
      defaultScopes.includes(scope) ? "yes" : "",
      ...Object.values(roleScopes).map((granted) => (granted.includes(scope) ? "yes" : "")),
    ]),
  ),
  "## Values",
  [
    `- **Ids** are texts with a prefix, such as ${code(exampleId("run"))}: ${Object.values(idPrefixes)
      .map((prefix) => code(`${prefix}_`))
      .join(", ")}.`,
    "- **Times** are RFC 3339 in UTC with milliseconds: `2026-11-20T09:30:00.000Z`.",
    '- **Amounts** of money are decimal texts in US dollars: `"0.250000"`.',
    "- **Metadata** are labels of your own: up to 50 keys of 40 characters, with values of 500.",
    "- A body must be UTF-8 JSON. Members that do not exist are refused (400 `unknown_field`). Responses may get new members: ignore what you do not know.",
  ].join("\n"),
];

const idempotencyAndLists = (): string[] => [
  "## Idempotency",
  `A network failure leaves open whether a request was done. Send an \`Idempotency-Key\` with each POST: a new value for each intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again, with \`Idempotent-Replayed: true\`, and nothing is done twice. The same key with another body is 409 [\`idempotency_conflict\`](errors.md#idempotency_conflict). Operations that start work, cost money or make a secret need one. Keys belong to the organization and are remembered for ${inTime(defaultOf("ROWMILL_IDEMPOTENCY_RETENTION_HOURS") * 3_600)} (\`ROWMILL_IDEMPOTENCY_RETENTION_HOURS\`).`,
  "## Paging",
  `Lists respond with \`data\` and \`nextCursor\`. \`limit\` is 1 to ${MAX_LIMIT} (${DEFAULT_LIMIT}). Send \`nextCursor\` as \`cursor\` for the next page, until it is null. A cursor belongs to its list, filters and organization. Newest things come first; rows come in the order of the dataset.`,
  block("sh", 'curl -sS "$ROWMILL_URL/v1/runs?limit=100&cursor=…" -H "Authorization: Bearer $ROWMILL_API_KEY"'),
  "Lists of rows stream everything in one response, one item a line, with `Accept: application/x-ndjson`. `limit` does not apply to it; `cursor` says where it begins. A stream that breaks off never looks complete: the connection is reset.",
  block(
    "sh",
    `curl -sS "$ROWMILL_URL/v1/runs/${exampleId("run")}/outputs" -H "Authorization: Bearer $ROWMILL_API_KEY" -H "Accept: application/x-ndjson"`,
  ),
  "## Filters",
  [
    "- Several values, separated by commas, mean *or*: `state=failed,expired`. Several filters mean *and*.",
    `- \`name\` finds what begins with it. \`metadata[key]=value\` finds labels, up to ${MAX_METADATA_FILTERS} at once.`,
    "- `createdAfter` includes its time, `createdBefore` does not.",
    "- A parameter that does not exist is refused (400 `invalid_parameter`).",
  ].join("\n"),
];

const preconditionsAndErrors = (): string[] => [
  "## Preconditions",
  "A response to GET has an `ETag`. With `If-None-Match` an unchanged resource is 304 without a body. With `If-Match`, a PATCH or DELETE is refused with 412 [`precondition_failed`](errors.md#precondition_failed) if somebody else has changed the resource.",
  "## Errors",
  "An error has a `code` for programs and a `message` for people: see [errors](errors.md). Each operation names those that are particular to it. These may come from any, as far as they apply (a key, a body, a list):",
  table(
    ["code", "status", "when"],
    commonErrors().map((name) => [
      `[${code(name)}](errors.md#${name})`,
      String(errorCodes[name].status),
      cell(errorCodes[name].meaning),
    ]),
  ),
  "**Retry** 429, 500, 503 and 507, and 409 `idempotency_in_progress`, after `Retry-After` or with growing pauses; POST with the same `Idempotency-Key`. The clients do.",
];

const headersAndLimits = (): string[] => [
  "## Headers of responses",
  table(
    ["header", "meaning"],
    [
      ...new Map((Object.values(responseHeaders) as ResponseHeader[]).map((header) => [header.name, header])).values(),
    ].map(({ name, description }) => [code(name), cell(description)]),
  ),
  "## Limits",
  `An organization may send ${defaultOf("ROWMILL_RATE_LIMIT_PER_MINUTE").toLocaleString("en")} requests a minute, ${defaultOf("ROWMILL_RATE_LIMIT_BURST").toLocaleString("en")} of them at once, unless the operator has set other values; a key may have a lower limit. [Limits](limits.md) has all of them, with what happens beyond.`,
];

const firstSentence = (intro: string): string => {
  const end = intro.indexOf(". ");
  return (end === -1 ? intro : intro.slice(0, end + 1)).replaceAll(
    /\]\((?:\.\.\/)?(?!\.\.)([\w-]+\.md)/g,
    (whole, file: string) => (whole.includes("../") ? `](${file}` : `](api/${file}`),
  );
};

/** Errors that some operation may respond with beside those that it names. */
function commonErrors() {
  const common = new Set(all.flatMap((o) => errorsOf(o).filter((name) => !o.errors.includes(name))));
  return errorCodeNames.filter((name) => common.has(name));
}
