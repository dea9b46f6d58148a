/** A stop in a process of which nothing else is left, while its server starts again. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { undo } from "../../../testing/cleanup.ts";
import { useTemplate } from "./embedded-testing.ts";
import { readPostmasterFile } from "./postmaster-pid.ts";

const template = useTemplate("stopped-while-lost");

const urlOf = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);
const SOURCE = `
  import { readFileSync } from "node:fs";
  import { join } from "node:path";
  import { setTimeout as pause } from "node:timers/promises";
  import { startEmbeddedDatabase } from ${urlOf("./embedded-database.ts")};
  import { readPostmasterFile } from ${urlOf("./postmaster-pid.ts")};
  const dataDirectory = process.argv[1];
  const pgdata = join(dataDirectory, "cluster", "pgdata");
  const { stop } = await startEmbeddedDatabase({ dataDirectory, takesBack: true });
  const { pid } = await readPostmasterFile(pgdata);
  process.kill(pid, "SIGINT");
  const readFirstLine = () => {
    try {
      return readFileSync(join(pgdata, "postmaster.pid"), "utf8").split("\\n")[0];
    } catch {
      return undefined;
    }
  };
  // The moment without a file may be too short to be seen.
  while ([undefined, String(pid)].includes(readFirstLine())) await pause(1);
  await stop();`;

test("keeps the process until the server has ended", async () => {
  const dataDirectory = await template.copy();
  const child = spawn(process.execPath, ["--input-type=module", "--eval", SOURCE, dataDirectory], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  undo.push(() => void child.kill("SIGKILL"));
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(await readPostmasterFile(`${dataDirectory}/cluster/pgdata`)).toBeUndefined();
});
