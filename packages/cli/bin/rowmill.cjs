#!/usr/bin/env node
"use strict";
/**
 * The command itself is an ES module for Node 22.15 or newer. This file runs on any Node since 20: with an older one it starts
 * the command again under a newer Node, which npm fetches once into the user's cache.
 */
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

const manifest = require("../package.json");
const [major, minor] = process.versions.node.split(".").map(Number);

if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-V")) {
  process.stdout.write(`${manifest.version}\n`);
} else if (major > 22 || (major === 22 && minor >= 15)) {
  // In the user's own directory: Node's default is one that all users of the machine share. The service that a command starts uses it, too.
  process.env.NODE_COMPILE_CACHE ||= join(require("./cache-directory.cjs").cacheDirectory(), "compiled");
  require("node:module").enableCompileCache(process.env.NODE_COMPILE_CACHE);
  // In a checkout there is no build: `npm run rowmill` runs the source.
  const main = join(__dirname, "..", "dist", "main.js");
  if (existsSync(main)) void import(pathToFileURL(main).href);
  else {
    process.stderr.write("rowmill: this package has no build.\n  In a checkout use `npm run rowmill -- …`.\n");
    process.exitCode = 1;
  }
} else {
  require("./newer-node.cjs").runWithNewerNode(__filename, manifest.rowmill.node);
}
