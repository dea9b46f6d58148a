/** Whether another user of this machine reaches a folder: tests that run our code as one need it. */
import { stat } from "node:fs/promises";
import { dirname } from "node:path";

export async function isOpenToOthers(folder: string): Promise<boolean> {
  for (let path = folder; ; path = dirname(path)) {
    if (((await stat(path)).mode & 0o001) === 0) return false;
    if (path === dirname(path)) return true;
  }
}
