// npm leaves out, without a word, optional packages whose `engines` refuse the Node that runs npm: on Node 20.0–20.18, 21 and
// 22.0–22.11 the native bindings of the linter and the test runner would be missing. A second pass under the pinned Node adds them.
import { spawnSync } from "node:child_process";

const [, major, minor] = /node\/v(\d+)\.(\d+)/.exec(process.env.npm_config_user_agent ?? "")?.map(Number) ?? [0, 99, 0];
const npmNodeIsFine = major >= 23 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);
if (!npmNodeIsFine && !process.env.ROWMILL_INSTALL_SECOND_PASS) {
  const again = spawnSync(
    process.execPath,
    [process.env.npm_execpath, "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"],
    { stdio: "inherit", env: { ...process.env, ROWMILL_INSTALL_SECOND_PASS: "1" } },
  );
  if (again.status !== 0) process.exit(again.status ?? 1);
}

// Every start would build them, too; here they wait for nobody.
for (const script of ["packages/console/build.ts", "tools/docs/site/build.ts"]) {
  const built = spawnSync(process.execPath, [script], { stdio: "inherit" });
  if (built.status !== 0) process.exit(built.status ?? 1);
}
