/**
 * What a campaign breaks:
 *
 *   many    one `api` and two `worker` processes on one PostgreSQL, each with a wire of its own to it
 *   single  one process with the database that it brings along
 *   cluster as `many`, with its large tables distributed over two more servers by Citus; only where it is asked for
 *
 * Like a supervisor, `recover` starts what has ended; nothing else helps a process.
 */
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Organization } from "@rowmill/contract/organizations";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import { createClient } from "./client.ts";
import type { Client } from "./client.ts";
import { createCitusServer } from "./citus-server.ts";
import { createDatabaseServer } from "./database-server.ts";
import type { DatabaseServer } from "./database-server.ts";
import { until } from "./findings.ts";
import { distribute } from "@rowmill/server/testing/citus";
import type { Clock } from "./clock.ts";
import { mountImage, mountMemory, volumesMissing } from "./volumes.ts";
import type { Volume } from "./volumes.ts";
import { createServiceProcess } from "./service-process.ts";
import type { Role, ServiceProcess } from "./service-process.ts";
import { layWire } from "./wire.ts";
import type { Wire } from "./wire.ts";

export const shapes = ["many", "single", "cluster"] as const;
export type Shape = (typeof shapes)[number];

/** Longest a trial waits for anything to end: several takeovers after each other, on a machine that is ten times as slow. */
export const BOUND_MS = 300_000;
/** A process that has just ended is started again after this time at most. */
const SUPERVISE_MS = 500;
/** Small, so that a run has many chunks and a fault finds some of them claimed. */
const CHUNK_ROWS = "50";
/** So that the lanes of one run are spread over both workers: a worker that is hit has chunks claimed. */
const LANES_OF_WORKER = "2";
/** Three processes and this program share a hundred connections. */
const DATABASE_CONNECTIONS = "10";

/** `data` is all there is, in `single`; `store` and `temporary` are folders of the processes, in `many`. */
export type VolumeName = "data" | "store" | "temporary";

export interface Member {
  process: ServiceProcess;
  /** To the database; undefined in `single`. */
  wire: Wire | undefined;
}

export interface Deployment {
  shape: Shape;
  folder: string;
  database: DatabaseServer;
  members: readonly Member[];
  /** Of its folders, those that have a disk of their own; none without root. */
  volumes: Partial<Record<VolumeName, Volume>>;
  /** Of its processes; undefined without libfaketime. */
  clock: Clock | undefined;
  admin: Client;
  /** Starts what has ended, and waits until all of it is ready. */
  recover(): Promise<void>;
  /** From here on a process that ends is started again: one that lost its own database takes a while to end. */
  supervise(): () => void;
  newOrganization(): Promise<Client>;
  stop(): Promise<void>;
}

export interface DeploymentOptions {
  shape: Shape;
  /** Exists, and is empty. */
  folder: string;
  settings: Record<string, string>;
  environment?: Record<string, string>;
  nodeOptions?: readonly string[];
  clock?: Clock | undefined;
}

export async function createDeployment(options: DeploymentOptions): Promise<Deployment> {
  const { shape, folder } = options;
  const dataDirectory = join(folder, "data");
  const database = createServer(shape, dataDirectory);
  const adminKey = `rma_crash${randomBytes(16).toString("hex")}`;
  const common: Record<string, string> = {
    ROWMILL_DATA_DIR: dataDirectory,
    ROWMILL_ADMIN_KEY: adminKey,
    ROWMILL_CHUNK_ROWS: CHUNK_ROWS,
    ROWMILL_TRANSFORM_THREADS: "1",
    ROWMILL_RATE_LIMIT_PER_MINUTE: "0",
    ROWMILL_MODE: "development",
    // Each process would have its own, and a repeated delivery another body.
    ROWMILL_PUBLIC_URL: "https://rowmill.example.com",
    ROWMILL_WEBHOOK_RETRY_SCHEDULE: "0,1,2,4,8,16,16,16",
    ROWMILL_MIN_FREE_BYTES: "0",
    ...options.settings,
  };
  await mkdir(dataDirectory, { mode: 0o711 });
  const volumes = volumesMissing() === undefined ? await mountVolumes(shape, folder) : {};
  const clock = options.clock;
  const environment = { ...options.environment, ...clock?.environment };
  if (shape !== "single") {
    await mkdir(join(dataDirectory, "postgres"), { mode: 0o711 });
    await database.ensure();
  }
  const roles: Role[] = shape === "single" ? ["all"] : ["api", "worker", "worker"];
  const members = await Promise.all(
    roles.map(async (role, i) => {
      const wire = shape === "single" ? undefined : await layMemberWire(database);
      const name = role === "worker" ? `worker ${i}` : role;
      const settings = wire === undefined ? common : { ...common, ...(await remoteSettings(database, wire, adminKey)) };
      return { wire, process: await createServiceProcess({ ...options, environment, name, role, settings }) };
    }),
  );
  const first = members[0];
  if (first === undefined) throw new Error("a deployment has a process at least");
  if (shape === "cluster") {
    first.process.spawn();
    await first.process.listening();
    first.process.signal("SIGTERM");
    await first.process.exited();
    await distribute(await database.url());
  }
  const admin = createClient(first.process.url, adminKey, BOUND_MS);
  const recover = async (): Promise<void> => {
    if (shape !== "single") await database.ensure();
    for (const { process } of members) process.spawn();
    await Promise.all(members.map(({ process }) => waitUntilReady(process)));
    await database.ensure();
  };
  return {
    shape,
    folder,
    database,
    members,
    volumes,
    clock,
    admin,
    recover,
    supervise() {
      const timer = setInterval(() => {
        for (const { process } of members) process.spawn();
      }, SUPERVISE_MS);
      return () => clearInterval(timer);
    },
    newOrganization: () => newOrganization(admin),
    async stop() {
      for (const { process } of members) process.signal("SIGKILL");
      await Promise.all(members.map(({ process }) => process.exited()));
      for (const { wire } of members) await wire?.close();
      // A server that the service has just started writes its pid only later, so it is ended again before each attempt to unmount.
      const endDatabase = () => database.end("SIGQUIT");
      await endDatabase();
      for (const volume of Object.values(volumes)) await volume.unmount(endDatabase);
    },
  };
}

const createServer = (shape: Shape, dataDirectory: string): DatabaseServer =>
  shape === "cluster"
    ? createCitusServer(join(dataDirectory, "postgres"))
    : createDatabaseServer(join(dataDirectory, "postgres"), shape === "many");

async function mountVolumes(shape: Shape, folder: string): Promise<Partial<Record<VolumeName, Volume>>> {
  const data = join(folder, "data");
  if (shape === "single") return { data: await mountImage(data, join(folder, "disk.img")) };
  return { store: await mountMemory(join(data, "files")), temporary: await mountMemory(join(data, "tmp")) };
}

async function layMemberWire(database: DatabaseServer): Promise<Wire> {
  const port = await database.port();
  return layWire(() => port);
}

/** Every process has the key that the first one would make in the data directory. */
async function remoteSettings(database: DatabaseServer, wire: Wire, adminKey: string): Promise<Record<string, string>> {
  const url = new URL(await database.url());
  url.port = String(wire.port);
  return {
    ROWMILL_DATABASE_URL: url.href,
    ROWMILL_DATABASE_CONNECTIONS: DATABASE_CONNECTIONS,
    ROWMILL_WORKER_CONCURRENCY: LANES_OF_WORKER,
    ROWMILL_WAITING_LANES: LANES_OF_WORKER,
    ROWMILL_ENCRYPTION_KEY: Buffer.from(adminKey.slice(-32)).toString("base64"),
  };
}

/** A process that ends while it starts, since its database is not back yet, is started again, as a supervisor does. */
const waitUntilReady = (process: ServiceProcess): Promise<true> =>
  until(`${process.name} is ready`, BOUND_MS, async () => {
    try {
      process.spawn();
      await process.listening();
      const response = await fetch(`${process.url}/readyz`, { signal: AbortSignal.timeout(5_000) });
      return response.ok ? true : undefined;
    } catch {
      // Not yet.
      return undefined;
    }
  });

async function newOrganization(admin: Client): Promise<Client> {
  const organization = await admin.request<Organization>("POST", "/v1/organizations", { body: { name: "Campaign" } });
  const { key } = await admin.request<CreatedApiKey>("POST", `/v1/organizations/${organization.id}/api-keys`, {
    body: { name: "Everything", scopes: ["*"] },
  });
  return createClient(admin.url, key, BOUND_MS);
}
