import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeEach, expect, test } from "vitest";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";

const LAUNCHER = fileURLToPath(new URL("../bin/newer-node.cjs", import.meta.url));
/** No process has it: ids go up to 2^22. */
const NOBODY = 2 ** 22 + 1;

let folder = "";
let cache = "";
beforeEach(async () => {
  const made = await mkdtemp(join(tmpdir(), "rowmill-newer-node-"));
  cleanUpLater(() => rm(made, { recursive: true, force: true }));
  folder = made;
  cache = join(made, "cache", "rowmill");
});

/** An `npm` of which each call runs this script of a shell. */
async function installNpm(script: string): Promise<void> {
  await writeFile(join(folder, "npm"), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, "npm"), 0o755);
}

const NODE_MADE = `
  mkdir -p node_modules/node/bin
  printf '#!/bin/sh\\necho "ran $*"\\n' > node_modules/node/bin/node
  chmod +x node_modules/node/bin/node`;

const launch = (environment: Record<string, string> = {}) =>
  promisify(execFile)(
    process.execPath,
    ["-e", `require(${JSON.stringify(LAUNCHER)}).runWithNewerNode("main.cjs", "99.1.2")`],
    {
      env: {
        PATH: `${folder}${delimiter}/usr/bin${delimiter}/bin`,
        XDG_CACHE_HOME: join(folder, "cache"),
        ...environment,
      },
    },
  );

test("npm fetches Node in a project of its own, with the settings of the machine, and once", async () => {
  await installNpm(`pwd > ${folder}/place; cat package.json > ${folder}/project; echo "$@" > ${folder}/arguments
    env > ${folder}/environment ${NODE_MADE}`);
  const settings = { npm_config_registry: "https://npm.example.com", npm_config_globalconfig: "/etc/npmrc" };
  const first = await launch({ ...settings, npm_config_global: "true", npm_package_name: "outer" });
  expect(first.stdout).toBe("ran main.cjs\n");
  expect(first.stderr).toContain("Fetching Node 99.1.2 once into");
  expect(await readFile(join(folder, "place"), "utf8")).toMatch(/\/cache\/rowmill\/node-99\.1\.2\.\d+\.part\n$/);
  expect(await readFile(join(folder, "project"), "utf8")).toBe('{"private":true}');
  // With another prefix, npm does not read the settings of the machine.
  expect(await readFile(join(folder, "arguments"), "utf8")).not.toContain("prefix");
  const environment = await readFile(join(folder, "environment"), "utf8");
  for (const [name, value] of Object.entries(settings)) expect(environment).toContain(`${name}=${value}\n`);
  expect(environment).not.toMatch(/npm_config_global=|npm_package_name=/);
  expect(await readdir(cache)).toEqual(["node-99.1.2"]);

  await installNpm("exit 9");
  expect(await launch()).toEqual({ stdout: "ran main.cjs\n", stderr: "" });
});

test("what an ended command has left is removed, and not what another one fetches at the moment", async () => {
  await installNpm(NODE_MADE);
  for (const name of [`node-98.0.0.${NOBODY}.part`, `node-98.0.0.${process.pid}.part`, "node-97.0.0"])
    await mkdir(join(cache, name, "node_modules"), { recursive: true });
  await launch();
  expect((await readdir(cache)).toSorted()).toEqual(["node-97.0.0", `node-98.0.0.${process.pid}.part`, "node-99.1.2"]);
});

test.each([
  ["exit 0", "npm has not run the script that installs it. Its setting `ignore-scripts` may be on."],
  ["echo 'npm error request failed, reason: no route' >&2; exit 1", "request failed, reason: no route"],
])("after `%s`, the reason is said, and nothing is left", async (script, reason) => {
  await installNpm(script);
  await expect(launch()).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Node 99.1.2 could not be fetched: ${reason}\n  Install Node 24`) as string,
  });
  expect(await readdir(cache)).toEqual([]);
});
