/** Which files of other packages the build contains: the package that serves the console passes on their licenses. */
import { findPackageJSON } from "node:module";
import { join, relative } from "node:path";
import type { Plugin } from "vite";

const here = import.meta.dirname;
const INSTALLED = /[\\/]node_modules[\\/]/;
/** What the bundler adds itself. */
const HELPERS = /^\0(rolldown|vite)\//;
/** Style sheets of packages are taken in by text: the bundler knows no module of theirs. */
const STYLE_IMPORTS = /@import\s+(?:url\()?["']((?:@[^/"']+\/)?[^./"'][^/"']*)/g;

/** A plugin for the main build, and one for those of workers, which run within it. */
export function collectForeignModules(): { plugin: () => Plugin; list: () => string[] } {
  const found = new Set<string>();
  const add = (id: string): void => {
    const helper = HELPERS.exec(id)?.[1];
    if (helper !== undefined) addPackage(helper);
    else if (INSTALLED.test(id)) found.add(id.replace(/\?.*$/, ""));
  };
  const addPackage = (name: string): void => {
    const manifest = findPackageJSON(name, import.meta.url);
    if (manifest === undefined) throw new Error(`${name} is a part of the console, and cannot be found`);
    found.add(manifest);
  };
  const plugin = (): Plugin => ({
    name: "collect-foreign-modules",
    // Before the plugin that takes them in.
    enforce: "pre",
    transform: {
      order: "pre",
      filter: { id: /\.css$/ },
      handler(text) {
        for (const [, name = ""] of text.matchAll(STYLE_IMPORTS)) addPackage(name);
      },
    },
    generateBundle(_options, bundle) {
      for (const output of Object.values(bundle))
        if (output.type === "chunk") output.moduleIds.forEach(add);
        else for (const name of output.originalFileNames) add(join(here, name));
    },
  });
  // Relative, so that they stay right where the checkout is moved or copied.
  return { plugin, list: () => [...found].map((path) => relative(here, path)).toSorted() };
}
