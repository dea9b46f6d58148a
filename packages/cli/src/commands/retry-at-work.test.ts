import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Rowmill } from "@rowmill/client";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, test } from "vitest";
import { newPlace } from "../testing/command-process.ts";
import { typeCommand } from "../testing/in-process.ts";

test("a retry warns of another one that may have the same rows, and has not ended", async () => {
  const service = await startTestService();
  const { apiKey, organizationId } = await service.newOrganization();
  const { environment, folder } = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  const type = (...args: string[]) => typeCommand({ environment, directory: folder }, ...args);
  const newSpec = async (processor: object, ...args: string[]) => {
    writeFileSync(
      join(folder, "spec.json"),
      JSON.stringify({ name: "Echo", processor: { type: "mock", ...processor } }),
    );
    return type("specs", "new", join(folder, "spec.json"), ...args);
  };
  writeFileSync(join(folder, "in.csv"), "id\n1\n2\n3\n");
  expect(await type("upload", join(folder, "in.csv"))).toMatchObject({ code: 0 });
  expect(await newSpec({ failEvery: 3 })).toMatchObject({ code: 0 });
  const { run } = JSON.parse((await type("run", "in.csv", "Echo", "--json")).stdout) as { run: { id: string } };
  // Nothing but a cancel ends the rows of this version.
  expect(await newSpec({ delayMs: 60_000 }, "--to", "Echo")).toMatchObject({ code: 0 });

  const retry = () => type("retry", run.id, "--version", "2", "--detach");
  const first = await retry();
  expect(first).toMatchObject({ code: 0, stderr: expect.not.stringContaining("twice") as string });
  const id = /run_[0-9a-z]{26}/.exec(first.stdout + first.stderr)?.[0] ?? "none";
  const second = await retry();
  expect(second).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(
      `Retry ${id} has not ended: rows that it has not finished yet may be processed, and paid, twice.`,
    ) as string,
  });
  // Of another person it has the name.
  const owner = new Rowmill({ baseUrl: service.url, apiKey });
  const { key = "", name } = await owner.organizations.apiKeys.create(organizationId, { name: "Ben" });
  const ofBen = { environment: { ...environment, ROWMILL_API_KEY: key }, directory: folder };
  const other = await typeCommand(ofBen, "retry", run.id, "--version", "2", "--detach");
  const ofOwner = new RegExp(`Retry ${id}, which .+ \\(key_\\w+\\) has started, has not ended: rows`);
  expect([name, other.code, other.stderr]).toEqual(["Ben", 0, expect.stringMatching(ofOwner)]);
  const ids = [id, ...(second.stdout + second.stderr + other.stdout + other.stderr).matchAll(/run_[0-9a-z]{26}/g)];
  for (const one of new Set(ids.map(String))) await type("cancel", one);
});

test("a run or a retry with -o names the same file in the command that retries what is left", async () => {
  const service = await startTestService();
  const { apiKey } = await service.newOrganization();
  const { environment, folder } = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  const type = (...args: string[]) => typeCommand({ environment, directory: folder }, ...args);
  const at = (name: string) => join(folder, name);
  const processor = { type: "mock", failEvery: 3 };
  writeFileSync(at("spec.json"), JSON.stringify({ name: "Echo", processor }));
  writeFileSync(at("in.csv"), "id\n1\n2\n3\n");
  expect(await type("upload", at("in.csv"))).toMatchObject({ code: 0 });
  expect(await type("specs", "new", at("spec.json"))).toMatchObject({ code: 0 });
  const first = await type("run", "in.csv", "Echo", "-o", at("a table.csv"));
  const again = await type("retry", "-o", at("a table.csv"), "--force");
  const without = await type("retry");
  for (const { stdout } of [first, again])
    expect(stdout).toMatch(/^Next: rowmill retry run_\w{26} -o '.+a table\.csv' --force$/m);
  expect(without.stdout).toMatch(/^Next: rowmill retry run_\w{26}$/m);
});
