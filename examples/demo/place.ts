/**
 * Where the demo keeps its things: `demo-output/`. A finished demo makes room for a new one; an unfinished one is taken up. The ports
 * are chosen once, since the service has them in its data.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { takeLock } from "../../packages/cli/src/local/lock.ts";
import { findFreePort } from "../../packages/server/src/platform/free-port.ts";

const LOCK = "lock.sqlite";

interface State {
  adminKey: string;
  servicePort: number;
  modelPort: number;
  receiverPort: number;
}

export interface Place extends State {
  isResumed: boolean;
  /** Of a file in the folder. */
  path(name: string): string;
  /** The same, as people write it. */
  shown(name: string): string;
  finish(): void;
}

/** Undefined while another demo has the folder. */
export async function openPlace(): Promise<Place | undefined> {
  const directory = resolve("demo-output");
  const path = (name: string): string => join(directory, name);
  mkdirSync(directory, { recursive: true });
  if (takeLock(path(LOCK)) === undefined) return undefined; // the process has it to its end
  if (existsSync(path("finished"))) clear(directory);
  const isResumed = existsSync(path("state.json"));
  if (!isResumed) {
    // Without its state, whatever is there is of no demo that could go on.
    clear(directory);
    writeWhole(path("state.json"), JSON.stringify(await newState()));
  }
  const state = JSON.parse(readFileSync(path("state.json"), "utf8")) as State; // written above
  return {
    ...state,
    isResumed,
    path,
    shown: (name) => relative(process.cwd(), path(name)),
    finish: () => writeWhole(path("finished"), `${new Date().toISOString()}\n`),
  };
}

function clear(directory: string): void {
  // A service whose demo was killed may still be stopping.
  for (const name of readdirSync(directory))
    if (!name.startsWith(LOCK)) rmSync(join(directory, name), { recursive: true, force: true, maxRetries: 20 });
}

function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.part`, text, { mode: 0o600, flush: true });
  renameSync(`${file}.part`, file);
}

async function newState(): Promise<State> {
  const ports = new Set<number>();
  while (ports.size < 3) ports.add(await findFreePort());
  const [servicePort = 0, modelPort = 0, receiverPort = 0] = ports;
  return { adminKey: `demo_${randomBytes(24).toString("hex")}`, servicePort, modelPort, receiverPort };
}
