/** Which pages the guide of the service has, at which addresses, and in which order. */
import { existsSync, globSync } from "node:fs";
import { join, posix } from "node:path";

export interface SitePage {
  /** From the root of the repository. */
  source: string;
  /** Below `/guide/`, without an extension; empty for the start page. */
  address: string;
  section: string;
  /** The page of whose folder this is a part: it is listed only beside its siblings. */
  parent: string | undefined;
}

/** Beside everything below `docs/`. */
const OTHERS: Readonly<Record<string, string>> = {
  "README.md": "",
  "CHANGELOG.md": "changelog",
  "CONTRIBUTING.md": "contributing",
  "SECURITY.md": "security",
  "packages/client/README.md": "typescript",
  "clients/python/README.md": "python-package",
};

/**
 * Sections in the order of the tree, each with patterns in the order of its pages. A page is in the section of the first pattern that it
 * matches; where patterns are alike the address decides.
 */
const SECTIONS: readonly (readonly [title: string, patterns: readonly RegExp[]])[] = [
  [
    "Start",
    [
      /^README\.md$/,
      /^docs\/guide\/quickstart/,
      /^docs\/guide\/concepts/,
      /^docs\/guide\/use-/,
      /^docs\/guide\/README/,
    ],
  ],
  ["Tutorials", [/^docs\/guide\/tutorials\//]],
  [
    "Guides",
    [
      /^docs\/guide\/recipes\/classify/,
      /^docs\/guide\/recipes\/extract/,
      /^docs\/guide\/recipes\/translate/,
      /^docs\/guide\/recipes\/enrich/,
      /^docs\/guide\/recipes\/clean/,
      /^docs\/guide\/recipes\/deduplicate/,
      /^docs\/guide\/recipes\/compare/,
      /^docs\/guide\/recipes\/images/,
      /^docs\/guide\/recipes\/batches/,
      /^docs\/guide\/recipes\/nightly/,
      /^docs\/guide\/recipes\/webhooks/,
      /^docs\/guide\/recipes\/receive/,
      /^docs\/guide\/recipes\/cost/,
      /^docs\/guide\/recipes\/retry/,
      /^docs\/guide\/(?!troubleshooting)/,
      /^docs\/console/,
      /^docs\/guide\/troubleshooting/,
    ],
  ],
  ["Why", [/^docs\/why/, /^docs\/reliability/, /^docs\/performance/, /^docs\/architecture/, /^docs\/decisions\//]],
  [
    "Operations",
    [/^docs\/deployment/, /^docs\/operations/, /^docs\/disaster/, /^SECURITY/, /^CHANGELOG/, /^CONTRIBUTING/],
  ],
  [
    "Reference",
    [
      /^docs\/reference\/README/,
      /^docs\/reference\/api/,
      /^docs\/processors/,
      /^docs\/webhooks/,
      /^docs\/(?:reference\/)?cli/,
      /^packages\/client/,
      /^docs\/python/,
      /^clients\/python/,
      /^docs\/mcp/,
      /^docs\/reference\//,
      /^docs\//,
    ],
  ],
];
/** As readers need them, not as they are matched. */
const ORDER = ["Start", "Tutorials", "Guides", "Reference", "Operations", "Why"];

export function listSitePages(root: string): SitePage[] {
  const sources = [
    ...globSync("docs/**/*.md", { cwd: root }).map((path) => path.replaceAll("\\", "/")),
    ...Object.keys(OTHERS).filter((path) => existsSync(join(root, path))),
  ];
  const ranked = sources.map((source) => ({ source, address: addressOf(source), ...rankOf(source) }));
  ranked.sort(
    (one, other) =>
      ORDER.indexOf(one.section) - ORDER.indexOf(other.section) ||
      one.rank - other.rank ||
      Number(posix.basename(one.source) !== "README.md") - Number(posix.basename(other.source) !== "README.md") ||
      (one.address < other.address ? -1 : 1),
  );
  const known = new Set(ranked.map(({ source }) => source));
  const taken = new Map<string, string>();
  return ranked.map(({ source, address, section }) => {
    const other = taken.get(address);
    if (other !== undefined) throw new Error(`${source} and ${other} have the same address, /guide/${address}`);
    taken.set(address, source);
    // The folders of guide and reference are sections of their own.
    const folder = posix.dirname(source);
    const parent = [posix.join(folder, "README.md"), `${folder}.md`].find(
      (index) => index !== source && known.has(index) && !/^docs\/(?:guide|reference)\/README\.md$/.test(index),
    );
    return { source, address, section, parent };
  });
}

/** `docs/guide/x.md` is `/guide/x`, `docs/reference/x.md` is `/guide/reference/x`, and the page of a folder has the folder's address. */
function addressOf(source: string): string {
  const other = OTHERS[source];
  if (other !== undefined) return other;
  const below = source.replace(/^docs\//, "").replace(/\.md$/, "");
  if (below === "README") return "docs";
  if (below === "guide/README") return "guides";
  return below.replace(/^guide\//, "").replace(/\/README$/, "");
}

function rankOf(source: string): { section: string; rank: number } {
  for (const [section, patterns] of SECTIONS) {
    const rank = patterns.findIndex((pattern) => pattern.test(source));
    if (rank !== -1) return { section, rank };
  }
  throw new Error(`${source} belongs to no section of the guide: add it in tools/docs/site/site-pages.ts`);
}
