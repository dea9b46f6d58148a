/**
 * A real S3 server for one step of the tests: Ceph's RADOS Gateway, as Debian packages it, with one monitor and one OSD that
 * keeps everything in memory. Nothing needs root, and all of it is gone afterwards.
 */
import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findFreePort } from "../../packages/server/src/platform/free-port.ts";

/** A folder into which the packages were unpacked (`dpkg -x`), where they are not installed. */
const ROOT_VARIABLE = "ROWMILL_TEST_CEPH_ROOT";
const PROGRAMS = ["ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin"];
/** Of this architecture, in Debian's manner. */
const LIBRARIES = { x64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" };
/** Fifteen seconds on an idle machine; many times as much on a busy one. */
const START_TIMEOUT_MS = 600_000;
const POLL_MS = 500;
/** Objects are kept in memory as far as it is used. */
const MEMORY_STORE_BYTES = 12 * 1024 ** 3;
const REGION = "us-east-1";

export interface S3Server {
  /** Of the environment of the tests. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

/** The folder that the programs are under; undefined where they are not installed. */
export function findCeph(): string | undefined {
  return [process.env[ROOT_VARIABLE], "/"].find(
    (root) => root !== undefined && PROGRAMS.every((name) => existsSync(join(root, "usr/bin", name))),
  );
}

export async function startCeph(root: string): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), "rowmill-ceph-"));
  const children: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const child of children.toReversed()) {
      child.stdin?.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const ceph = prepare(root, folder, { monitor: await findFreePort(), gateway: await findFreePort() });
    const run = (name: string, ...args: string[]): string =>
      execFileSync(join(root, "usr/bin", name), args, {
        env: ceph.env,
        cwd: folder,
        encoding: "utf8",
        timeout: START_TIMEOUT_MS,
        stdio: ["ignore", "pipe", "pipe"],
      });
    const start = (name: string, ...args: string[]): void => {
      // It ends with this process, however that ends: then the pipe is closed.
      children.push(
        spawn("/bin/sh", ["-c", GUARDED, name, join(root, "usr/bin", name), ...args], {
          env: ceph.env,
          cwd: folder,
          stdio: ["pipe", "ignore", "ignore"],
        }),
      );
    };
    await startServers(ceph, folder, run, start);
    return { env: { ROWMILL_TEST_S3_ENDPOINT: ceph.endpoint, AWS_REGION: REGION, ...createUser(run) }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Run = (name: string, ...args: string[]) => string;

/** The monitor, then the OSD that it knows, then the gateway. */
async function startServers(
  ceph: ReturnType<typeof prepare>,
  folder: string,
  run: Run,
  start: (name: string, ...args: string[]) => void,
): Promise<void> {
  run("monmaptool", "--create", "--clobber", "--fsid", ceph.fsid, "--addv", "a", ceph.monitor, join(folder, "monmap"));
  run("ceph-mon", "-i", "a", "--mkfs", "--monmap", join(folder, "monmap"));
  start("ceph-mon", "-i", "a", "-f");
  const osd = randomUUID();
  await until("the monitor", () => run("ceph", "--connect-timeout", "5", "osd", "new", osd));
  run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", osd);
  start("ceph-osd", "-i", "0", "-f");
  // Without the first two it finds no way to authenticate.
  start(
    "radosgw",
    "-n",
    "client.rgw",
    "-f",
    "--auth_client_required=none",
    "--ms_mon_client_mode=crc",
    `--keyring=${join(folder, "keyring")}`,
  );
  await until("the gateway", () => fetch(ceph.endpoint));
}

function createUser(run: Run): Record<string, string> {
  const [accessKey, secretKey] = ["ROWMILLTEST", randomBytes(20).toString("hex")];
  run(
    "radosgw-admin",
    "-n",
    "client.rgw",
    "user",
    "create",
    "--uid=rowmill",
    "--display-name=rowmill",
    `--access-key=${accessKey}`,
    `--secret-key=${secretKey}`,
  );
  return { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey };
}

/** Nothing of its memory is to be kept: it is killed. */
const GUARDED = '"$@" & server=$!; read -r closed; kill -KILL "$server"; wait "$server"';

function prepare(root: string, folder: string, ports: { monitor: number; gateway: number }) {
  const libraries = join(root, "usr/lib", process.arch === "arm64" ? LIBRARIES.arm64 : LIBRARIES.x64);
  for (const name of ["mon", "osd", "rgw"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "keyring"), "");
  const fsid = randomUUID();
  const monitor = `[v2:127.0.0.1:${ports.monitor}]`;
  const endpoint = `http://127.0.0.1:${ports.gateway}`;
  const settings = {
    fsid,
    mon_host: monitor,
    public_addr: "127.0.0.1",
    ms_bind_ipv6: false,
    auth_cluster_required: "none",
    auth_service_required: "none",
    auth_client_required: "none",
    osd_objectstore: "memstore",
    memstore_device_bytes: MEMORY_STORE_BYTES,
    memstore_page_set: false,
    mon_allow_pool_size_one: true,
    osd_pool_default_size: 1,
    osd_pool_default_min_size: 1,
    osd_pool_default_pg_num: 8,
    osd_crush_chooseleaf_type: 0,
    mon_data: join(folder, "mon"),
    osd_data: join(folder, "osd"),
    run_dir: folder,
    admin_socket: join(folder, "$name.asok"),
    log_file: join(folder, "$name.log"),
    pid_file: join(folder, "$name.pid"),
    erasure_code_dir: join(libraries, "ceph/erasure-code"),
    osd_class_dir: join(libraries, "rados-classes"),
    plugin_dir: join(libraries, "ceph"),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const gateway = [`rgw_data = ${join(folder, "rgw")}`, `rgw_frontends = beast endpoint=127.0.0.1:${ports.gateway}`];
  const path = join(folder, "ceph.conf");
  writeFileSync(path, ["[global]", ...lines, "[client.rgw]", ...gateway, ""].join("\n"));
  const env: NodeJS.ProcessEnv = {
    PATH: `${join(root, "usr/bin")}:${process.env["PATH"] ?? ""}`,
    CEPH_CONF: path,
    LD_LIBRARY_PATH: [libraries, join(libraries, "ceph"), join(root, "lib", LIBRARIES.x64)].join(":"),
    PYTHONPATH: join(root, "usr/lib/python3/dist-packages"),
  };
  return { fsid, monitor, endpoint, env };
}

async function until(what: string, attempt: () => unknown): Promise<void> {
  const end = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (Date.now() > end) throw new Error(`${what} of Ceph does not start`, { cause: error });
      await pause(POLL_MS);
    }
  }
}
