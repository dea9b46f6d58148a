/** Where `make-program.ts` puts the modules that tests start processes from. */
import { join } from "node:path";

/** The module that was made of a program, which is named by its path in the checkout. */
export const moduleOf = (directory: string, path: string): string => join(directory, `${nameOf(path)}.mjs`);

export const nameOf = (path: string): string => path.replace(/\.ts$/, "").replaceAll("/", "-");

/** For `NODE_COMPILE_CACHE`: what the modules compile to. */
export const compileCacheOf = (directory: string): string => join(directory, "compiled");
