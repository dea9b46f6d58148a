/** Where the command's own service keeps its things. */
import { homedir } from "node:os";
import { join } from "node:path";

export interface LocalDirectory {
  /** All of it. */
  root: string;
  /** Who runs the service holds a lock on this file. */
  lock: string;
  /** Where the service is, for commands that join it. */
  control: string;
  /** The organization's key. */
  key: string;
  /** The service's own data: database and files. */
  data: string;
  log: string;
}

export function localDirectory(environment: Readonly<Record<string, string | undefined>>): LocalDirectory {
  const root = join(dataHome(environment), "rowmill");
  return {
    root,
    lock: join(root, "lock.sqlite"),
    control: join(root, "control.json"),
    key: join(root, "key"),
    data: join(root, "data"),
    log: join(root, "service.log"),
  };
}

/** The XDG directory everywhere but on Windows. */
function dataHome(environment: Readonly<Record<string, string | undefined>>): string {
  const named = environment["XDG_DATA_HOME"];
  if (named !== undefined && named !== "") return named;
  if (process.platform === "win32") return environment["LOCALAPPDATA"] || join(homedir(), "AppData", "Local");
  return join(homedir(), ".local", "share");
}
