/**
 * Commands that a text names, as this user can type them: under `npx` and `npm run` there is no `rowmill` in the path, and a service
 * that was named in the command must be named in the next one, too.
 */
import { quoted } from "./shell-words.ts";

/** Where texts name a command: quoted, after `Next:`, or in a place of its own; with its name and the rest of it. */
const NAMED = /(`|\bNext[^:\n`]*: | {2})rowmill ([a-z]+)([^`\n]*)/g;
/** They use no service, or one of their own. */
const WITHOUT_SERVICE = new Set("dev server backup restore database stop profiles docs completion".split(" "));

type Environment = Readonly<Record<string, string | undefined>>;
/** As the options of the command name it. */
export interface NamedService {
  url?: string;
  profile?: string;
  local?: true;
}

export function asTyped(text: string, environment: Environment, service: NamedService = {}): string {
  const program = programIn(environment);
  const isNamed = service.url !== undefined || service.profile !== undefined || service.local === true;
  if (program === "rowmill" && !isNamed) return text;
  return text.replaceAll(
    NAMED,
    (_, before: string, name: string, rest: string) =>
      `${before}${program} ${name}${rest}${serviceOptions(name, rest, service)}`,
  );
}

function serviceOptions(name: string, rest: string, { url, profile, local }: NamedService): string {
  if (WITHOUT_SERVICE.has(name) || / --(url|profile|local|name) /.test(`${rest} `)) return "";
  const ofProfile = name === "login" ? "--name" : "--profile";
  if (local === true && name !== "login") return " --local";
  return [
    ...(url === undefined ? [] : [` --url ${quoted(url)}`]),
    ...(profile === undefined ? [] : [` ${ofProfile} ${quoted(profile)}`]),
  ].join("");
}

/** npm sets these variables for what it starts. */
function programIn(environment: Environment): string {
  if (environment["npm_lifecycle_event"] === "rowmill") return "npm run rowmill --";
  return environment["npm_command"] === "exec" ? "npx rowmill" : "rowmill";
}
