#!/usr/bin/env node
"use strict";
/**
 * The command itself is an ES module for Node 22.15 or newer. This file runs on any Node since 20: with an older one it starts
 * the command again under a newer Node, which npm fetches once into the user's cache. In a checkout, which has no build, it starts
 * the source under the Node of the checkout.
 */
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

const manifest = require("../package.json");
const [major, minor] = process.versions.node.split(".").map(Number);
const build = join(__dirname, "..", "dist", "main.js");
const source = join(__dirname, "..", "src", "main.ts");
// The service that a command starts uses the compiled modules, too. They are in the user's own directory: Node's default is one that
// all users of the machine share.
process.env.NODE_COMPILE_CACHE ||= join(require("./cache-directory.cjs").cacheDirectory(), "compiled");

if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-V")) {
  process.stdout.write(`${manifest.version}\n`);
} else if (!existsSync(build) && existsSync(source)) {
  require("./newer-node.cjs").runSource(source, join(__dirname, "..", "..", ".."));
} else if (major > 22 || (major === 22 && minor >= 15)) {
  require("node:module").enableCompileCache(process.env.NODE_COMPILE_CACHE);
  if (existsSync(build)) void import(pathToFileURL(build).href);
  else {
    process.stderr.write("rowmill: this package has no build.\n  Install it again, or report this as a defect.\n");
    process.exitCode = 1;
  }
} else {
  require("./newer-node.cjs").runWithNewerNode(__filename, manifest.rowmill.node);
}
