/** Whether the server of a model on this machine runs. */
import { once } from "node:events";
import { connect } from "node:net";
import { Problem } from "../frame/problem.ts";
import { isOnThisMachine } from "./providers.ts";
import type { FoundModel } from "./providers.ts";

/** How the servers that a name of a model may mean are started. */
export const startOf: Readonly<Record<string, string>> = {
  ollama: "Start Ollama (`ollama serve`), and repeat the command.",
  lmstudio: "Start the server of LM Studio (`lms server start`), and repeat the command.",
};

/** A list is there at once. */
const LIST_LIMIT_MS = 5_000;
const MAX_SHOWN_MODELS = 5;

/** A prompt is not sent. */
export async function requireModelServer({ provider, model, baseUrl }: FoundModel): Promise<void> {
  if (!isOnThisMachine(baseUrl)) return;
  const { hostname, port, protocol } = new URL(baseUrl);
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
  });
  try {
    await once(socket, "connect");
  } catch (error) {
    throw new Problem(
      `No server of the model "${model}" listens at ${new URL(baseUrl).origin}.`,
      startOf[provider] ?? "Start it, or name its address with --base-url, and repeat the command.",
      { code: "no_model_server", cause: error },
    );
  } finally {
    socket.destroy();
  }
  if (provider === "ollama") await requireFetched(model, baseUrl);
}

/** Ollama runs the models that were fetched before. Those of its cloud need not be. */
async function requireFetched(model: string, baseUrl: string): Promise<void> {
  const listed = await modelsAt(baseUrl);
  if (listed === undefined || model.endsWith("cloud") || listed.map(fullName).includes(fullName(model))) return;
  const shown = listed.slice(0, MAX_SHOWN_MODELS).join(", ");
  throw new Problem(
    `Ollama has no model "${model}".`,
    `Fetch it with \`ollama pull ${model}\`, and repeat the command.${shown === "" ? "" : ` It has ${shown}.`}`,
    { exit: "usage", code: "model_not_fetched" },
  );
}

/** A name without a tag is one with `latest`. */
function fullName(model: string): string {
  const name = model.toLowerCase().replace(/^(registry\.ollama\.ai\/)?library\//, "");
  return name.includes(":") ? name : `${name}:latest`;
}

/** Undefined where no list is there: the first rows show whether it has the model. */
async function modelsAt(baseUrl: string): Promise<string[] | undefined> {
  try {
    const response = await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(LIST_LIMIT_MS) });
    // As the API has it; null where there is none.
    const { data } = (await response.json()) as { data: { id: string }[] | null };
    return data === null ? [] : data.map(({ id }) => id);
  } catch {
    return undefined;
  }
}
