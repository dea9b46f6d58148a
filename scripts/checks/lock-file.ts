/**
 * Checks that `npm ci` installs the same thing on every machine: exact versions, nothing bound to one registry, and an
 * entry for every platform's optional package. A lock file written while a package was published for one platform only
 * lacks the others' entries, and npm refuses it there.
 */
import { globSync, readFileSync } from "node:fs";

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

interface LockEntry extends Manifest {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
}

const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, LockEntry> };
const installed = Object.entries(packages).filter(([path]) => path.includes("node_modules/"));

const problems = [
  ...installed.flatMap(([path, entry]) => entryProblems(path, entry)),
  ...Object.entries(packages).flatMap(([path, entry]) => missingOptionals(path, entry)),
  ...["package.json", ...globSync("{packages/*,tools/*}/package.json")].flatMap(inexactVersions),
];
for (const problem of problems) console.error(problem);
console.log(`${installed.length} packages, ${problems.length} problems`);
process.exitCode = problems.length > 0 || installed.length === 0 ? 1 : 0;

function entryProblems(path: string, entry: LockEntry): string[] {
  if (entry.link) return [];
  const found: string[] = [];
  if (entry.resolved !== undefined) found.push(`${path} is bound to ${entry.resolved}`);
  if (entry.integrity === undefined) found.push(`${path} has no integrity`);
  return found;
}

function missingOptionals(path: string, entry: LockEntry): string[] {
  return Object.keys(entry.optionalDependencies ?? {})
    .filter((name) => !placesOf(name, path).some((place) => place in packages))
    .map((name) => `${path || "the root"} has the optional dependency ${name}, which has no entry`);
}

/** Where Node would look for `name` from `path`: beside it, then in every folder above. */
function placesOf(name: string, path: string): string[] {
  const places = [`node_modules/${name}`];
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
    places.push(`${path.slice(0, end)}/node_modules/${name}`);
  }
  return places;
}

function inexactVersions(manifestPath: string): string[] {
  const manifest = JSON.parse(readFileSync(manifestPath, "utf8")) as Manifest;
  return [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies]
    .flatMap((group) => Object.entries(group ?? {}))
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version))
    .map(([name, version]) => `${manifestPath}: ${name} is "${version}", not one exact version`);
}
