import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createApi } from "../../testing/api.ts";
import { startTestService } from "../../testing/service.ts";
import { runMain } from "../../testing/service-process.ts";

test("the first start makes an organization and a key for its owner alone; later starts make none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rowmill-first-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const keyFile = join(folder, "key");
  const first = await startTestService({ ROWMILL_INIT_ORGANIZATION: "Acme", ROWMILL_INIT_KEY_FILE: keyFile });
  const key = (await readFile(keyFile, "utf8")).trim();
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  const me = await createApi(first.url, key, () => "")<{ organization: { name: string } | null }>("GET", "/v1/me");
  expect(me.status).toBe(200);
  await first.stop();

  const second = await startTestService({ ...first.settings, ROWMILL_PORT: "0" });
  expect((await readFile(keyFile, "utf8")).trim()).toBe(key);
  const { body } = await second.api<{ data: { name: string }[] }>("GET", "/v1/organizations");
  expect(body.data.map(({ name }) => name)).toEqual(["Acme"]);
});

test("a start with one of the two settings, or in development on a public address, is refused", async () => {
  const half = await runMain({ ROWMILL_INIT_ORGANIZATION: "Acme" });
  expect(half.code).toBe(1);
  expect(half.output).toContain("must be set together");
  const open = await runMain({ ROWMILL_MODE: "development", ROWMILL_HOST: "0.0.0.0" });
  expect(open.code).toBe(1);
  expect(open.output).toContain("listens on loopback only");
});
