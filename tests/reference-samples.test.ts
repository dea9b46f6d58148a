/** Samples in the reference are made from the OpenAPI document: what is required in a request has an example there. */
import { expect, test } from "vitest";
import { makeOpenApi } from "@rowmill/contract/openapi";

interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  examples?: unknown[];
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}
interface Document {
  components: { schemas: Record<string, Schema> };
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        parameters?: { name: string; example?: unknown; schema: Schema }[];
        requestBody?: { content: Record<string, { schema: Schema }> };
      }
    >
  >;
}

const document = JSON.parse(JSON.stringify(makeOpenApi())) as Document; // its own members
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

test("every Idempotency-Key has an example", () => {
  const headers = operations.flatMap(({ parameters = [] }) =>
    parameters.filter(({ name }) => name === "Idempotency-Key"),
  );
  expect(headers.length).toBeGreaterThan(10);
  for (const { example, schema } of headers) expect([example, schema.examples?.[0]]).toEqual([example, example]);
  for (const { example } of headers) expect(example).toMatch(/^[!-~]{8,}$/);
});

test("every required text of a body has an example", () => {
  const bare: string[] = [];
  const visit = (schema: Schema, at: string, isRequired: boolean): void => {
    const s =
      schema.$ref === undefined ? schema : (document.components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
    const isFree = s.const === undefined && s.enum === undefined && s.default === undefined;
    if (isRequired && s.type === "string" && isFree && typeof s.examples?.[0] !== "string") bare.push(at);
    for (const [name, member] of Object.entries(s.properties ?? {}))
      visit(member, `${at}.${name}`, s.required?.includes(name) === true || name === "name");
    for (const variant of [...(s.oneOf ?? []), ...(s.anyOf ?? [])]) visit(variant, at, isRequired);
    if (s.items) visit(s.items, `${at}[]`, true);
  };
  for (const { operationId, requestBody } of operations) {
    const schema = requestBody?.content["application/json"]?.schema;
    if (schema) visit(schema, operationId, true);
  }
  expect(bare).toEqual([]);
});
