/** A thread beside one that may be busy for ever: ends the process when its parent is gone. */
import { workerData } from "node:worker_threads";

const LOOK_EVERY_MS = 1_000;

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, "SIGKILL");
}, LOOK_EVERY_MS);
