/** Writes the page of settings from `config.ts`; with `--check` it only reports whether it is current. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { settings } from "./config.ts";

const file = new URL("../../../docs/reference/settings.md", import.meta.url);

const INTRODUCTION = `# Settings

<!-- Written by \`npm run generate\` from packages/server/src/config.ts. -->

The service reads its settings from environment variables. All are optional. An unknown \`ROWMILL_*\` variable or a bad value stops the start with a
sentence, which names the setting that was probably meant. Two kinds of variables are known and ignored: those that clients read
(\`ROWMILL_API_KEY\`, \`ROWMILL_URL\`, \`ROWMILL_PROFILE\` and the like), and those that Kubernetes sets for a Service whose name begins with \`rowmill\`
(\`ROWMILL_SERVICE_HOST\`, \`ROWMILL_PORT=tcp://10.0.0.1:80\`, …). [Operations](../operations.md) explains them in context.`;

type Name = keyof typeof settings;

/** In the order of the page. A setting that is in no group is an error, so that none is forgotten. */
const groups: readonly { title: string; has: RegExp }[] = [
  {
    title: "Address and role",
    has: /^(HOST|PORT|METRICS_\w+|PUBLIC_URL|TRUSTED_PROXIES|ROLE|MODE|CORS_ORIGINS|LOG_LEVEL)$/,
  },
  { title: "Data", has: /^(DATA_DIR|DATABASE_\w+|ROW_LEVEL_SECURITY|STORAGE_URL|DOWNLOADS|MIN_FREE_BYTES)$/ },
  { title: "Keys and sign-in", has: /^(ADMIN_KEY|INIT_\w+|ENCRYPTION_KEYS?|SESSION_\w+|INVITATION_\w+)$/ },
  { title: "Work", has: /^(CHUNK_ROWS|WORKER_CONCURRENCY|WAITING_LANES|BATCH_\w+|TRANSFORM_THREADS)$/ },
  { title: "Limits", has: /^(MAX_\w+|RATE_LIMIT_\w+)$/ },
  { title: "How long things are kept", has: /^(IDEMPOTENCY|EXPORT|UPLOAD|WEBHOOK|ALERT)_(RETENTION|EXPIRY)_\w+$/ },
  { title: "Webhooks, alerts and e-mail", has: /^(WEBHOOK_\w+|ALERT_\w+|SMTP_URL|MAIL_FROM)$/ },
  { title: "Traces", has: /^(OTEL_\w+|TRACE_\w+)$/ },
  { title: "Outgoing calls", has: /^(EGRESS_\w+|CONNECTION_ALLOWED_ORIGINS)$/ },
];

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
const groupOf = (name: string) => groups.find(({ has }) => has.test(name.replace(/^ROWMILL_/, "")));

function page(): string {
  const names = Object.keys(settings) as Name[]; // of the table itself
  const left = names.filter((name) => groupOf(name) === undefined);
  if (left.length > 0) throw new Error(`no group has ${left.join(", ")}`);
  const sections = groups.map((group) => {
    const rows = names
      .filter((name) => groupOf(name) === group)
      // Lists may have spaces, and a line of them has to break somewhere.
      .map(
        (name) =>
          `| \`${name}\` | ${cell(settings[name].defaultText.replaceAll(",", ", "))} | ${cell(settings[name].meaning)} |`,
      );
    return [`## ${group.title}`, "", "| setting | default | meaning |", "|---|---|---|", ...rows].join("\n");
  });
  return `${[INTRODUCTION, ...sections].join("\n\n")}\n`;
}

const text = page();
if (!process.argv.includes("--check")) {
  mkdirSync(new URL(".", file), { recursive: true });
  writeFileSync(file, text);
} else if (readFileSync(file, "utf8") !== text) {
  process.stderr.write("docs/reference/settings.md is stale: run `npm run generate`\n");
  process.exit(1);
}
