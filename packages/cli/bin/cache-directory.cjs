"use strict";
const { homedir } = require("node:os");
const { join } = require("node:path");

/** What can be made again: nothing is lost with it. */
const cacheDirectory = () => join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "rowmill");

module.exports = { cacheDirectory };
