/** The name under which an export is saved: what it is of, what is in it, and enough of its id to distinguish two. */

/** File systems take 255 bytes; four of a character leave room for the rest of the name. */
const MAX_NAME_CHARACTERS = 40;
/** The random end of the id: its beginning is the time, which exports of one run share. */
const ID_CHARACTERS = 6;

export interface NamedExport {
  /** Of the run, or of its dataset. */
  name: string;
  type: string;
  id: string;
  /** With its dot. */
  extension: string;
}

export const fileNameOf = ({ name, type, id, extension }: NamedExport): string =>
  [sanitize(name), type, id.slice(-ID_CHARACTERS)].filter((part) => part !== "").join("-") + extension;

/** `filename` for programs that know ASCII only, `filename*` for all others (RFC 6266, RFC 8187). */
export function contentDispositionOf(fileName: string): string {
  const ascii = fileName
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^A-Za-z0-9._-]+/g, "_");
  const extended = ascii === fileName ? "" : `; filename*=UTF-8''${encodeExtended(fileName)}`;
  return `attachment; filename="${ascii}"${extended}`;
}

/** Letters, digits and little else of any script: no separators of paths, quotes, control or direction characters. */
function sanitize(name: string): string {
  const clean = name
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-")
    // A name may not hide the file, or leave its directory.
    .replace(/\.{2,}/g, ".")
    .replace(/-{2,}/g, "-");
  // By code points: half a surrogate pair is no text.
  return Array.from(clean)
    .slice(0, MAX_NAME_CHARACTERS)
    .join("")
    .replace(/^[-._]+|[-._]+$/g, "");
}

const encodeExtended = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
