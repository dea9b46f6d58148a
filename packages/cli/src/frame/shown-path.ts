import { isAbsolute, relative } from "node:path";

/** As a person in `directory` writes it: without the directory where it lies below. */
export function shownPath(path: string, directory: string): string {
  const below = relative(directory, path);
  return below === "" || below.startsWith("..") || isAbsolute(below) ? path : below;
}
