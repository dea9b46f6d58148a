/** Stands in for `files.ts` where there are no files. */
import type { fileSource as FileSource, fileWriter as FileWriter } from "./files.ts";

export const fileSource: typeof FileSource = () =>
  Promise.reject(new TypeError("`file` needs Node; give a Blob as `content`"));

export const fileWriter: typeof FileWriter = () =>
  Promise.reject(new TypeError("downloadToFile needs Node; use download"));
