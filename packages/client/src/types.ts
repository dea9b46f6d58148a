/** The contract's types, read off the generated ones: a change of the contract that the client does not follow does not compile. */
import type { components, operations, paths } from "./generated/openapi.ts";

type Schemas = components["schemas"];

/** `T` with the member `Name` of another type. */
type Typed<T, Name extends keyof T, Value> = Omit<T, Name> & Record<Name, Value>;

export type AcceptedInvitation = Schemas["AcceptedInvitation"];
export type AlertPreview = Schemas["AlertPreview"];
export type AlertDelivery = Schemas["AlertDelivery"];
export type AlertRule = Schemas["AlertRule"];
export type AlertRuleWithSecret = Schemas["AlertRuleWithSecret"];
export type ApiKey = Schemas["ApiKey"];
export type AuditEvent = Schemas["AuditEvent"];
export type BulkAction = Schemas["BulkAction"];
export type BulkActionCount = Schemas["BulkActionCount"];
export type Connection = Schemas["Connection"];
export type ConnectionTest = Schemas["ConnectionTest"];
export type CreatedApiKey = Schemas["CreatedApiKey"];
export type CreatedInvitation = Schemas["CreatedInvitation"];
export type Dataset = Schemas["Dataset"];
/** `Data` is the type of the row, as the caller knows it: nothing checks it. */
export type DatasetRow<Data = Schemas["DatasetRow"]["data"]> = Typed<Schemas["DatasetRow"], "data", Data>;
export type DatasetUpload = Schemas["DatasetUpload"];
export type Export = Schemas["Export"];
export type Failure = Schemas["Failure"];
export type FailureGroup = Schemas["FailureGroup"];
export type FailurePolicy = Schemas["FailurePolicy"];
export type Invitation = Schemas["Invitation"];
export type JobSpec = Schemas["JobSpec"];
/** `Data` is the type of the outputs, as the caller knows it: nothing checks it. */
export type JobSpecTestResult<Data = unknown> = Typed<
  Schemas["JobSpecTestResult"],
  "outputs",
  Typed<Schemas["JobSpecTestResult"]["outputs"][number], "data", Data>[]
>;
export type JobSpecVersion = Schemas["JobSpecVersion"];
export type Lineage = Schemas["Lineage"];
export type Member = Schemas["Member"];
export type ModelPriceList = Schemas["ModelPriceList"];
export type Organization = Schemas["Organization"];
/** `Data` is the type of the output, such as its schema has it: the service has checked it, the client does not. */
export type Output<Data = unknown> = Typed<Schemas["Output"], "data", Data>;
/** `Data` is the type of the output, as in `Output`. */
export type ResolvedResult<Data = unknown> = Omit<Schemas["ResolvedResult"], "output"> & {
  output?: Typed<NonNullable<Schemas["ResolvedResult"]["output"]>, "data", Data>;
};
export type RetryPolicy = Schemas["RetryPolicy"];
export type Run = Schemas["Run"];
export type RunEstimate = Schemas["RunEstimate"];
export type RunEvent = Schemas["RunEvent"];
export type RunRow = Schemas["RunRow"];
export type ColumnStatistics = Schemas["ColumnStatistics"];
export type ConnectionLimits = Schemas["ConnectionLimits"];
export type RunMap = Schemas["RunMap"];
export type ServiceHealth = Schemas["ServiceHealth"];
export type ServiceInfo = Schemas["ServiceInfo"];
export type Session = Schemas["Session"];
export type UsageGroup = Schemas["UsageGroup"];
export type WebhookDelivery = Schemas["WebhookDelivery"];
/** Of an attempt that was made at once: what the receiver responded. */
export type WebhookDeliveryWithResponse = Schemas["WebhookDeliveryWithResponse"];
export type WebhookDeliveryContent = Schemas["WebhookDeliveryContent"];
export type WebhookEndpoint = Schemas["WebhookEndpoint"];
export type WebhookEndpointWithSecret = Schemas["WebhookEndpointWithSecret"];
export type WebhookReplay = Schemas["WebhookReplay"];

export type ErrorEnvelope = Schemas["Error"]["error"];
/** The codes of `GET /v1/error-codes`. */
export type ErrorCode = ErrorEnvelope["code"];

export type OperationId = keyof operations;
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The paths that have an operation with the method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: [NonNullable<paths[P][Lowercase<M>]>] extends [never] ? never : P;
}[keyof paths];
export type OperationOf<M extends Method, P extends PathOf<M>> = NonNullable<paths[P][Lowercase<M>]>;

type Json<T> = T extends { content: { "application/json": infer J } } ? J : never;

/** The JSON body; never where there is none. */
export type BodyIn<O> = O extends { requestBody?: infer Body } ? Json<NonNullable<Body>> : never;
export type PathIn<O> = O extends { parameters: { path: infer Path extends object } } ? Path : never;
export type QueryIn<O> = O extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never;
type Success<R> = R[keyof R & (200 | 201 | 204)];
/** The JSON response; undefined where there is none. */
export type ResponseBodyIn<O> = O extends { responses: infer Responses }
  ? [Json<Success<Responses>>] extends [never]
    ? undefined
    : Json<Success<Responses>>
  : never;
export type ItemIn<O> = ResponseBodyIn<O> extends { data: (infer Item)[]; nextCursor: string | null } ? Item : never;

/** The JSON body of an operation. */
export type Body<Id extends OperationId> = BodyIn<operations[Id]>;
/** The JSON response of an operation; undefined where its status is 204. */
export type ResponseBody<Id extends OperationId> = ResponseBodyIn<operations[Id]>;

/** What may be given for a query parameter: several values mean or, a date is written as RFC 3339, pairs are `name[key]=value`. */
export type QueryValue =
  | string
  | number
  | boolean
  | Date
  | readonly string[]
  | Readonly<Record<string, string>>
  | undefined;

/** `"true" | "false"` is a boolean; a text filter also takes several values or a date. */
type Filter<T> = [T] extends ["true" | "false"]
  ? boolean
  : [T] extends [number]
    ? number
    : [T] extends [string]
      ? string | readonly string[] | Date
      : Readonly<Record<string, string>>;

/**
 * The filters, `limit` and `cursor` of a list. `Values` names the filters whose values are an enumeration; a name that the
 * contract no longer has does not compile.
 */
export type ListQuery<
  Id extends OperationId,
  Values extends Partial<Record<keyof QueryIn<operations[Id]>, string>> = Record<never, never>,
> = {
  [K in keyof QueryIn<operations[Id]>]?:
    | (K extends "limit" | "cursor"
        ? QueryIn<operations[Id]>[K]
        : K extends keyof Values
          ? Values[K] | readonly Values[K][]
          : Filter<NonNullable<QueryIn<operations[Id]>[K]>>)
    | undefined;
};

/** Days as `2026-11-20` (UTC). */
export type UsageQuery = {
  [K in keyof QueryIn<operations["listUsage"]>]?: QueryIn<operations["listUsage"]>[K] | undefined;
};

export interface RequestOptions {
  /** Ends the request, its retries and its waits; the signal's reason is thrown. */
  signal?: AbortSignal | undefined;
  /** Longest time for one attempt; the client's `timeoutMs` if absent. */
  timeoutMs?: number | undefined;
  /** Attempts after the first; the client's `maxRetries` if absent. */
  maxRetries?: number | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Reads the JSON of the response, or of each line of a stream, in place of `JSON.parse`, which rounds long numbers. */
  parseJson?: ((text: string) => unknown) | undefined;
}

/** What a typed request takes: path parameters and a body exactly where the operation has them. */
export type RequestInput<O> = CreateOptions & {
  query?: { readonly [K in keyof QueryIn<O>]?: QueryValue };
} & ([PathIn<O>] extends [never] ? { path?: undefined } : { path: PathIn<O> }) &
  ([BodyIn<O>] extends [never]
    ? { body?: undefined }
    : O extends { requestBody: unknown }
      ? { body: BodyIn<O> }
      : { body?: BodyIn<O> | undefined });

export interface CreateOptions extends RequestOptions {
  /**
   * The same key with the same body is the same operation. Each call makes a key of its own and repeats it in retries;
   * give one to repeat the operation safely after a crash of your own.
   */
  idempotencyKey?: string | undefined;
}
