/** The files of `deploy/` and compose name what exists: settings with values that are accepted, paths, ports, metrics, each other. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readConfig, settings } from "@rowmill/server/config";

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
