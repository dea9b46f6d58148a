/** Who has started a run, as the list and the description show it. */
import { Rowmill } from "@rowmill/client";
import type { Body } from "@rowmill/client";
import { newDataset, newJobSpec } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, test } from "vitest";
import { newPlace } from "../testing/command-process.ts";
import { typeCommand } from "../testing/in-process.ts";
import type { Said } from "../testing/in-process.ts";

const service = await startTestService();

async function startedByTwo() {
  const { api, apiKey, organizationId } = await service.newOrganization();
  const owner = new Rowmill({ baseUrl: service.url, apiKey });
  const newKey = (name: string, scopes?: Body<"createApiKey">["scopes"]) =>
    owner.organizations.apiKeys.create(organizationId, { name, ...(scopes && { scopes }) });
  const [ada, ben] = [await newKey("Ada"), await newKey("Ben")];
  const { id: datasetId } = await newDataset(api, [{ n: 1 }], "r20.csv");
  const { id: jobSpecId } = await newJobSpec(api);
  const start = (key: string | undefined) =>
    new Rowmill({ baseUrl: service.url, apiKey: key ?? "" }).runs.create({
      datasetId,
      jobSpecId,
      scope: { type: "all" },
    });
  const type = (key: string, ...args: string[]): Promise<Said> =>
    typeCommand({ ...newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: key }), directory: "/" }, ...args);
  return { apiKey, organizationId, owner, newKey, ada, ben, start, type };
}

test("the list has the name of each key where there are several, and JSON has the ids", async () => {
  const { apiKey, organizationId, owner, ada, ben, start, type } = await startedByTwo();
  await start(ada.key);
  expect((await type(apiKey, "runs")).stdout).not.toContain("started by");
  await start(ben.key);
  await owner.organizations.apiKeys.revoke(organizationId, ben.id);
  const { stdout } = await type(apiKey, "runs");
  expect(stdout).toMatch(/^run .* started by.*\nrun_.* Ben.*\nrun_.* Ada/);
  const { data } = JSON.parse((await type(apiKey, "runs", "--json")).stdout) as { data: object[] };
  expect(data).toMatchObject([{ apiKeyId: ben.id }, { apiKeyId: ada.id }]);
});

test("the runs of one key are listed by its id or name, also of one that is revoked, as the revocation shows", async () => {
  const { apiKey, newKey, ada, ben, start, type } = await startedByTwo();
  const first = await start(ada.key);
  const second = await start(ben.key);
  const idsOf = async (...args: string[]): Promise<string[]> =>
    (JSON.parse((await type(apiKey, ...args, "--json")).stdout) as { data: { id: string }[] }).data.map(({ id }) => id);
  expect(await idsOf("runs", "--key", "Ada")).toEqual([first.id]);
  const { stdout } = await type(apiKey, "keys", "revoke", "Ben");
  const [, command = ""] = /^ {2}rowmill (.+)$/m.exec(stdout) ?? [];
  expect(command).toBe(`runs --key ${ben.id}`);
  expect(await idsOf(...command.split(" "))).toEqual([second.id]);
  expect(await idsOf("runs", "--key", "Ben")).toEqual([second.id]);
  const viewer = (await newKey("Viewer", ["runs:read"])).key ?? "";
  expect((await type(viewer, "runs", "--key", ada.id)).stdout).toContain(first.id);
  expect(await type(viewer, "runs", "--key", "Ada")).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("may not read the names of keys") as string,
  });
});

test("a run is shown with the key's name and id", async () => {
  const { apiKey, ada, start, type } = await startedByTwo();
  const { id } = await start(ada.key);
  expect((await type(apiKey, "runs", "show", id)).stdout).toContain(`started by  Ada (${ada.id})\n`);
  expect(JSON.parse((await type(apiKey, "runs", "show", id, "--json")).stdout)).toMatchObject({ apiKeyId: ada.id });
});

test("with a key that may not read keys there are ids, and no attempt is in the audit", async () => {
  const { organizationId, owner, newKey, ada, ben, start, type } = await startedByTwo();
  const viewer = (await newKey("Viewer", ["runs:read"])).key ?? "";
  const { id } = await start(ada.key);
  await start(ben.key);
  expect((await type(viewer, "runs")).stdout).toMatch(new RegExp(`${ben.id}.*\n.*${ada.id}`));
  expect((await type(viewer, "runs", "show", id)).stdout).toContain(`started by  ${ada.id}\n`);
  expect((await owner.organizations.auditEvents(organizationId, { type: ["auth.denied"] })).data).toEqual([]);
});
