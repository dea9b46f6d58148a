/** What the process is made of; each part is handed to those that need it. */
import type { OrganizationLimit } from "@rowmill/contract/organizations";
import type { Config } from "./config.ts";
import type { Metrics } from "./metrics.ts";
import type { Conditions } from "./platform/conditions/conditions.ts";
import type { Database, OrganizationDatabase } from "./platform/database/database.ts";
import type { DatabaseClock } from "./platform/database/database-clock.ts";
import type { Replica } from "./platform/database/replica.ts";
import type { Tasks, Tenants } from "./platform/database/tenants.ts";
import type { ConnectionEgress } from "./platform/egress/connection-egress.ts";
import type { Egress } from "./platform/egress/egress.ts";
import type { ConcurrencyGate } from "./platform/http/concurrency-gate.ts";
import type { Schemas } from "./platform/json-schema/schemas.ts";
import type { LateWrites } from "./platform/database/late-writes.ts";
import type { Log } from "./platform/log.ts";
import type { Meter } from "./platform/meter.ts";
import type { Tracing } from "./platform/tracing.ts";
import type { Mailer } from "./platform/mail/mailer.ts";
import type { Queue } from "./platform/queue/queue.ts";
import type { SelfCheck } from "./platform/self-check.ts";
import type { Sealer } from "./platform/secrets/sealing.ts";
import type { FreeSpace } from "./platform/storage/free-space.ts";
import type { ObjectStore } from "./platform/storage/storage.ts";
import type { Connections } from "./processors/connection-parts.ts";
import type { LargeTexts } from "./processors/large-texts.ts";
import type { Limiter } from "./processors/limiter/permits.ts";
import type { Processors } from "./processors/processors.ts";

/** Of each organization whose own limit is not set. Without an entry there is none. */
export type DefaultLimits = Readonly<Partial<Record<OrganizationLimit, number>>>;

export interface Services {
  config: Config;
  log: Log;
  /** Of all organizations: for what spans them, for the admin, and for what is done before it is known who asks. */
  database: Database;
  clock: DatabaseClock;
  /** What requests of an organization work with. */
  tenants: Tenants;
  /** What all other requests work with. */
  ofAll: OrganizationDatabase;
  /** What tasks work with, once they know for which organization. */
  tasks: Tasks;
  /** For long reads of what no longer changes. */
  replica: Replica;
  lateWrites: LateWrites;
  queue: Queue;
  store: ObjectStore;
  storeCheck: SelfCheck;
  freeSpace: FreeSpace;
  sealer: Sealer;
  keyCheck: SelfCheck;
  egress: Egress;
  connectionEgress: ConnectionEgress;
  egressCheck: SelfCheck;
  /** Origins that the operator admits for connections. */
  allowedOrigins: ReadonlySet<string>;
  /** Of receivers of webhooks and alerts on this machine: none but in development. */
  receiverOrigins: ReadonlySet<string>;
  /** Undefined where no SMTP server is configured. */
  mailer: Mailer | undefined;
  connections: Connections;
  limiter: Limiter;
  processors: Processors;
  conditions: Conditions;
  filterGate: ConcurrencyGate;
  dryRunGate: ConcurrencyGate;
  metrics: Metrics;
  meter: Meter;
  /** Undefined where no collector of traces is named. */
  tracing: Tracing | undefined;
  schemas: Schemas;
  largeTexts: LargeTexts;
  limits: DefaultLimits;
  /** That of the key that the installation keeps, once it listens. */
  adminKeyDigest: () => Buffer;
  /** Where customers reach the service, without a slash at the end. Known once it listens. */
  publicUrl: () => string;
}
