/** What a campaign does to a deployment. `inflict` resolves when the fault is over: what it has ended is for `recover` to start again. */
import { setTimeout as pause } from "node:timers/promises";
import { clockMissing } from "./clock.ts";
import { BOUND_MS } from "./deployment.ts";
import type { Deployment, Member, Shape, VolumeName } from "./deployment.ts";
import { until } from "./findings.ts";
import { freeze, freezeServers } from "./freezes.ts";
import { processesMissing, signalIfThere } from "./processes.ts";
import type { Random } from "./random.ts";
import { volumesMissing } from "./volumes.ts";

export interface Inflicted {
  /** Of a worker that lost its chunks by this. */
  victim?: Member;
  what: string;
}

export interface Fault {
  meaning: string;
  shapes: readonly Shape[];
  /** Undefined, or why it cannot be made on this machine. */
  missing?: () => string | undefined;
  needsClock?: true;
  /** Every process that works on rows goes on, and no call may be made again. Left out: never. */
  sparesWorkers?: (shape: Shape, options: FaultOptions) => boolean;
  /** Connections to the database end: a claim whose response was lost is taken back as that of a lost worker. */
  breaksConnections?: true;
  inflict(deployment: Deployment, random: Random, options: FaultOptions): Promise<Inflicted>;
}

export interface FaultOptions {
  /** How long the database is away. */
  awaySeconds: number;
}

/** Above the ten seconds after whose last beat a job is given to another worker. */
const STOPPED_MS = [11_000, 16_000] as const;

/** A process is careful for four seconds after a database that stood still (`queue/lost-jobs.ts`): shorter and longer. */
const BETWEEN_FREEZES_MS = [200, 8_000] as const;
const FULL_MS = [1_000, 6_000] as const;
const JUMPED_MS = [1_000, 6_000] as const;

/** Elsewhere than in `single`, the owner's connection is this program's own. */
const BACKENDS: Record<Shape, string> = {
  many: "select pid from pg_stat_activity where application_name in ('rowmill', 'rowmill queue')",
  cluster: "select pid from pg_stat_activity where application_name in ('rowmill', 'rowmill queue')",
  single: "select pid from pg_stat_activity where application_name in ('rowmill', 'rowmill queue', 'rowmill owner')",
};

const all: readonly Shape[] = ["many", "single", "cluster"];
const several: readonly Shape[] = ["many", "cluster"];
const always = (): boolean => true;
/** Of a cluster it was not tried. */
const onOneServer = (shape: Shape): boolean => shape !== "cluster";
/** What waits for its record is kept for a minute; a stop and a start take a part of it. */
const LONGEST_AWAY_SECONDS = 30;

function pickMember({ members }: Deployment, random: Random, isWanted: (member: Member) => boolean): Member {
  return random.pick(members.filter(isWanted));
}

const isWorker = ({ process }: Member): boolean => process.role === "worker";

async function kill(member: Member): Promise<void> {
  member.process.signal("SIGKILL");
  await member.process.exited();
}

/** A postmaster without a disk may end by itself before. */
const killIfThere = (pid: number): void => signalIfThere(pid, "SIGKILL");

export const faults = {
  "kill-service": {
    meaning: "kill -9 of the process that serves requests",
    shapes: all,
    // The only process of `single` works, too.
    sparesWorkers: (shape) => shape !== "single",
    async inflict(deployment, random) {
      const member = pickMember(deployment, random, (one) => !isWorker(one));
      await kill(member);
      return { what: `killed ${member.process.name}` };
    },
  },
  "kill-worker": {
    meaning: "kill -9 of a worker process",
    shapes: several,
    async inflict(deployment, random) {
      const victim = pickMember(deployment, random, isWorker);
      await kill(victim);
      return { victim, what: `killed ${victim.process.name}` };
    },
  },
  "kill-all": {
    meaning: "kill -9 of every process of the service at once",
    shapes: several,
    async inflict(deployment) {
      await Promise.all(deployment.members.map(kill));
      return { what: "killed all processes" };
    },
  },
  "kill-backend": {
    meaning: "kill -9 of one PostgreSQL backend: the server restarts itself",
    shapes: all,
    breaksConnections: true,
    sparesWorkers: onOneServer,
    async inflict({ database, shape }, random) {
      // A process that has just been started has none yet.
      const backends = await until("a connection of the service", BOUND_MS, async () => {
        const found = await database.query<{ pid: number }>(BACKENDS[shape]).catch(() => []);
        return found.length === 0 ? undefined : found;
      });
      const { pid } = random.pick(backends);
      killIfThere(pid);
      return { what: `killed backend ${pid}` };
    },
  },
  "kill-postmaster": {
    meaning: "kill -9 of the postmaster",
    shapes: all,
    breaksConnections: true,
    sparesWorkers: onOneServer,
    async inflict({ database }) {
      await database.end("SIGKILL");
      return { what: "killed the postmaster" };
    },
  },
  "restart-immediate": {
    meaning: "`pg_ctl restart -m immediate`",
    shapes: all,
    breaksConnections: true,
    sparesWorkers: onOneServer,
    async inflict(deployment) {
      const { database } = deployment;
      // What `pg_ctl` does: SIGQUIT, then a start on the same files and port. In `single` it is the service that starts it; one that is
      // itself in its start ends with its database, and a supervisor starts both.
      await database.end("SIGQUIT");
      const stopSupervising = deployment.supervise();
      try {
        await database.ensure();
      } finally {
        stopSupervising();
      }
      return { what: "restarted the database" };
    },
  },
  "database-away": {
    meaning: "the database is stopped, and started again later",
    shapes: several,
    breaksConnections: true,
    sparesWorkers: (shape, { awaySeconds }) => onOneServer(shape) && awaySeconds <= LONGEST_AWAY_SECONDS,
    async inflict({ database }, _random, { awaySeconds }) {
      await database.end("SIGINT");
      await pause(awaySeconds * 1_000);
      await database.ensure();
      return { what: `the database was away for ${awaySeconds} s` };
    },
  },
  "freeze-database": {
    meaning: "all processes of the database stand still (SIGSTOP) and go on, one after the other",
    shapes: all,
    missing: processesMissing,
    sparesWorkers: always,
    async inflict({ database }, random) {
      const frozenMs = await freeze(database, random);
      return { what: `the database stood still for ${frozenMs} ms` };
    },
  },
  "freeze-coordinator": {
    meaning: "the coordinator of the cluster stands still (SIGSTOP), and the other two servers go on",
    shapes: ["cluster"],
    missing: processesMissing,
    sparesWorkers: always,
    async inflict({ database }, random) {
      const coordinator = await database.pid();
      const frozenMs = await freezeServers(coordinator === undefined ? [] : [coordinator], random);
      return { what: `the coordinator stood still for ${frozenMs} ms` };
    },
  },
  "freeze-twice": {
    meaning: "all processes of the database stand still, go on, and soon stand still again",
    shapes: all,
    missing: processesMissing,
    sparesWorkers: always,
    async inflict({ database }, random) {
      const firstMs = await freeze(database, random);
      const betweenMs = random.integer(...BETWEEN_FREEZES_MS);
      await pause(betweenMs);
      const secondMs = await freeze(database, random);
      return { what: `the database stood still for ${firstMs} ms, and ${betweenMs} ms later for ${secondMs} ms` };
    },
  },
  "rolling-restart": {
    meaning: "every process is stopped by SIGTERM and started again, one after the other, as an upgrade does",
    shapes: all,
    sparesWorkers: always,
    async inflict({ members }) {
      for (const { process: member } of members) {
        member.signal("SIGTERM");
        await member.exited();
        member.spawn();
        await member.listening();
      }
      return { what: "restarted all processes in turn" };
    },
  },
  "stop-worker": {
    meaning: "SIGSTOP of a worker past its heartbeat, then SIGCONT",
    shapes: several,
    async inflict(deployment, random) {
      const victim = pickMember(deployment, random, isWorker);
      victim.process.signal("SIGSTOP");
      const stoppedMs = random.integer(...STOPPED_MS);
      await pause(stoppedMs);
      victim.process.signal("SIGCONT");
      return { victim, what: `stopped ${victim.process.name} for ${stoppedMs} ms` };
    },
  },
  partition: {
    meaning: "one worker and the database cannot reach each other: no byte passes, and no connection ends",
    shapes: several,
    async inflict(deployment, random) {
      const victim = pickMember(deployment, random, isWorker);
      victim.wire?.cut();
      const cutMs = random.integer(...STOPPED_MS);
      await pause(cutMs);
      victim.wire?.restore();
      return { victim, what: `cut ${victim.process.name} off for ${cutMs} ms` };
    },
  },
  "forget-connections": {
    meaning:
      "the network forgets the connections between one worker and the database: it drops their bytes, and lets new ones through",
    shapes: several,
    async inflict(deployment, random) {
      const victim = pickMember(deployment, random, isWorker);
      const forgotten = victim.wire?.forget();
      return { victim, what: `forgot ${forgotten} connections of ${victim.process.name}` };
    },
  },
  "power-cut": {
    meaning: "the power fails: what was not synced to the disk is gone, the database's files included",
    shapes: ["single"],
    missing: volumesMissing,
    async inflict(deployment) {
      const { database, volumes } = deployment;
      const pid = await database.pid();
      await volumes.data?.cutPower();
      // First what would start the database again.
      await Promise.all(deployment.members.map(kill));
      if (pid !== undefined) killIfThere(pid);
      await volumes.data?.mountAgain();
      return { what: "cut the power" };
    },
  },
  "disk-full": {
    meaning: "no byte fits on the disk of the data directory, the database's files included",
    shapes: ["single"],
    missing: volumesMissing,
    breaksConnections: true,
    sparesWorkers: always,
    inflict: (deployment, random) => fillVolume(deployment, random, "data"),
  },
  "store-full": {
    meaning: "no byte fits into the folder of the object store",
    shapes: ["many"],
    missing: volumesMissing,
    sparesWorkers: always,
    inflict: (deployment, random) => fillVolume(deployment, random, "store"),
  },
  "temporary-full": {
    meaning: "no byte fits into the folder of temporary files",
    shapes: ["many"],
    missing: volumesMissing,
    sparesWorkers: always,
    inflict: (deployment, random) => fillVolume(deployment, random, "temporary"),
  },
  "clock-jump": {
    meaning: "the clock of the service's processes jumps by an hour, forward or back, and returns",
    shapes: ["many"],
    missing: clockMissing,
    needsClock: true,
    sparesWorkers: always,
    async inflict({ clock }, random) {
      const offsetSeconds = random.pick([-3600, 3600]);
      await clock?.jumpTo(offsetSeconds);
      await pause(random.integer(...JUMPED_MS));
      await clock?.jumpTo(0);
      return { what: `the clock jumped by ${offsetSeconds} s and back` };
    },
  },
  "kill-node": {
    meaning: "kill -9 of the postmaster of a server that has the rows",
    shapes: ["cluster"],
    async inflict({ database }, random) {
      const node = random.pick(database.nodes ?? []);
      const [postmaster] = node.pids();
      if (postmaster !== undefined) killIfThere(postmaster);
      return { what: `killed ${node.name}` };
    },
  },
  "kill-servers": {
    meaning: "kill -9 of all postmasters of a cluster at once",
    shapes: ["cluster"],
    async inflict({ database }) {
      for (const node of database.nodes ?? []) node.pids().slice(0, 1).forEach(killIfThere);
      await database.end("SIGKILL");
      return { what: "killed all servers" };
    },
  },
  "stop-node": {
    meaning: "a server that has the rows is silent for a while: no byte comes from it, and no connection ends",
    shapes: ["cluster"],
    async inflict({ database }, random) {
      const node = random.pick(database.nodes ?? []);
      const pids = node.pids();
      for (const pid of pids) process.kill(pid, "SIGSTOP");
      const stoppedMs = random.integer(...STOPPED_MS);
      await pause(stoppedMs);
      for (const pid of pids) process.kill(pid, "SIGCONT");
      return { what: `stopped ${node.name} for ${stoppedMs} ms` };
    },
  },
} satisfies Record<string, Fault>;

async function fillVolume({ volumes }: Deployment, random: Random, name: VolumeName): Promise<Inflicted> {
  const makeRoom = await volumes[name]?.fill();
  const fullMs = random.integer(...FULL_MS);
  await pause(fullMs);
  await makeRoom?.();
  return { what: `the disk of ${name} was full for ${fullMs} ms` };
}

export type FaultName = keyof typeof faults;
export const faultNames = Object.keys(faults) as FaultName[];
export const faultOf = (name: FaultName): Fault => faults[name];
