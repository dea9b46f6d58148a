/** Commands that a text names, as this user can type them: under `npx` and `npm run` there is no `rowmill` in the path. */

/** Where texts name a command: quoted, after `Next:`, or in a place of its own. */
const NAMED = /(`|Next: | {2})rowmill (?=[a-z])/g;

type Environment = Readonly<Record<string, string | undefined>>;

export function asTyped(text: string, environment: Environment): string {
  const program = programIn(environment);
  return program === "rowmill" ? text : text.replaceAll(NAMED, (_, before: string) => `${before}${program} `);
}

/** npm sets these variables for what it starts. */
function programIn(environment: Environment): string {
  if (environment["npm_lifecycle_event"] === "rowmill") return "npm run rowmill --";
  return environment["npm_command"] === "exec" ? "npx rowmill" : "rowmill";
}
