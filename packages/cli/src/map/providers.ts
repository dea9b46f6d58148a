/** Where a model is, from its name and from the environment that its users already have. */
import { usageProblem } from "../frame/problem.ts";

export interface Provider {
  name: string;
  type: "openai_compatible" | "anthropic";
  baseUrl: string;
  /** Variables for the key, in order; none for models on this machine. */
  keyVariables: readonly string[];
  /** Variables that name another address, in order. */
  baseUrlVariables?: readonly string[];
  /** Names of models that need no prefix. */
  models?: RegExp;
  /** It computes on the machine where it listens. */
  isFree?: true;
}

const hosted = (name: string, baseUrl: string, ...keyVariables: string[]): Provider => ({
  name,
  type: "openai_compatible",
  baseUrl,
  keyVariables,
});
const local = (name: string, port: number): Provider => ({
  ...hosted(name, `http://127.0.0.1:${port}/v1`),
  isFree: true,
});

/** `NAME/model` chooses one by its name. */
export const providers: readonly Provider[] = [
  {
    ...hosted("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    baseUrlVariables: ["OPENAI_BASE_URL", "OPENAI_API_BASE"],
    models: /^(gpt-|o\d|chatgpt-|ft:gpt-)/,
  },
  {
    name: "anthropic",
    type: "anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    keyVariables: ["ANTHROPIC_API_KEY"],
    baseUrlVariables: ["ANTHROPIC_BASE_URL"],
    models: /^claude-/,
  },
  {
    ...hosted("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", "GOOGLE_API_KEY"),
    models: /^gemini-/,
  },
  { ...hosted("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"), models: /^(mistral|ministral|codestral)-/ },
  { ...hosted("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"), models: /^deepseek-/ },
  { ...hosted("xai", "https://api.x.ai/v1", "XAI_API_KEY"), models: /^grok-/ },
  hosted("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
  hosted("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
  hosted("together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
  hosted("fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
  { ...local("ollama", 11_434), baseUrlVariables: ["OLLAMA_HOST"] },
  local("lmstudio", 1234),
  local("vllm", 8000),
  local("llamacpp", 8080),
];

export interface FoundModel {
  provider: string;
  type: Provider["type"];
  baseUrl: string;
  model: string;
  /** Undefined where the provider needs none, or none was found. */
  apiKey: string | undefined;
  /** The variable that the key has to be in, where it is missing. */
  missingKey: string | undefined;
  /** Calls cost nothing, as the name of the provider says. */
  isFree: boolean;
}

/** Undefined where nothing says where the model is. */
export function findModel(
  named: string,
  baseUrl: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): FoundModel | undefined {
  const value = (names: readonly string[] = []): string | undefined =>
    names.map((name) => environment[name]).find((text) => text !== undefined && text !== "");
  const [prefix = ""] = named.split("/", 1);
  const byPrefix = named.includes("/") ? providers.find(({ name }) => name === prefix.toLowerCase()) : undefined;
  const model = byPrefix === undefined ? named : named.slice(prefix.length + 1);
  if (baseUrl !== undefined) {
    // An address of one's own speaks OpenAI's language unless the name says otherwise; it gets the key of that variable only.
    const speaks =
      byPrefix ?? providers.find((provider) => provider.type === "anthropic" && provider.models?.test(model));
    const type = speaks?.type ?? "openai_compatible";
    const apiKey = value(speaks?.keyVariables ?? ["OPENAI_API_KEY"]);
    return {
      provider: "custom",
      type,
      baseUrl,
      model,
      apiKey,
      missingKey: undefined,
      isFree: byPrefix?.isFree === true,
    };
  }
  const byModel = providers.find(({ models }) => models?.test(model));
  const openai = providers[0];
  // With OPENAI_BASE_URL set, calls go to that address, whatever its models are called.
  const provider = byPrefix ?? byModel ?? (value(openai?.baseUrlVariables) === undefined ? undefined : openai);
  if (provider === undefined) return undefined;
  const apiKey = value(provider.keyVariables);
  const [keyVariable] = provider.keyVariables;
  return {
    provider: provider.name,
    type: provider.type,
    baseUrl: addressIn(provider, environment)?.url ?? provider.baseUrl,
    model,
    apiKey,
    missingKey: apiKey === undefined && !isLoopback(provider, value) ? keyVariable : undefined,
    isFree: provider.isFree === true,
  };
}

/** Where the environment says that the provider is. */
export function addressIn(
  { name, baseUrlVariables = [] }: Provider,
  environment: Readonly<Record<string, string | undefined>>,
): { url: string; variable: string } | undefined {
  const variable = baseUrlVariables.find((each) => (environment[each] ?? "") !== "");
  if (variable === undefined) return undefined;
  const given = environment[variable] ?? "";
  const url = (name === "ollama" ? addressOfOllama(given) : given).replace(/\/+$/, "");
  // Of `localhost:11500` the part before the colon would be a scheme.
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw usageProblem(`${variable} is "${given}", which is no address.`, "Correct it, or use --base-url URL.");
  // Anthropic's own libraries add the version to the address.
  return { url: name === "anthropic" && !url.endsWith("/v1") ? `${url}/v1` : url, variable };
}

/** OLLAMA_HOST is `127.0.0.1:11434`, `:11434`, `http://…` or `0.0.0.0`; the variables of others have whole addresses. */
function addressOfOllama(given: string): string {
  const hasScheme = /^https?:\/\//.test(given);
  const url = URL.parse(hasScheme ? given : `http://${given.startsWith(":") ? "127.0.0.1" : ""}${given}`);
  if (url === null) return given;
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.port === "" && !hasScheme) url.port = "11434";
  return `${url.origin}/v1`;
}

function isLoopback(provider: Provider, value: (names?: readonly string[]) => string | undefined): boolean {
  const url = value(provider.baseUrlVariables) ?? provider.baseUrl;
  return /^https?:\/\/(127\.|localhost[:/]|localhost$|\[::1\])/.test(url);
}

/** Whether the model is on this machine: it needs no key and costs nothing. */
export function isOnThisMachine(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { hostname } = new URL(baseUrl);
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
