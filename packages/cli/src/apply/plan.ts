/**
 * What is to be done so that the service is as the file says. Connections come first: job specs name them, and may name one that
 * is only about to be made. Its id is filled in when the work is done.
 */
import type { AlertRule, Connection, JobSpec, Rowmill, WebhookEndpoint } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { parseExactly } from "../frame/exact-json.ts";
import { Problem } from "../frame/problem.ts";
import { differencesOf } from "./differences.ts";
import type { Difference } from "./differences.ts";
import { isObject, keyOf, sections } from "./read-spec.ts";
import type { Item, Section, Spec } from "./read-spec.ts";

export interface Step {
  section: Section;
  name: string;
  /** Undefined: it is created. */
  id: string | undefined;
  /** As in the file, without what is this command's alone. */
  wanted: Item;
  secret: string | undefined;
  /** The environment variable that has the secret. */
  secretFrom: string | undefined;
  /** Of what is created: all that the file says. */
  differences: readonly Difference[];
}

export const isChange = ({ id, differences }: Step): boolean => id === undefined || differences.length > 0;

type Existing = Connection | JobSpec | WebhookEndpoint | AlertRule;
/** The last characters of a secret that the service shows. */
const SHOWN_CHARACTERS = 4;
const SECRET_VARIABLE = "secretFrom";

export async function planSteps(cli: Cli, rowmill: Rowmill, spec: Spec): Promise<Step[]> {
  const connections = await byKey(rowmill.connections.list(undefined, { signal: cli.signal }), "name");
  const existing: Record<Section, Map<string, Existing>> = {
    connections,
    jobSpecs: await byKey(rowmill.jobSpecs.list(undefined, { signal: cli.signal, parseJson: parseExactly }), "name"),
    webhookEndpoints: await byKey(rowmill.webhookEndpoints.list(undefined, { signal: cli.signal }), "description"),
    alertRules: await byKey(rowmill.alertRules.list(undefined, { signal: cli.signal }), "name"),
  };
  const idOfConnection = (name: string): string => connections.get(name)?.id ?? name;
  return sections.flatMap((section) =>
    spec[section].map((item) => stepOf(cli, section, item, existing[section], idOfConnection)),
  );
}

function stepOf(
  cli: Cli,
  section: Section,
  item: Item,
  existing: ReadonlyMap<string, Existing>,
  idOfConnection: (name: string) => string,
): Step {
  const name = String(item[keyOf[section]]);
  const { [SECRET_VARIABLE]: variable, ...wanted } = item;
  if (section === "connections" && "secret" in wanted)
    throw new Problem(
      `The connection "${name}" has a secret in the file.`,
      `Put it into an environment variable, and write \`${SECRET_VARIABLE}: NAME_OF_THE_VARIABLE\`.`,
      { exit: "usage", code: "secret_in_file" },
    );
  const secret = variable === undefined ? undefined : secretIn(cli, name, variable);
  const before = existing.get(name);
  const resolved = section === "jobSpecs" ? withConnectionIds(wanted, idOfConnection) : wanted;
  const { [keyOf[section]]: _, ...described } = resolved;
  const differences =
    before === undefined ? differencesOf({}, described) : differencesOf(shownOf(section, before), resolved);
  const isNewSecret =
    secret !== undefined &&
    !(before as Connection | undefined)?.redactedSecret?.endsWith(secret.slice(-SHOWN_CHARACTERS));
  return {
    section,
    name,
    id: before?.id,
    wanted,
    secret,
    secretFrom: typeof variable === "string" ? variable : undefined,
    differences: isNewSecret ? [...differences, { path: "secret", before: "…", after: "…" }] : differences,
  };
}

/** `list` is how a file says what the service shows as `priceList`. */
function shownOf(section: Section, thing: Existing): unknown {
  if (section !== "connections") return thing;
  const connection = thing as Connection;
  return connection.priceList === null ? connection : { ...connection, prices: "list" };
}

/** Files name connections; the service knows their ids. */
export function withConnectionIds(wanted: Item, idOf: (name: string) => string): Item {
  const { processor } = wanted;
  if (!isObject(processor)) return wanted;
  const filled = (part: Record<string, unknown>): Record<string, unknown> =>
    typeof part["connection"] === "string" ? { ...part, connection: idOf(part["connection"]) } : part;
  const { fallbacks } = processor;
  return {
    ...wanted,
    processor: {
      ...filled(processor),
      ...(Array.isArray(fallbacks)
        ? { fallbacks: fallbacks.map((one: unknown) => (isObject(one) ? filled(one) : one)) }
        : {}),
    },
  };
}

function secretIn(cli: Cli, name: string, variable: unknown): string {
  const secret = typeof variable === "string" ? cli.terminal.environment[variable] : undefined;
  if (secret !== undefined && secret !== "") return secret.trim();
  throw new Problem(
    `The secret of the connection "${name}" is not in ${String(variable)}.`,
    `Set the environment variable ${String(variable)}.`,
    {
      exit: "not_allowed",
      code: "secret_missing",
    },
  );
}

/** The newest one of a name. */
async function byKey<T extends Existing>(list: AsyncIterable<T>, key: "name" | "description"): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  for await (const thing of list) {
    const value: unknown = Reflect.get(thing, key);
    if (typeof value === "string" && !found.has(value)) found.set(value, thing);
  }
  return found;
}
