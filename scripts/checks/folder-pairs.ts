/** Folders of the server that import each other: each is then a part of the other, and neither can be read alone. */

/**
 * `FOLDER/.` are the files of a folder beside its subfolders. No two folders are here: what is left are lists beside what they list, and
 * types that all parts share. To put either into a folder of its own would end the pair, and hide the file that is looked for first.
 */
const allowed: ReadonlyMap<string, string> = new Map([
  [". and delivery/", "`services.ts` is what all parts may know; `worker.ts` and `operations.ts` list them"],
  [". and intake/", "as above; `config.ts`, too"],
  [". and resources/", "as above"],
  [". and start/", "`start-service.ts` opens the parts by the files of `start/`, which know `services.ts`"],
  ["processors/. and processors/http/", "`processors.ts` lists the processors, `processor.ts` is what they are"],
  ["processors/. and processors/llm/", "`processors.ts` lists the processors, `processor.ts` is what they are"],
  ["processors/. and processors/mock/", "`processors.ts` lists the processors, `processor.ts` is what they are"],
  ["processors/. and processors/transform/", "`processors.ts` lists the processors, `processor.ts` is what they are"],
  [
    "platform/storage/. and platform/storage/s3/",
    "`open-store.ts` opens one of the stores, `storage.ts` is what they are",
  ],
]);

export interface ImportingModule {
  source: string;
  dependencies: readonly { resolved: string }[];
}

/** Problems: pairs that are not allowed, each with an import in both directions, and allowed ones that no longer are. */
export function checkFolderPairs(modules: readonly ImportingModule[], root: string, ofTests: RegExp): string[] {
  const imports = new Map<string, string>();
  for (const { source, dependencies } of modules)
    for (const { resolved } of dependencies) {
      if (![source, resolved].every((path) => path.startsWith(root)) || ofTests.test(source)) continue;
      const [from, to] = foldersOf(source.slice(root.length), resolved.slice(root.length));
      if (from !== to) imports.set(`${from} ${to}`, `${source} → ${resolved}`);
    }
  const pairs = [...imports.keys()].flatMap((key) => {
    const [from = "", to = ""] = key.split(" ");
    return from < to && imports.has(`${to} ${from}`) ? [{ from, to }] : [];
  });
  const unknown = pairs
    .filter(({ from, to }) => !allowed.has(`${from} and ${to}`))
    .map(
      ({ from, to }) =>
        `${from} and ${to} import each other: ${imports.get(`${from} ${to}`)}; ${imports.get(`${to} ${from}`)}`,
    );
  const ended = [...allowed.keys()]
    .filter((name) => !pairs.some(({ from, to }) => `${from} and ${to}` === name))
    .map((name) => `${name} do not import each other any more: take them out of scripts/checks/folder-pairs.ts`);
  return [...unknown, ...ended];
}

/** Where the two paths part: on each side a folder, or the files beside it. */
function foldersOf(a: string, b: string): [string, string] {
  const [one, other] = [a.split("/"), b.split("/")];
  let depth = 0;
  while (depth < one.length - 1 && depth < other.length - 1 && one[depth] === other[depth]) depth++;
  const sideOf = (path: readonly string[]): string =>
    depth < path.length - 1 ? `${path.slice(0, depth + 1).join("/")}/` : [...path.slice(0, depth), "."].join("/");
  return [sideOf(one), sideOf(other)];
}
