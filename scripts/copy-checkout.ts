/**
 * A copy of the checkout to build packages in. A build writes beside the sources, where a service that starts at that moment would
 * find half a console, and a check half a file.
 */
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
/** What builds read. Built pages are taken along: they are not built again where nothing has changed. */
const PARTS = ["package.json", "package-lock.json", "tsconfig.base.json", "scripts", "tools", "docs", "examples"];
const PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE"];
/** The console of a packed service would be served in place of a new one. */
const LEFT_OUT = ["node_modules", join("packages", "server", "console")];

/** `folder` exists. Packages of the copy find each other there, and every other package where the checkout has it. */
export function copyCheckout(folder: string): void {
  for (const name of [...PARTS, ...PAGES, "packages", "clients", "deploy"])
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: isCopied });
  linkPackages(join(root, "node_modules"), join(folder, "node_modules"));
  for (const path of globSync("packages/*/node_modules", { cwd: root }))
    symlinkSync(join(root, path), join(folder, path));
  // npm's own links lead back into the checkout.
  mkdirSync(join(folder, "node_modules", "@rowmill"));
  for (const name of ["contract", "client", "server"])
    symlinkSync(join(folder, "packages", name), join(folder, "node_modules", "@rowmill", name));
  symlinkSync(join(folder, "packages", "cli"), join(folder, "node_modules", "rowmill"));
}

function isCopied(path: string): boolean {
  const place = relative(root, path);
  if (LEFT_OUT.some((name) => place === name || basename(place) === name)) return false;
  // A build that was left there. That of the console belongs to its sources.
  return basename(place) !== "dist" || dirname(place) === join("packages", "console");
}

function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from))
    if (name !== "@rowmill" && name !== "rowmill" && existsSync(join(from, name)))
      symlinkSync(join(from, name), join(to, name));
}
