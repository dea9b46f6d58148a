/** The examples of the reference are true: they have the shapes of the contract, and a real service responds like this. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { operationIds, operations } from "@rowmill/contract";
import type { OperationId } from "@rowmill/contract";
import { examples } from "@rowmill/contract/examples/examples";
import type { Operation } from "@rowmill/contract/operation";
import { components } from "@rowmill/contract/schemas";
import { receiverSettings, startReceiver } from "@rowmill/server/testing/receiver";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, test } from "vitest";
import { compare } from "./support/compare-examples.ts";
import { steps, walkAll } from "./support/example-walk.ts";

const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: true, validateFormats: false });
for (const [name, schema] of components) ajv.addSchema(schema, name);

/** Without a schema there is nothing to show. */
function problemsOf(schema: object | undefined, value: unknown): string | undefined {
  if (schema === undefined) return value === undefined ? undefined : "it is not in the contract";
  const validate = ajv.compile(schema);
  return validate(value) ? undefined : ajv.errorsText(validate.errors, { separator: "\n" });
}

test.each(operationIds)("the example of %s has the parameters, the body and the response of the contract", (id) => {
  const o: Operation = operations[id];
  const { params = {}, query = {}, body, response, text } = examples[id];
  expect(Object.keys(params).toSorted()).toEqual(Object.keys(o.params ?? {}).toSorted());
  const known = new Set([
    ...Object.keys(o.query?.properties ?? {}),
    ...Object.keys(o.filters ?? {}),
    "limit",
    "cursor",
  ]);
  for (const name of Object.keys(query)) expect(known).toContain(name.replace(/\[.*$/, ""));
  expect(problemsOf(o.body, body)).toBeUndefined();
  expect(problemsOf(o.response.schema, response)).toBeUndefined();
  expect(o.response.contentType !== undefined).toBe(text !== undefined);
});

test("every example is in the walk, or says why not", () => {
  const walked = steps.filter((step): step is OperationId => typeof step === "string");
  const left = operationIds.filter((id) => !walked.includes(id));
  expect(left.filter((id) => examples[id].notWalked === undefined)).toEqual([]);
  expect(new Set(walked).size).toBe(walked.length);
});

test("a real service responds to the examples as they say", async () => {
  const receiver = await startReceiver("hooks.example.com");
  const service = await startTestService({ ...receiverSettings(receiver), ROWMILL_WEBHOOK_RETRY_SCHEDULE: "0,3600" });
  const compared: OperationId[] = [];
  await walkAll({
    service,
    examples,
    real: new Map(),
    startedAt: Date.now(),
    check(id, reply) {
      if (examples[id].notWalked !== undefined) return;
      compare(this, id, reply);
      compared.push(id);
    },
  });
  expect(compared).toEqual(expect.arrayContaining(operationIds.filter((id) => examples[id].notWalked === undefined)));
});
