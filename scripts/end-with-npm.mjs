/**
 * Loaded by `npm start` into the service, which ends when npm has ended. npm starts a shell, and the shell starts the service: a signal to
 * npm ends the two of them, and would leave the service behind.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const LOOK_EVERY_MS = 250;

/** The processes between this one and npm, npm included. Without npm there are none, and nobody is watched. */
function findStarters() {
  const starters = [];
  // A shell or two may stand between.
  for (let pid = process.ppid; pid > 1 && starters.length < 3;) {
    const found = describe(pid);
    if (found === undefined) return [];
    starters.push(pid);
    if (/^npm\b/.test(found.title)) return starters;
    pid = found.parent;
  }
  return [];
}

/** Its title, which npm sets to what it runs, and its parent; undefined where the system does not say. */
function describe(pid) {
  try {
    if (process.platform === "linux") {
      const [, parent = ""] = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      return { title: readFileSync(`/proc/${pid}/comm`, "utf8").trim(), parent: Number(parent) };
    }
    if (process.platform === "win32") return undefined;
    const line = execFileSync("ps", ["-o", "ppid=,command=", "-p", String(pid)], { encoding: "utf8" }).trim();
    const [, parent = "", title = ""] = /^(\d+)\s+(.*)$/s.exec(line) ?? [];
    return { title, parent: Number(parent) };
  } catch {
    // It has just ended, or may not be asked for: then the service goes on as it would without this file.
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    // One that has ended, and for which nobody has asked yet, can still be sent signals.
    return process.platform !== "linux" || !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch (error) {
    return error.code !== "ESRCH" && error.code !== "ENOENT";
  }
}

// Threads of the service load what it has loaded.
if (isMainThread && process.env.npm_lifecycle_event === "start") {
  const starters = findStarters();
  const timer = setInterval(() => {
    if (starters.every(isAlive)) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, LOOK_EVERY_MS);
  timer.unref();
  if (starters.length === 0) clearInterval(timer);
}
