/** One request through a connection that costs nothing, and what came of it in words. */
import { MAX_LISTED_MODELS } from "@rowmill/contract/connections";
import type { ConnectionTest, ConnectionType } from "@rowmill/contract/connections";
import type { Dispatcher } from "undici";
import { collectBody } from "../../platform/egress/http-responses.ts";
import type { ConnectionEgress } from "../../platform/egress/connection-egress.ts";
import { EgressError, failureOf } from "../../platform/egress/failure.ts";
import type { PrepareFunction } from "../../platform/http/handlers.ts";
import { SECRET_IS_LOST } from "../../processors/connection-parts.ts";
import { createRedact } from "../../processors/redact.ts";
import type { Services } from "../../services.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { openSecret } from "./connection-secrets.ts";
import { findConnection } from "./connections.ts";
import { cutText } from "../../platform/text.ts";
import { notNull } from "../../platform/present.ts";

/** A person waits for it; a list of models takes a tenth. */
const TIMEOUT_MS = 10_000;

/** The longest catalogues of resellers have about one MiB. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/** Of what a provider says is wrong: a sentence, not its page. */
const MAX_QUOTED_CHARACTERS = 300;

/** No provider has longer ones, and a list of them is shown. */
const MAX_MODEL_NAME_CHARACTERS = 200;

/** The one that every version of Anthropic's API takes. */
const ANTHROPIC_VERSION = "2023-06-01";

export interface TestedConnection {
  type: ConnectionType;
  baseUrl: string;
  secret: string | null;
}

type Finding = Omit<ConnectionTest, "durationMs">;

export const testConnection: PrepareFunction<"testConnection", Pick<Services, "connectionEgress" | "sealer">> = async (
  db,
  caller,
  { params },
  { connectionEgress, sealer },
) => {
  const row = await findConnection(db, caller, params.connectionId);
  const { secret, isSecretLost } = openSecret(sealer, row);
  const test: ConnectionTest = isSecretLost
    ? { ok: false, status: null, message: SECRET_IS_LOST, durationMs: 0 }
    : await callConnection(connectionEgress, { ...row, secret });
  return async (tx) => {
    const { ok, status } = test;
    // It was a call to the outside with the secret: who has made it is kept.
    await recordAudit(tx, caller, "connection.tested", row.id, { ok, status });
    return test;
  };
};

/** Resolves whatever the other side does. */
async function callConnection(egress: ConnectionEgress, connection: TestedConnection): Promise<ConnectionTest> {
  const startedAt = performance.now();
  const finding = await ask(egress, connection);
  return { ...finding, durationMs: Math.round(performance.now() - startedAt) };
}

async function ask(egress: ConnectionEgress, connection: TestedConnection): Promise<Finding> {
  const url = new URL(connection.type === "http" ? connection.baseUrl : `${connection.baseUrl}/models`);
  const { dispatcher, message } = { message: "", ...egress.dispatcherFor(url) };
  if (dispatcher === undefined) return { ok: false, status: null, message };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await dispatcher.request({
      method: "GET",
      origin: url.origin,
      path: url.pathname,
      headers: { accept: "application/json", "accept-encoding": "identity", ...credentialsOf(connection) },
      signal,
    });
    const body = await readBody(response, connection.secret);
    return connection.type === "http"
      ? checkService(response.statusCode)
      : checkProvider(response.statusCode, body, connection.secret);
  } catch (error) {
    const failure = signal.aborted
      ? new EgressError("timeout", `No complete response within ${TIMEOUT_MS / 1_000} seconds.`)
      : failureOf(error);
    if (failure === undefined) throw error;
    return { ok: false, status: null, message: failure.message };
  }
}

/** An `http` connection's secret goes where a job spec's headers put it, which nobody knows here. */
function credentialsOf({ type, secret }: TestedConnection): Record<string, string> {
  if (type === "anthropic") return { "anthropic-version": ANTHROPIC_VERSION, ...notNull({ "x-api-key": secret }) };
  return type === "http" || secret === null ? {} : { authorization: `Bearer ${secret}` };
}

/** Undefined where there is too much of it, or it is not JSON. */
async function readBody({ body }: Dispatcher.ResponseData, secret: string | null): Promise<unknown> {
  const collected = collectBody();
  // A body of undici is a byte stream without encoding: its chunks are Buffers.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    // Leaving the loop ends the connection.
    if (collected.size + chunk.length > MAX_RESPONSE_BYTES) return undefined;
    collected.add(chunk);
  }
  try {
    return JSON.parse(createRedact(secret).body(collected.toBuffer().toString("utf8")));
  } catch {
    // What is not JSON is a finding, too: the caller reports it.
    return undefined;
  }
}

function checkService(status: number): Finding {
  if (isRedirect(status)) return redirected(status);
  if (status >= 500)
    return { ok: false, status, message: `The service was reached, and responds with ${status}: an error of its own.` };
  if (status === 401 || status === 403 || status === 407)
    return {
      ok: false,
      status,
      message:
        `The service was reached, and asks for credentials (${status}). This test does not send the secret, since job specs decide ` +
        "which header carries it: try it with a job spec and `POST /v1/job-specs/{id}/test`.",
    };
  const hint =
    status >= 400
      ? " The secret was not sent, and a base URL need not have a page: what counts is what job specs ask for."
      : "";
  return { ok: true, status, message: `The service was reached, and responds with ${status}.${hint}` };
}

function checkProvider(status: number, body: unknown, secret: string | null): Finding {
  if (isRedirect(status)) return redirected(status);
  const quoted = quote(body, secret);
  const refused = (message: string): Finding => ({ ok: false, status, message: message + quoted });
  if (status === 401 || status === 403)
    return refused(
      secret === null
        ? `The provider asks for a secret (${status}), and the connection has none.`
        : `The provider refuses the secret (${status}).`,
    );
  if (status === 404)
    return refused(
      "The provider was reached, and has no list of models below the base URL (404); most base URLs end in /v1.",
    );
  if (status === 429)
    return refused("The provider was reached, and asks to wait: a rate limit or quota is used up (429).");
  if (status >= 500) return refused(`The provider was reached, and responds with ${status}: an error of its own.`);
  if (status >= 300) return refused(`The provider was reached, and responds with ${status}.`);
  const models = modelsIn(body);
  if (models === undefined)
    return {
      ok: false,
      status,
      message: "The response is not a list of models: the base URL may be that of a web page.",
    };
  return {
    ok: true,
    status,
    message: `The provider was reached, and lists ${models.length} ${models.length === 1 ? "model" : "models"}.`,
    models: models.slice(0, MAX_LISTED_MODELS),
  };
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400 && status !== 304;

const redirected = (status: number): Finding => ({
  ok: false,
  status,
  message: `The base URL leads elsewhere (${status}), which is never followed: enter the URL it leads to.`,
});

/** `{"data": [{"id": "name"}, …]}`, as both families of providers return it. */
function modelsIn(body: unknown): string[] | undefined {
  const data = memberOf(body, "data");
  // Ollama's list where no model was pulled.
  if (data === null && memberOf(body, "object") === "list") return [];
  if (!Array.isArray(data)) return undefined;
  return data.flatMap((model) => {
    const id = memberOf(model, "id");
    return typeof id === "string" && id.length <= MAX_MODEL_NAME_CHARACTERS ? [id] : [];
  });
}

/** What a provider says of its error, `{"error": {"message": "…"}}`; some repeat the secret in it. */
function quote(body: unknown, secret: string | null): string {
  const error = memberOf(body, "error");
  const said = typeof error === "string" ? error : memberOf(error, "message");
  if (typeof said !== "string" || said.trim() === "") return "";
  const text = createRedact(secret).text(said).replaceAll(/\s+/g, " ").trim();
  return ` It says: ${text.length > MAX_QUOTED_CHARACTERS ? `${cutText(text, MAX_QUOTED_CHARACTERS)}…` : text}`;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name] // it has the member
    : undefined;
