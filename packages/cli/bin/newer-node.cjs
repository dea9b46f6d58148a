"use strict";
/**
 * Runs the command under the Node that it needs. A Node is 120 MB, most users have one that is new enough, and npm cannot install
 * a dependency for some of them only; so it is fetched when it is needed, with the user's own npm and registry.
 */
const { spawn, spawnSync } = require("node:child_process");
const { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { cacheDirectory } = require("./cache-directory.cjs");

function runWithNewerNode(script, version) {
  const node = findNode(version) ?? fetchNode(version);
  if (node === undefined) {
    process.exitCode = 1;
    return;
  }
  run(node, [script], `Node ${version}`);
}

/** From a checkout: its sources under the Node that its `npm install` has fetched. */
function runSource(main, checkout) {
  const node = programIn(checkout);
  if (existsSync(node)) run(node, ["--conditions=@rowmill/source", main], "The Node of the checkout");
  else {
    process.stderr.write(`rowmill: this checkout is not installed.\n  Run \`npm install\` in ${checkout}.\n`);
    process.exitCode = 1;
  }
}

function run(node, args, name) {
  // The channel is closed however this process ends: the child ends with it, instead of going on with nobody.
  const child = spawn(node, [...args, ...process.argv.slice(2)], { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // A terminal sends Ctrl-C to the whole group, a program to this process alone. SIGTERM is the same as the first Ctrl-C for the
  // command, and not a second one, which would end it at once.
  process.on("SIGINT", () => child.kill("SIGTERM"));
  child.on("error", (error) => fail(`${name} does not start: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exitCode = code;
    else {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
}

const programIn = (folder) =>
  join(folder, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");

function findNode(version) {
  const own = process.env.ROWMILL_NODE;
  if (own) return own;
  const cached = programIn(join(cacheDirectory(), `node-${version}`));
  return existsSync(cached) ? cached : undefined;
}

function fetchNode(version) {
  const folder = join(cacheDirectory(), `node-${version}`);
  const unfinished = `${folder}.${process.pid}.part`;
  process.stderr.write(
    `Rowmill needs Node 22.15 or newer, and this is ${process.versions.node}. Fetching Node ${version} once into ${folder} …\n`,
  );
  try {
    removeAbandoned();
    mkdirSync(unfinished, { recursive: true });
    // npm installs into the folder that it is started in, if that is a project. With `--prefix`, it would look for the settings of the
    // machine (registry, proxy, certificates) there, too, and find none.
    writeFileSync(join(unfinished, "package.json"), '{"private":true}');
  } catch (error) {
    fail(`Node ${version} cannot be kept in ${folder}: ${error.code}`);
    return undefined;
  }
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", "--foreground-scripts=false"];
  const fetched = spawnSync(npm, [...args, `node@${version}`], {
    cwd: unfinished,
    encoding: "utf8",
    shell: process.platform === "win32",
    env: withoutNpmSettings(process.env),
  });
  if (fetched.status === 0 && existsSync(programIn(unfinished))) {
    try {
      renameSync(unfinished, folder);
    } catch (error) {
      // Another command has fetched it in the meantime.
      rmSync(unfinished, { recursive: true, force: true });
      if (!existsSync(programIn(folder))) throw error;
    }
    return programIn(folder);
  }
  rmSync(unfinished, { recursive: true, force: true });
  fail(`Node ${version} could not be fetched: ${reasonOf(fetched)}`);
  return undefined;
}

/** What a command has left that was ended while it fetched: up to 120 MB. */
function removeAbandoned() {
  const directory = cacheDirectory();
  for (const name of existsSync(directory) ? readdirSync(directory) : []) {
    const pid = /^node-.*\.(\d+)\.part$/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(directory, name), { recursive: true, force: true });
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code !== "ESRCH";
  }
}

/** @param {import("node:child_process").SpawnSyncReturns<string>} fetched */
function reasonOf({ status, stderr, error }) {
  if (status === 0) return "npm has not run the script that installs it. Its setting `ignore-scripts` may be on.";
  return reasonIn(stderr ?? "", error);
}

/**
 * The line that says why, of all that npm prints.
 * @param {string} stderr
 * @param {Error | undefined} error
 * @returns {string}
 */
function reasonIn(stderr, error) {
  const lines = stderr.split("\n").map((line) => line.replace(/^npm (error|ERR!) ?/, "").trim());
  const said = lines.filter((line) => line !== "" && !/^(code|errno|syscall|A complete log)\b/.test(line));
  return said.find((line) => /reason:|ENOSPC|no space/i.test(line)) ?? said[0] ?? error?.message ?? "npm failed";
}

/** Under `npx`, npm's own variables would make this install one of the outer project. */
function withoutNpmSettings(environment) {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !/^npm_(config_(local_prefix|global|location|workspaces?)$|package_|lifecycle_)/i.test(name),
    ),
  );
}

function fail(what) {
  process.stderr.write(`rowmill: ${what}\n  Install Node 24, or name a newer one in ROWMILL_NODE.\n`);
  process.exitCode = 1;
}

module.exports = { runWithNewerNode, runSource };
