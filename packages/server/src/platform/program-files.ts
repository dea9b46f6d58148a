/** What a child process of this program needs to read and to know, to run a module of it. */
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** A child of the source reads the source of the other packages, too; an installed one their builds. */
export const childConditions: readonly string[] = import.meta.url.endsWith(".ts")
  ? ["--conditions=@rowmill/source"]
  : [];

/** The code of the program: nothing of what is kept beside it, such as a data directory. */
export const programFiles: readonly string[] = pathsFrom(fileURLToPath(import.meta.url));

/** Installed, the program and its dependencies are below one `node_modules`; in a checkout, beside it. */
function pathsFrom(here: string): string[] {
  const folder = `${sep}node_modules`;
  const at = here.indexOf(`${folder}${sep}`);
  if (at !== -1) return [here.slice(0, at + folder.length)];
  const checkout = resolve(dirname(here), "../../../..");
  return ["packages", "node_modules", "package.json", "tsconfig.json"].map((name) => join(checkout, name));
}
