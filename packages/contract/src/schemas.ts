/** Small builders over TypeBox that every resource of the contract uses. */
import { Type } from "typebox";
import type { Static, TObject, TProperties, TSchema } from "typebox";

/** Schemas with a name: `$ref` in OpenAPI, a static type in the code. Keyed by name. */
export const components = new Map<string, TSchema>();

export function component<const Name extends string, T extends TSchema>(name: Name, schema: T) {
  if (components.has(name)) throw new Error(`component ${name} is declared twice`);
  components.set(name, schema);
  return Type.Unsafe<Static<T>>({ $ref: name });
}

/** A request object: unknown members are refused. */
export const Closed = <T extends TProperties>(properties: T, options: object = {}): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, ...options });

export const Enum = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: "string", enum: [...values], ...options });

export const Nullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: "null" }] });

/** One of several closed objects, distinguished by the constant in `member`. */
export function OneOf<const T extends readonly TSchema[]>(member: string, variants: T, options: object = {}) {
  return Type.Unsafe<Static<T[number]>>({
    type: "object",
    discriminator: { propertyName: member },
    required: [member],
    oneOf: [...variants],
    ...options,
  });
}

export const idPrefixes = {
  organization: "org",
  apiKey: "key",
  member: "mem",
  invitation: "inv",
  datasetUpload: "upl",
  dataset: "ds",
  row: "row",
  jobSpec: "spec",
  jobSpecVersion: "specv",
  run: "run",
  event: "evt",
  export: "exp",
  webhookEndpoint: "whe",
  webhookDelivery: "whd",
  alertRule: "alr",
  alertDelivery: "ald",
  auditEvent: "aud",
  connection: "conn",
  session: "ses",
  bulkAction: "bulk",
  request: "req",
} as const;
export type IdKind = keyof typeof idPrefixes;
export type IdPrefix = (typeof idPrefixes)[IdKind];

export const Id = (kind: IdKind, description?: string) =>
  Type.String({
    pattern: `^${idPrefixes[kind]}_[0-9a-z]{1,64}$`,
    ...(description === undefined ? {} : { description }),
    examples: [exampleId(kind)],
  });
/** An id in a request: any string, since a malformed id and an unknown one get the same response (404). */
export const IdReference = (kind: IdKind, description: string) =>
  Type.String({ description, maxLength: 200, examples: [exampleId(kind)] });
export const exampleId = (kind: IdKind) =>
  `${idPrefixes[kind]}_01jd3v8m7qe6t9yb4c2xk5w0hz${kind === "row" ? "0000002a" : ""}`;

export const Timestamp = (description?: string) =>
  Type.String({
    format: "date-time",
    examples: ["2026-11-20T09:30:00.000Z"],
    ...(description === undefined ? {} : { description }),
  });
/** Samples of the reference show the example: an empty name would be refused. */
export const Name = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 200, description, examples: [example] });
/** Said by errors of a member that is an e-mail address. */
export const EMAIL_HINT = "Send one e-mail address and nothing else, such as ada@example.com.";
export const Description = Type.String({ maxLength: 2000 });
/** Decimal string with six places: floats would lose cents over a hundred million rows. */
export const Usd = (description: string) =>
  Type.String({
    pattern: "^\\d{1,12}(\\.\\d{1,12})?$",
    description,
    examples: ["12.345600"],
    // Said by errors of the member.
    "x-hint": 'Write amounts of money as decimal strings, such as "0.25".',
  });

/** Not `Type.Record`: it forgets the limit of the keys, and takes anything under a key with a line break. */
export const Metadata = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string", maxLength: 500 },
  propertyNames: { maxLength: 40 },
  maxProperties: 50,
  description: "Your own labels: up to 50 keys of 40 characters, values of 500.",
});
export const AnyObject = Type.Record(Type.String(), Type.Unknown());
export const JsonSchema = Type.Unsafe<Record<string, unknown> | boolean>({
  type: ["object", "boolean"],
  description: "A JSON Schema (2020-12). Remote references are refused; patterns are RE2.",
});
/** Larger integers are not exact in JavaScript, and not in most readers of JSON. */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
/** The largest value of PostgreSQL's `integer`. */
const MAX_INT32 = 2_147_483_647;
/** Every integer of the interface has both bounds: a number out of its column's range is the client's error and not ours. */
/** Of CSV, as it is read and written. Spread into a text of its own, which says what it is for. */
export const ONE_DELIMITER = {
  pattern: "^[\\t -!#-~]$",
  "x-hint": 'Send one character, such as ";" or "\\t" (a tab).',
};

export const Integer = (options: { minimum?: number; maximum?: number; description?: string } = {}) =>
  Type.Integer({ minimum: 0, maximum: MAX_INTEGER, ...options });
export const SafeCount = (description: string) => Integer({ description });
export const VersionNumber = (options: { description?: string } = {}) =>
  Integer({ minimum: 1, maximum: MAX_INT32, ...options });

/** Marks a member of a response that is shown once: operations list such members in `secretMembers`, and a test compares both. */
export const ONE_TIME_SECRET = "x-one-time-secret";
/** A secret that a response shows once. A repeat of the request by another key has the response without it. */
export const OneTimeSecret = (description: string) => Type.Optional(secretText(description));
export const NullableOneTimeSecret = (description: string) => Type.Optional(Nullable(secretText(description)));

const secretText = (description: string) =>
  Type.String({
    description: `${description} A repeat of the request with its \`Idempotency-Key\` shows it only to the key, or member, that made the first.`,
    [ONE_TIME_SECRET]: true,
  });
