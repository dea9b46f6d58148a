/** The section of one operation. */
import { operations } from "@rowmill/contract";
import type { OperationId } from "@rowmill/contract";
import { errorCodes } from "@rowmill/contract/errors";
import type { ErrorCode } from "@rowmill/contract/errors";
import { examples } from "@rowmill/contract/examples/examples";
import { responsesOf } from "@rowmill/contract/operation";
import type { Operation } from "@rowmill/contract/operation";
import { cursorSchema, filterSchema, limitSchema } from "@rowmill/contract/pagination";
import { idPrefixes } from "@rowmill/contract/schemas";
import { curlOf } from "./curl.ts";
import { clientMethods, commandOf, inPython } from "./client-methods.ts";
import { block, cell, code, compactJson, paragraphs, table } from "./markdown-text.ts";
import { fieldsOf, limitsOf, longEnumsOf, plain, rowsOf, typeOf } from "./schema-fields.ts";
import type { LinkTo, Schema } from "./schema-fields.ts";

export function operationSection(id: OperationId, linkTo: LinkTo): string {
  const o: Operation = operations[id];
  return paragraphs(
    `## ${o.summary}`,
    code(`${o.method} ${o.path}`),
    [...factsOf(o), ...clientsOf(id)].map((fact) => `- ${fact}`).join("\n"),
    o.description,
    parametersOf(o),
    bodyOf(o, linkTo),
    responseOf(o, linkTo),
    exampleOf(id),
    errorsOf(o),
  );
}

function factsOf(o: Operation): string[] {
  const facts = [`**Access**: ${accessOf(o)}`];
  for (const { at, equals, orAbsent, scopes } of o.bodyScopes ?? []) {
    const member = code(at.slice(1).replaceAll("/", "."));
    const when =
      equals === undefined
        ? `with ${member}`
        : `with ${member} ${code(String(equals))}${orAbsent ? ", the default" : ""}`;
    facts.push(`**Also needs** ${scopes.map(code).join(", ")} ${when}`);
  }
  if (o.idempotency === "required") facts.push("**Idempotency-Key**: required");
  if (o.idempotency === "honoured") facts.push("**Idempotency-Key**: optional");
  if (o.filters) facts.push(`**Paging**: \`limit\` and \`cursor\`${o.streams ? "; streams as NDJSON" : ""}`);
  return facts;
}

function accessOf({ access }: Operation): string {
  if (access.by === "public") return "no key";
  if (access.by === "admin") return "the admin key";
  if (!("scopes" in access)) return "any key";
  const scopes = access.scopes.map(code).join(" and ");
  const key = access.scopes.length === 0 ? "a key of the organization" : `a key with ${scopes}`;
  return access.by === "organization" ? key : `${key}, or the admin key`;
}

function clientsOf(id: OperationId): string[] {
  const method = clientMethods[id];
  const command = commandOf[id];
  const ways = [
    ...(method === undefined ? [] : [`TypeScript ${code(`rowmill.${method}`)}`]),
    ...(method === undefined || id === "createSession" ? [] : [`Python ${code(`rowmill.${inPython(method)}`)}`]),
    ...(command === undefined ? [] : [`command ${code(`rowmill ${command}`)}`]),
  ];
  return ways.length === 0 ? [] : [`**Clients**: ${ways.join(", ")}`];
}

function parametersOf(o: Operation): string {
  const none: LinkTo = () => undefined;
  const rows: string[][] = Object.entries(o.params ?? {}).map(([name, kind]) => [
    code(name),
    "path",
    kind === "number" ? "integer" : `id ${code(`${idPrefixes[kind]}_…`)}`,
    "",
  ]);
  const query: Record<string, Schema> = {};
  for (const [name, schema] of Object.entries(o.query?.properties ?? {})) query[name] = plain(schema);
  for (const [name, filter] of Object.entries(o.filters ?? {}))
    query[filter.kind === "metadata" ? `${name}[key]` : name] = plain(filterSchema(filter));
  if (o.filters) {
    query["limit"] = plain(limitSchema);
    query["cursor"] = plain(cursorSchema);
  }
  for (const [name, schema] of Object.entries(query)) {
    const limits = limitsOf(schema);
    const meaning = [schema.description ?? "", limits === "" ? "" : `${limits}.`]
      .filter((part) => part !== "")
      .join(" ");
    rows.push([code(name), "query", name.endsWith("[key]") ? "string" : cell(typeOf(schema, none)), cell(meaning)]);
  }
  return table(["parameter", "in", "type", "meaning"], rows);
}

function bodyOf(o: Operation, linkTo: LinkTo): string {
  if (!o.body) return "";
  const schema = plain(o.body);
  return paragraphs(
    `**Body**${o.bodyOptional ? ", which may be left out" : ""}`,
    table(["member", "type", "meaning"], rowsOf(fieldsOf(schema, linkTo), true)),
    valuesOf(schema, linkTo),
  );
}

export const valuesOf = (schema: Schema, linkTo: LinkTo): string =>
  longEnumsOf(schema, linkTo)
    .map(({ name, values }) => `Values of ${code(name)}: ${values.map(code).join(", ")}.`)
    .join("\n\n");

function responseOf(o: Operation, linkTo: LinkTo): string {
  return responsesOf(o)
    .map((reply) => {
      if (reply.schema === undefined) {
        const what = reply.contentType === undefined ? "no body" : code(reply.contentType);
        return `**Response** ${code(String(reply.status))}: ${reply.description ?? what}`;
      }
      const schema = plain(reply.schema);
      const item = schema.properties?.["data"]?.items;
      const isList = item !== undefined && schema.properties?.["nextCursor"] !== undefined;
      const shape = isList ? `a page of ${typeOf(item, linkTo)}` : typeOf(schema, linkTo);
      const description = reply.description === undefined ? "" : ` ${reply.description}`;
      if (shape === "object" && schema.properties !== undefined)
        return paragraphs(
          `**Response** ${code(String(reply.status))}${description}`,
          table(["member", "type", "meaning"], rowsOf(fieldsOf(schema, linkTo), false)),
          valuesOf(schema, linkTo),
        );
      return `**Response** ${code(String(reply.status))}: ${shape}.${description}`;
    })
    .join("\n\n");
}

function exampleOf(id: OperationId): string {
  const { note, response, text, responseHeaders } = examples[id];
  const headers = Object.entries(responseHeaders ?? {}).map(([name, value]) => `${name}: ${value}`);
  return paragraphs(
    "**Example**",
    note,
    block("sh", curlOf(id)),
    headers.length === 0 ? undefined : block("http", headers.join("\n")),
    response === undefined ? undefined : block("json", compactJson(response)),
    text === undefined ? undefined : block("text", text),
  );
}

function errorsOf(o: Operation): string {
  const rows = o.errors.map((name: ErrorCode) => {
    const { status, meaning, action } = errorCodes[name];
    return [`[${code(name)}](../errors.md#${name})`, String(status), cell(meaning), cell(action)];
  });
  return paragraphs(
    `**Errors**: ${rows.length === 0 ? "only those that [every operation](../api.md#errors) can respond with." : "beside those of [every operation](../api.md#errors):"}`,
    table(["code", "status", "when", "what to do"], rows),
  );
}
