/** The files of `deploy/` and compose name what exists: settings with values that are accepted, paths, ports, metrics, each other. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readConfig, settings } from "@rowmill/server/config";
import { readRegion } from "../tools/docs/regions.ts";

interface Manifest {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec?: {
    selector?: { matchLabels?: Record<string, string>; app?: string };
    scaleTargetRef?: { kind: string; name: string };
    metrics?: { external?: { metric: { name: string } } }[];
    template?: { metadata: { labels: Record<string, string>; annotations: Record<string, string> }; spec: Pod };
  };
}
interface Pod {
  securityContext: Record<string, unknown>;
  terminationGracePeriodSeconds: number;
  containers: Container[];
}
interface Container {
  env: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
  securityContext: Record<string, unknown>;
  volumeMounts: { mountPath: string }[];
}
interface Probe {
  httpGet: { path: string; port: string };
}

const read = (file: string): string => readFileSync(file, "utf8");
const manifests = ["settings", "api", "worker", "ingress"].flatMap(
  (name) => parseAllDocuments(read(`deploy/kubernetes/${name}.yaml`)).map((document) => document.toJS() as Manifest), // checked below
);
const ofKind = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
const podOf = (deployment: Manifest): Pod => {
  const pod = deployment.spec?.template?.spec;
  if (pod === undefined) throw new Error(`${deployment.metadata.name} has no pod`);
  return pod;
};
/** From the Secret that an operator makes. */
const SECRET = {
  ROWMILL_DATABASE_URL: "postgres://rowmill:x@db:5432/rowmill",
  ROWMILL_ENCRYPTION_KEY: Buffer.alloc(32).toString("base64"),
  ROWMILL_ADMIN_KEY: "rma_0123456789abcdef",
};

test("every variable of ours in the files that deploy it is a setting", () => {
  const files = ["Dockerfile", ...globSync("compose*.yaml"), ...globSync("deploy/**/*.{yaml,example,service,mjs}")];
  const named = files.flatMap((file) => [...read(file).matchAll(/\bROWMILL_[A-Z0-9_]+/g)].map(([name]) => name));
  expect(named.length).toBeGreaterThan(20);
  expect([...new Set(named)].filter((name) => !Object.hasOwn(settings, name))).toEqual([]);
});

test("each role of the Kubernetes manifests starts with settings that are accepted, on the ports of its probes", () => {
  const shared = ofKind("ConfigMap")[0]?.data ?? {};
  expect(ofKind("Deployment").map(({ metadata }) => metadata.name)).toEqual(["rowmill-api", "rowmill-worker"]);
  for (const deployment of ofKind("Deployment")) {
    const [container] = podOf(deployment).containers;
    const own = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
    const config = readConfig({ ...shared, ...SECRET, ...own });
    expect(`rowmill-${config.ROWMILL_ROLE}`).toBe(deployment.metadata.name);
    expect(container?.ports).toEqual([
      { name: "http", containerPort: config.ROWMILL_PORT },
      { name: "metrics", containerPort: config.ROWMILL_METRICS_PORT },
    ]);
    expect(deployment.spec?.template?.metadata.annotations["prometheus.io/port"]).toBe(
      String(config.ROWMILL_METRICS_PORT),
    );
    for (const [probe, path] of [
      [container?.startupProbe, "/healthz"],
      [container?.livenessProbe, "/healthz"],
      [container?.readinessProbe, "/readyz"],
    ] as const)
      expect(probe?.httpGet).toEqual({ path, port: "http" });
    expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([
      /ROWMILL_DATA_DIR=(\S+)/.exec(read("Dockerfile"))?.[1],
      "/tmp",
    ]);
  }
});

test("pods are not root, may not write to their program, and have the time that a stop takes", () => {
  for (const pod of ofKind("Deployment").map(podOf)) {
    const [, user] = /^USER (\d+):/m.exec(read("Dockerfile")) ?? [];
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: Number(user) });
    expect(pod.containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    // 30 seconds, and five before the first of them.
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(35);
  }
});

test("services, budgets and scalers lead to the deployments, and scale by a metric that exists", () => {
  const labels = ofKind("Deployment").map(({ spec }) => spec?.template?.metadata.labels["app"]);
  for (const budget of ofKind("PodDisruptionBudget"))
    expect(labels).toContain(budget.spec?.selector?.matchLabels?.["app"]);
  expect(labels).toContain(ofKind("Service")[0]?.spec?.selector?.app);
  for (const { spec } of ofKind("HorizontalPodAutoscaler")) {
    expect(spec?.scaleTargetRef?.kind).toBe("Deployment");
    expect(labels).toContain(spec?.scaleTargetRef?.name);
  }
  const metrics = ofKind("HorizontalPodAutoscaler").flatMap(({ spec }) => spec?.metrics ?? []);
  const names = metrics.flatMap(({ external }) => (external === undefined ? [] : [external.metric.name]));
  expect(names).toEqual(["rowmill_queue_oldest_job_seconds"]);
  for (const name of names) expect(read("packages/server/src/metrics.ts")).toContain(`"${name}"`);
});

test("the values of the Helm chart are settings that are accepted, and the chart has the version of the program", () => {
  const values = parse(read("deploy/helm/rowmill/values.yaml")) as { settings: Record<string, string> };
  expect(() => readConfig({ ...values.settings, ...SECRET })).not.toThrow();
  const chart = parse(read("deploy/helm/rowmill/Chart.yaml")) as { appVersion: string };
  expect(chart.appVersion).toBe((JSON.parse(read("package.json")) as { version: string }).version);
});

test("the policy of a bucket allows what the store does, and nothing else; the rule deletes no object", () => {
  const actions: Record<string, string> = {
    AbortMultipartUpload: "s3:AbortMultipartUpload",
    CompleteMultipartUpload: "s3:PutObject",
    CreateMultipartUpload: "s3:PutObject",
    DeleteObject: "s3:DeleteObject",
    DeleteObjects: "s3:DeleteObject",
    GetObject: "s3:GetObject",
    HeadObject: "s3:GetObject",
    ListMultipartUploads: "s3:ListBucketMultipartUploads",
    ListObjectsV2: "s3:ListBucket",
    ListParts: "s3:ListMultipartUploadParts",
    PutObject: "s3:PutObject",
    UploadPart: "s3:PutObject",
  };
  const sources = globSync("packages/server/src/platform/storage/**/*.ts").filter((file) => !file.endsWith(".test.ts"));
  const sent = sources.flatMap((file) => [...read(file).matchAll(/new (\w+)Command\(/g)].map(([, name = ""]) => name));
  const policy = JSON.parse(read("deploy/s3-policy.json")) as { Statement: { Action: string[] }[] };
  const allowed = policy.Statement.flatMap(({ Action }) => Action);
  expect(new Set(sent.map((name) => actions[name] ?? name))).toEqual(new Set(allowed));

  const rules = JSON.parse(read("deploy/s3-lifecycle.json")) as { Rules: object[] };
  expect(rules.Rules.flatMap((rule) => Object.keys(rule))).not.toContain("Expiration");
});

describe("the commands of the docs", () => {
  const commands = readRegion.bind(undefined, read("deploy/commands.sh"));
  const isInstalled = (program: string): boolean => spawnSync(program, ["--help"]).error === undefined;
  const newFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "rowmill-deploy-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  };
  /** The calls of programs that are not installed here, in their order, each as its arguments. */
  const runIn = (folder: string, text: string, programs: readonly string[]): string[] => {
    const standIns = programs.map((program) => `${program}() { echo "${program} $*" >> "$CALLS"; }\n`).join("");
    const calls = join(folder, "calls");
    const { status, stderr } = spawnSync("bash", ["-eu"], {
      cwd: folder,
      input: `sudo() { "$@"; }\n${standIns}${text}`,
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "", CALLS: calls },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr });
    return read(calls).trim().split("\n");
  };

  test.each(["compose", "scale"])("of %s name files, services and settings that exist", (region) => {
    const folder = newFolder();
    for (const path of ["deploy", "compose.yaml", "compose.scale.yaml"])
      cpSync(path, join(folder, path), { recursive: true });
    for (const call of runIn(folder, commands(region), ["docker"])) {
      const [, file = "compose.yaml", verb = "", rest = ""] =
        /^docker compose (?:-f (\S+) )?(up -d|logs)(.*)$/.exec(call) ?? [];
      expect(call).toContain(verb || "a command of docker compose");
      const { services } = parse(read(file), { merge: true }) as { services: Record<string, object> };
      const named = [...rest.matchAll(/--scale (\w+)=\d+|(?<= )(\w+)$/g)].map(([, scaled, plain]) => scaled ?? plain);
      for (const name of named) expect(Object.keys(services)).toContain(name);
      const asked = [...read(file).matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
      const filled = file === "compose.yaml" ? "" : read(join(folder, ".env"));
      for (const name of asked) expect(filled).toMatch(new RegExp(`^${name}=`, "m"));
    }
  });

  test.skipIf(process.platform !== "linux")("of systemd install the unit, and settings that only root can read", () => {
    const folder = newFolder();
    const text = commands("systemd")
      .replaceAll(/(?<= )\/(?=opt|etc)/g, `${folder}/`)
      .replace(
        /git clone \S+ (\S+)/,
        `mkdir -p $1 ${folder}/etc/systemd/system && cp -r "${process.cwd()}/deploy" $1/`,
      );
    expect(text).toContain(`${folder}/opt/rowmill`);
    const calls = runIn(folder, text, ["npm", "systemctl", "journalctl"]);
    expect(calls).toEqual([
      "npm ci",
      "systemctl daemon-reload",
      "systemctl enable --now rowmill",
      "journalctl -u rowmill",
    ]);
    const environmentFile = join(folder, "etc", "rowmill", "rowmill.env");
    expect(statSync(environmentFile).mode & 0o777).toBe(0o600);
    const lines = read(environmentFile).trim().split("\n");
    const own: Record<string, string> = {};
    for (const [name = "", value = ""] of lines.map((line) => line.split("="))) own[name] = value;
    expect(() => readConfig(own)).not.toThrow();
    const unit = read(join(folder, "etc", "systemd", "system", "rowmill.service"));
    expect(unit).toContain("EnvironmentFile=-/etc/rowmill/rowmill.env");
    expect(unit).toContain("WorkingDirectory=/opt/rowmill");
  });

  test("of systemd for backups, upgrades and restores are lines that bash reads, about units that exist", () => {
    const text = ["systemd-backup", "systemd-upgrade", "systemd-restore"].map((region) => commands(region)).join("\n");
    expect(spawnSync("bash", ["-n"], { input: text, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
    const started = [...text.matchAll(/systemctl (?:start|stop|restart|enable --now) ([\w.-]+)/g)].map(
      ([, unit = ""]) => unit,
    );
    expect(started.length).toBeGreaterThan(4);
    for (const unit of started)
      expect(existsSync(`deploy/${unit.includes(".") ? unit : `${unit}.service`}`)).toBe(true);
    for (const [, file = ""] of text.matchAll(/ (deploy\/\S+)/g)) expect(existsSync(file)).toBe(true);
    for (const [, property = ""] of text.matchAll(/ -p (\S+)/g))
      expect(read("deploy/rowmill.service")).toContain(property);
  });

  test("the unit of backups runs as the user of the service, with its settings and its data", () => {
    const [service, backup] = ["rowmill", "rowmill-backup"].map((name) => read(`deploy/${name}.service`)) as [
      string,
      string,
    ];
    const valueOf = (unit: string, name: string): string | undefined =>
      new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1];
    for (const name of ["DynamicUser", "User", "WorkingDirectory", "EnvironmentFile", "Environment", "UMask"])
      expect(valueOf(backup, name)).toBe(valueOf(service, name));
    const [, program = "", target] = / (\S+\.ts) backup "([^"]+)"/.exec(valueOf(backup, "ExecStart") ?? "") ?? [];
    expect(statSync(program).isFile()).toBe(true);
    expect(target).toBe("/var/lib/rowmill/backups/$$(date +%%F-%%H%%M%%S).tar");
    expect(commands("systemd-restore")).toContain(`${program} restore `);
  });

  test
    .skipIf(!isInstalled("systemd-analyze"))
    .each(["rowmill.service", "rowmill-backup.service", "rowmill-backup.timer"])(
    "%s is a unit that systemd accepts",
    (name) => {
      const folder = newFolder();
      // A timer is verified with what it starts.
      for (const each of ["rowmill.service", "rowmill-backup.service", "rowmill-backup.timer"]) {
        // Nothing is installed at its place here.
        const text = read(`deploy/${each}`).replace(/^ExecStart=\/opt\S+/m, `ExecStart=${process.execPath}`);
        writeFileSync(join(folder, each), text);
      }
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", join(folder, name)], { encoding: "utf8" });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    },
  );

  test.skipIf(!isInstalled("nginx"))("nginx accepts its configuration", () => {
    const folder = newFolder();
    // The name of the service is known in a container network only.
    const servers = read("deploy/nginx.conf").replace("server api:8080;", "server 127.0.0.1:8080;");
    const logs = `pid ${folder}/pid; error_log stderr;`;
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    );
    writeFileSync(
      join(folder, "nginx.conf"),
      `${logs} events {} http { access_log off; ${paths.join(" ")} ${servers} }`,
    );
    const { status, stderr } = spawnSync("nginx", ["-t", "-c", join(folder, "nginx.conf")], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr });
  });

  test.skipIf(!isInstalled("kubectl"))("the overlay of the docs builds on the manifests, with its image", () => {
    const folder = newFolder();
    cpSync("deploy/kubernetes", join(folder, "kubernetes"), { recursive: true });
    cpSync("deploy/kubernetes-overlay", join(folder, "overlay"), { recursive: true });
    const file = join(folder, "overlay", "kustomization.yaml");
    writeFileSync(file, read(file).replace("github.com/your/copy/deploy/kubernetes", "../kubernetes"));
    const { status, stdout, stderr } = spawnSync("kubectl", ["kustomize", join(folder, "overlay")], {
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr });
    const images = [...stdout.matchAll(/^ +image: (.*)$/gm)].map(([, image]) => image);
    expect(images).toEqual(["registry.example.com/rowmill:0.1.0", "registry.example.com/rowmill:0.1.0"]);
  });

  test("the rule of prometheus-adapter names the metric by which workers scale", () => {
    const { externalRules } = parse(read("deploy/prometheus-adapter.yaml")) as {
      externalRules: { seriesQuery: string; metricsQuery: string }[];
    };
    const [rule] = externalRules;
    const metrics = ofKind("HorizontalPodAutoscaler").flatMap(({ spec }) => spec?.metrics ?? []);
    expect(metrics.map(({ external }) => external?.metric.name)).toContain(rule?.seriesQuery);
    // Each process reports it for the whole installation.
    expect(rule?.metricsQuery).toMatch(/^max\(/);
  });
});
