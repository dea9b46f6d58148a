/** The paths of the contract: what stands at one, and what was meant by one where nothing is. */
import { operations } from "@rowmill/contract";
import type { Operation } from "@rowmill/contract/operation";
import { nearestName } from "../nearest-name.ts";

/** Of a path that does not exist; whole ones of ours are shorter. */
const MAX_SHOWN_PATH = 200;

/** What to say of a path that nothing serves: `/runs` is `/v1/runs`, `/v1/job_specs` is `/v1/job-specs`. */
export function describeMissingPath(path: string): string {
  const missing = "There is no such path.";
  if (methodsAt(`/v1${path}`).length > 0)
    return `${missing} Paths of the API begin with /v1: did you mean /v1${path.slice(0, MAX_SHOWN_PATH)}?`;
  const [, version, collection = "", ...rest] = path.split("/");
  const first = version === "v1" ? collection : (version ?? "");
  const meant = nearestName(first, collections);
  if (meant === undefined) return `${missing} GET /v1/openapi.json has all paths.`;
  const whole = version === "v1" ? ["", "v1", meant, ...rest].join("/") : `/v1/${meant}`;
  // Of some collections, such as that of events, only paths below them are served.
  const collectionPath = `/v1/${meant}`;
  const served =
    [whole, collectionPath].find((at) => methodsAt(at).length > 0) ?? pathsBelow(collectionPath).join(" or ");
  return `${missing} Did you mean ${served.slice(0, MAX_SHOWN_PATH)}?`;
}
const paths = [...new Set(Object.values(operations as Record<string, Operation>).map(({ path }) => path))];
const collections = [...new Set(paths.map((path) => path.split("/")[2] ?? ""))];
const pathsBelow = (collection: string): string[] => paths.filter((path) => path.startsWith(`${collection}/`));

/** Methods that some operation serves at a path, for `Allow`. */
export function methodsAt(path: string): string[] {
  const methods = new Set<string>();
  for (const { pattern, method } of pathPatterns) {
    if (!pattern.test(path)) continue;
    methods.add(method);
    if (method === "GET") methods.add("HEAD");
  }
  return [...methods];
}
const pathPatterns = Object.values(operations as Record<string, Operation>).map((o) => ({
  method: o.method,
  pattern: new RegExp(`^${o.path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
}));
