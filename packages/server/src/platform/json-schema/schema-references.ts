/** References of a schema that lead nowhere, or round in circles, in words for the person who wrote it. The compiler has others. */
import { isObject, subschemasOf } from "./schema-limits.ts";
import type { SchemaProblem } from "./schema-protocol.ts";

interface Reference {
  /** JSON pointers of the schema that has it, and of the one that it names. */
  from: string;
  to: string;
}

interface Located {
  node: unknown;
  path: string;
}

/** What nobody refers to there is not compiled, and may refer to anything. So may what stands below a keyword that nobody knows. */
const isApplied = ({ keyword }: { keyword: string }): boolean =>
  !["$defs", "definitions", "contentSchema"].includes(keyword);

/** The compiler has it. */
const META_SCHEMA = "https://json-schema.org/draft/2020-12/";

/** Only references within the schema are looked at; with names of its own (`$id`, `$anchor`) a schema is left to the compiler. */
export function findReferenceProblem(schema: unknown): SchemaProblem | undefined {
  const text = JSON.stringify(schema);
  if (!text.includes('"$ref"') || /"\$(?:id|anchor|dynamicAnchor)"/.test(text)) return undefined;
  const applied = new Map<string, Reference[]>();
  const open: Located[] = [{ node: schema, path: "" }];
  const seen = new Set<string>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, path } = next;
    if (!isObject(node) || seen.has(path)) continue;
    seen.add(path);
    // The first is taken first.
    open.push(...subschemasOf(node, path).filter(isApplied).toReversed());
    const { $ref: written, allOf } = node;
    if (Array.isArray(allOf)) for (const at of allOf.keys()) note(applied, { from: path, to: `${path}/allOf/${at}` });
    if (typeof written !== "string") continue;
    const at = `${path}/$ref`;
    if (written.startsWith(META_SCHEMA)) continue;
    if (!written.startsWith("#"))
      return {
        path: at,
        message: `The schema refers to ${written.slice(0, 200)}, and nothing is fetched: put that schema below \`$defs\`.`,
      };
    const to = pointerOf(written);
    const named = to === undefined ? undefined : find(schema, to);
    if (to === undefined || named === undefined)
      return { path: at, message: `There is no ${written.slice(0, 200)} in the schema, to which \`$ref\` refers.` };
    note(applied, { from: path, to });
    open.push({ node: named, path: to });
  }
  const circle = findCircle(applied);
  if (circle === undefined) return undefined;
  const names = circle.map((pointer) => `#${pointer}`).join(" → ");
  return {
    path: circle[0] ?? "",
    message: `The references lead round in a circle: ${names}. A schema may refer to itself only for a part of the value, such as below \`properties\` or \`items\`.`,
  };
}

function note(applied: Map<string, Reference[]>, reference: Reference): void {
  applied.set(reference.from, [...(applied.get(reference.from) ?? []), reference]);
}

/** Of `#/$defs/a`; undefined for an anchor, or what cannot be decoded. */
function pointerOf(reference: string): string | undefined {
  try {
    const pointer = decodeURIComponent(reference.slice(1));
    return pointer === "" || pointer.startsWith("/") ? pointer : undefined;
  } catch {
    return undefined;
  }
}

function find(schema: unknown, pointer: string): unknown {
  let value = schema;
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** The schemas of a circle of what is applied to the same value, the first of them again at its end. */
function findCircle(applied: ReadonlyMap<string, readonly Reference[]>): string[] | undefined {
  const done = new Set<string>();
  for (const start of applied.keys()) {
    // Depth first, without recursion: a chain may be as long as the schema.
    const way: { at: string; next: number }[] = [{ at: start, next: 0 }];
    const onWay = new Set([start]);
    for (let last = way.at(-1); last !== undefined; last = way.at(-1)) {
      const to = done.has(last.at) ? undefined : applied.get(last.at)?.[last.next++]?.to;
      if (to === undefined) {
        done.add(last.at);
        onWay.delete(last.at);
        way.pop();
      } else if (onWay.has(to)) {
        const circle = way.map(({ at }) => at);
        return [...circle.slice(circle.indexOf(to)), to];
      } else {
        onWay.add(to);
        way.push({ at: to, next: 0 });
      }
    }
  }
  return undefined;
}
