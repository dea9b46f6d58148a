import { describe, expect, test } from "vitest";
import { ConfigError, readConfig, settings } from "./config.ts";

describe("read from the environment", () => {
  test("nothing set gives the defaults", () => {
    expect(readConfig({})).toMatchObject({
      ROWMILL_HOST: "127.0.0.1",
      ROWMILL_PORT: 8080,
      ROWMILL_ROLE: "all",
      ROWMILL_DATA_DIR: "./data",
      ROWMILL_DATABASE_URL: undefined,
      ROWMILL_CHUNK_ROWS: 500,
      ROWMILL_EGRESS_CONNECT_OVERRIDES: [],
      ROWMILL_ENCRYPTION_KEYS: [],
      ROWMILL_WEBHOOK_HEADER_PREFIX: "Service",
    });
  });

  test("an empty variable is one that is not set", () => {
    expect(readConfig(Object.fromEntries(Object.keys(settings).map((name) => [name, ""])))).toEqual(readConfig({}));
  });

  test("variables of other programs are none of its business", () => {
    const ofOthers = { PATH: "/bin", NODE_ENV: "production", rowmill_port: "x", MY_ROWMILL_PORT: "x" };
    expect(readConfig(ofOthers)).toEqual(readConfig({}));
    expect(readConfig({ SAWMILL_PORT: "x", ROWMIL_TOKEN: "x", ROWMIL: "x" })).toEqual(readConfig({}));
    expect(readConfig({ ROWMILS_PORT: "tcp://10.0.0.1:80" })).toEqual(readConfig({}));
  });

  test("variables of clients are none of its business, either", () => {
    const ofClients = Object.fromEntries(
      ["KEY", "API_KEY", "URL", "PROFILE", "ORGANIZATION"].map((name) => [`ROWMILL_${name}`, "x"]),
    );
    expect(readConfig(ofClients)).toEqual(readConfig({}));
  });

  test("nor are those that Kubernetes sets for a Service called rowmill or rowmill-api", () => {
    const ofService = (prefix: string) => ({
      [`${prefix}_SERVICE_HOST`]: "10.0.0.1",
      [`${prefix}_SERVICE_PORT`]: "80",
      [`${prefix}_SERVICE_PORT_HTTP`]: "80",
      [`${prefix}_SERVICE_PORT_ADMIN_HTTP`]: "81",
      [`${prefix}_PORT`]: "tcp://10.0.0.1:80",
      [`${prefix}_PORT_80_TCP`]: "tcp://10.0.0.1:80",
      [`${prefix}_PORT_80_TCP_ADDR`]: "10.0.0.1",
      [`${prefix}_PORT_80_TCP_PORT`]: "80",
      [`${prefix}_PORT_80_TCP_PROTO`]: "tcp",
      [`${prefix}_PORT_53_UDP`]: "udp://10.0.0.1:53",
    });
    expect(readConfig({ ...ofService("ROWMILL"), ...ofService("ROWMILL_API") })).toEqual(readConfig({}));
    expect(readConfig({ ...ofService("ROWMILL"), ROWMILL_PORT: "8081" }).ROWMILL_PORT).toBe(8081);
  });

  test("values are read by their kind", () => {
    const config = readConfig({
      ROWMILL_PORT: "0",
      ROWMILL_ROLE: "worker",
      ROWMILL_EGRESS_CONNECT_OVERRIDES: " a.example.com:443=127.0.0.1:1 ,, b.example.com:443=127.0.0.1:2",
    });
    expect(config.ROWMILL_PORT).toBe(0);
    expect(config.ROWMILL_ROLE).toBe("worker");
    expect(config.ROWMILL_EGRESS_CONNECT_OVERRIDES).toEqual([
      "a.example.com:443=127.0.0.1:1",
      "b.example.com:443=127.0.0.1:2",
    ]);
  });
});

describe("refused with a sentence", () => {
  test.each([
    ["ROWMILL_PROT", "80", /^ROWMILL_PROT is not a setting of Rowmill\. Did you mean ROWMILL_PORT\?$/],
    ["ROWMILL_DATABSE_URL", "x", "Did you mean ROWMILL_DATABASE_URL?"],
    ["ROWMILL_ADMINKEY", "x", "Did you mean ROWMILL_ADMIN_KEY?"],
    // The words behind ROWMILL_ decide: with the prefix, eight characters more would be alike in all names.
    ["ROWMILL_DB_URL", "x", /^ROWMILL_DB_URL is not a setting of Rowmill\. Did you mean ROWMILL_DATABASE_URL\?$/],
    ["ROWMILL_MASTER_KEY", "x", "Did you mean ROWMILL_ENCRYPTION_KEY?"],
    ["ROWMILL_LOG", "debug", "Did you mean ROWMILL_LOG_LEVEL?"],
    ["ROWMILL_S3_BUCKET", "x", "Did you mean ROWMILL_STORAGE_URL?"],
    ["ROWMILL_DATABASE", "x", "Did you mean ROWMILL_DATABASE_URL?"],
    ["ROWMILL_CONCURRENCY", "4", "Did you mean ROWMILL_WORKER_CONCURRENCY?"],
    ["ROWMILL_TMPDIR", "/tmp", /^ROWMILL_TMPDIR is not a setting of Rowmill\.$/],
    ["ROWMIL_PORT", "80", /^ROWMIL_PORT is not a setting of Rowmill\. Did you mean ROWMILL_PORT\?$/],
    ["ROWMLIL_DATA_DIR", "/x", "Did you mean ROWMILL_DATA_DIR?"],
    ["ROWMILL_FROBNICATE_ALL", "x", /^ROWMILL_FROBNICATE_ALL is not a setting of Rowmill\.$/],
    ["ROWMILL_SERVICE", "x", "ROWMILL_SERVICE is not a setting"],
    ["ROWMILL_API_PORT", "80", "ROWMILL_API_PORT is not a setting"],
    ["ROWMILL_", "", "ROWMILL_ is not a setting of Rowmill"],
    ["ROWMILL_constructor", "x", "ROWMILL_constructor is not a setting of Rowmill"],
    ["ROWMILL_PORT", "http", 'ROWMILL_PORT must be an integer from 0 to 65535, not "http"'],
    ["ROWMILL_PORT", "65536", "from 0 to 65535"],
    ["ROWMILL_PORT", "-1", "from 0 to 65535"],
    ["ROWMILL_PORT", "80.5", "from 0 to 65535"],
    ["ROWMILL_PORT", "0x50", "from 0 to 65535"],
    ["ROWMILL_PORT", " 80", "from 0 to 65535"],
    ["ROWMILL_PORT", "1e3", "from 0 to 65535"],
    ["ROWMILL_ROLE", "Worker", 'ROWMILL_ROLE must be one of all, api, worker, not "Worker"'],
    ["ROWMILL_LOG_LEVEL", "loud", "ROWMILL_LOG_LEVEL must be one of fatal, error"],
    ["ROWMILL_CHUNK_ROWS", "0", "ROWMILL_CHUNK_ROWS must be an integer from 1 to 10000"],
    ["ROWMILL_IDEMPOTENCY_RETENTION_HOURS", "23", "from 24 to"],
    ["ROWMILL_WEBHOOK_HEADER_PREFIX", "My Service", "ROWMILL_WEBHOOK_HEADER_PREFIX must be letters"],
    ["ROWMILL_WEBHOOK_HEADER_PREFIX", "x\r\nEvil: 1", "ROWMILL_WEBHOOK_HEADER_PREFIX must be letters"],
    ["ROWMILL_PUBLIC_URL", "rowmill.example.com", "ROWMILL_PUBLIC_URL must be an http or https URL"],
    ["ROWMILL_PUBLIC_URL", "ftp://rowmill.example.com", "ROWMILL_PUBLIC_URL must be"],
    ["ROWMILL_PUBLIC_URL", "https://user:secret@rowmill.example.com", "ROWMILL_PUBLIC_URL must be"],
    ["ROWMILL_PUBLIC_URL", "https://rowmill.example.com/?x=1", "ROWMILL_PUBLIC_URL must be"],
    ["ROWMILL_ALERT_RETRY_SCHEDULE", "0,soon", /^ROWMILL_ALERT_RETRY_SCHEDULE must be whole seconds .*, not "soon"$/],
    // Each of these was read as another server, another port or a shorter password, and failed with what that led to.
    ...["a/b", "a?b", "p@ss#w/d", "12/3", "a b"].map((password): [string, string, RegExp] => [
      "ROWMILL_DATABASE_URL",
      `postgres://rowmill:${password}@127.0.0.1:5432/rowmill`,
      /^ROWMILL_DATABASE_URL must be a URL such as .*; in a password write \/ as %2F, \? as %3F, # as %23, % as %25$/,
    ]),
    ["ROWMILL_DATABASE_REPLICA_URL", "postgres://rowmill:a/b@standby/rowmill", "ROWMILL_DATABASE_REPLICA_URL must be"],
    ["ROWMILL_DATABASE_URL", "mysql://localhost/x", "ROWMILL_DATABASE_URL must be a URL such as postgres://"],
    [
      "ROWMILL_EGRESS_PROXY",
      "https://proxy:3128",
      "ROWMILL_EGRESS_PROXY must be a URL such as http://proxy.example.com",
    ],
    ["ROWMILL_ADMIN_KEY", "fifteen-letters", "ROWMILL_ADMIN_KEY must be 16 to 256 visible ASCII characters"],
    ["ROWMILL_ADMIN_KEY", "long enough but with spaces", "ROWMILL_ADMIN_KEY must be"],
  ])("%s=%s", (name, value, sentence) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => readConfig({ [name]: value })).toThrow(sentence);
  });

  test("all at once, so that nobody starts five times", () => {
    expect(() => readConfig({ ROWMILL_PORT: "x", ROWMILL_ROLE: "y", ROWMILL_NOPE: "z" })).toThrow(
      /ROWMILL_NOPE is not.*\n.*ROWMILL_PORT must.*\n.*ROWMILL_ROLE must/s,
    );
  });

  test.each(["ROWMILL_ADMIN_KEY", "ROWMILL_DATABASE_URL", "ROWMILL_EGRESS_PROXY"])(
    "and the secret %s is not repeated in it",
    (name) => {
      expect(() => readConfig({ [name]: "hush hush" })).toThrow(/^((?!hush).)*$/s);
    },
  );
});

test.each([
  "postgres://host",
  "postgresql://user:p%40ss@host:5432/database",
  "postgres://user:p@ss:word@host/database",
  "postgres://user:password@[::1]:5432/database?sslmode=verify-full&sslrootcert=/etc/ca.pem",
  "postgres://user:password@one:5432,[fd00::2]:5433,three/database",
  "postgres://user:password@/database?host=/var/run/postgresql",
  "postgres://%2Fvar%2Frun%2Fpostgresql/database?user=a@b",
])("ROWMILL_DATABASE_URL may be %s", (url) => {
  expect(readConfig({ ROWMILL_DATABASE_URL: url, ROWMILL_DATABASE_REPLICA_URL: url })).toMatchObject({
    ROWMILL_DATABASE_URL: url,
    ROWMILL_DATABASE_REPLICA_URL: url,
  });
});

test("every setting says what it means, and secrets are marked", () => {
  for (const [name, { meaning, defaultText }] of Object.entries(settings)) {
    expect([name, meaning]).toEqual([name, expect.stringMatching(/\w.*\.$/)]);
    expect(defaultText).not.toBe("");
  }
  const secrets = Object.entries(settings).filter(([, setting]) => "secret" in setting);
  expect(secrets.map(([name]) => name)).toEqual(
    expect.arrayContaining(["ROWMILL_DATABASE_URL", "ROWMILL_ADMIN_KEY", "ROWMILL_ENCRYPTION_KEY"]),
  );
});
