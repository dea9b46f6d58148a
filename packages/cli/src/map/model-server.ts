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

/** Nothing is sent. */
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
}
