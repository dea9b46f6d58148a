/** `npm start`: what it starts ends with it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { undo } from "@rowmill/server/testing/cleanup";
import { waitFor } from "@rowmill/server/testing/wait";

const WATCHER = new URL("../scripts/end-with-npm.mjs", import.meta.url);

/** In place of the service: names its process, and writes a file when it is asked to end. */
const SERVICE = `
import { writeFileSync } from "node:fs";
process.on("SIGTERM", () => {
  writeFileSync("ended", "SIGTERM");
  process.exit(0);
});
setInterval(() => undefined, 60_000);
console.log("service " + process.pid);
`;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test.skipIf(process.platform === "win32").each(["SIGTERM", "SIGKILL"] as const)(
  "%s to npm ends the service, which is asked to",
  async (signal) => {
    const folder = await mkdtemp(join(tmpdir(), "rowmill-npm-start-"));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const start = `node -e 0 && node --import=${WATCHER.href} service.mjs`;
    await writeFile(
      join(folder, "package.json"),
      JSON.stringify({ name: "started", version: "1.0.0", scripts: { start } }),
    );
    await writeFile(join(folder, "service.mjs"), SERVICE);
    const npm = spawn("npm", ["start"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(npm, "exit");
    let service = 0;
    undo.push(() => {
      npm.kill("SIGKILL");
      if (service > 0 && isAlive(service)) process.kill(service, "SIGKILL");
    });
    for await (const line of createInterface(npm.stdout)) {
      service = Number(/^service (\d+)$/.exec(line)?.[1] ?? 0);
      if (service > 0) break;
    }
    npm.kill(signal);
    await ended;
    // Its process stays in the list where nobody takes up its exit code.
    const readEnd = async () => (await readFile(join(folder, "ended"), "utf8").catch(() => "")) || undefined;
    expect(await waitFor(readEnd, { what: "the service ends" })).toBe("SIGTERM");
  },
);

test("the service of a checkout is started so", async () => {
  const { scripts } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8")) as {
    scripts: { start: string };
  };
  expect(scripts.start).toContain("node --import=./scripts/end-with-npm.mjs ");
});
