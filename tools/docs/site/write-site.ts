/** All files of the guide, and of the page of the API reference. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, isAbsolute, join, posix } from "node:path";
import { rolldown } from "rolldown";
import { ROOT } from "../pages.ts";
import { fullText, listForModels, rewriteMarkdown, sitemap } from "./for-models.ts";
import { imageSizeOf } from "./image-size.ts";
import { layOutMissing, layOutPage } from "./layout.ts";
import type { Assets, Site, TitledPage } from "./layout.ts";
import { fileAddress, rewriteLink } from "./links.ts";
import type { Addresses } from "./links.ts";
import { REFERENCE_PACKAGE, makeReferencePage } from "./reference-page.ts";
import { renderPage } from "./render-page.ts";
import { searchDocumentOf } from "./search-index.ts";
import { SiteFiles } from "./site-files.ts";
import { listSitePages } from "./site-pages.ts";

const here = import.meta.dirname;

/** Pictures, and files of the repository that a page leads to. All other files are served as text. */
const IMAGE_TYPES: Readonly<Record<string, string>> = { ".png": "image/png", ".svg": "image/svg+xml" };
/** Nothing that a page leads to is larger; what is was linked by mistake. */
const MAX_LINKED_FILE_BYTES = 1024 ** 2;

const TYPES = {
  html: "text/html; charset=utf-8",
  markdown: "text/markdown; charset=utf-8",
  text: "text/plain; charset=utf-8",
  json: "application/json; charset=utf-8",
  script: "text/javascript; charset=utf-8",
  style: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
  xml: "application/xml; charset=utf-8",
} as const;

export async function writeSite(folder: string): Promise<number> {
  const files = new SiteFiles(folder);
  const contents = renderAll(files);
  const pages: TitledPage[] = contents.map(({ page }) => page);
  const assets = await putAssets(files, contents);
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  const site: Site = { pages, assets, version };
  for (const { page, rendered, markdown } of contents) {
    files.put(page.address, layOutPage(site, { page, ...rendered }), TYPES.html);
    files.put(`${page.address === "" ? "index" : page.address}.md`, markdown, TYPES.markdown);
  }
  files.put("404", layOutMissing(site), TYPES.html, { isTemplate: true });
  const forModels = contents.map(({ page, rendered, markdown }) => ({
    page,
    description: rendered.description,
    markdown,
  }));
  files.put("llms.txt", listForModels(forModels), TYPES.text, { isTemplate: true });
  files.put("llms-full.txt", fullText(forModels), TYPES.text, { isTemplate: true });
  files.put("sitemap.xml", sitemap(pages), TYPES.xml, { isTemplate: true });
  files.takeFrom(REFERENCE_PACKAGE);
  files.writeManifest(
    Object.fromEntries(
      (await makeReferencePage()).map(({ path, type, content }) => [path, files.write(content, type)]),
    ),
  );
  return pages.length;
}

/** The pages, with the files of the repository that they link. */
function renderAll(files: SiteFiles) {
  const listed = listSitePages(ROOT);
  const addresses: Addresses = {
    pages: new Map(listed.map(({ source, address }) => [source, address])),
    addFile(path) {
      const file = join(ROOT, path);
      if (path.startsWith("../") || !existsSync(file) || !statSync(file).isFile()) return false;
      const bytes = readFileSync(file);
      if (bytes.length > MAX_LINKED_FILE_BYTES) throw new Error(`${path} is too large to be linked from a page`);
      files.put(fileAddress(path), bytes, IMAGE_TYPES[extname(path)] ?? TYPES.text);
      return true;
    },
  };
  return listed.map((page) => {
    const text = readFileSync(join(ROOT, page.source), "utf8");
    try {
      const rendered = renderPage(text, {
        rewriteLink: (href) => rewriteLink(href, page.source, addresses, ""),
        imageSize: (source) => {
          const path = join(ROOT, posix.join(posix.dirname(page.source), source));
          return existsSync(path) ? imageSizeOf(readFileSync(path)) : undefined;
        },
      });
      const markdown = rewriteMarkdown(text, (href) => rewriteLink(href, page.source, addresses, ".md"));
      return {
        page: { ...page, title: rendered.title, label: labelOf(page.source, rendered.title) },
        rendered,
        markdown,
      };
    } catch (error) {
      throw new Error(`${page.source} cannot be rendered: ${String(error)}`, { cause: error });
    }
  });
}

async function putAssets(files: SiteFiles, contents: ReturnType<typeof renderAll>): Promise<Assets> {
  const put: SiteFiles["putForEver"] = (name, content, type) => files.putForEver(name, content, type);
  return {
    icon: put("icon.svg", readFileSync(join(ROOT, "packages/console/src/icon.svg")), TYPES.svg),
    style: put("guide.css", styleSheet(files), TYPES.style),
    theme: put("theme.js", await script(files, "theme.ts", "iife"), TYPES.script),
    script: put("guide.js", await script(files, "guide.ts", "esm"), TYPES.script),
    search: put("search.json", JSON.stringify(searchDocumentOf(contents)), TYPES.json),
  };
}

/** In the tree, pages whose titles name a package or a question have the name that readers look for. */
const LABELS: Readonly<Record<string, string>> = {
  "README.md": "What Rowmill is",
  "docs/guide/README.md": "All guides",
  "docs/processors.md": "Processors and connections",
  "docs/webhooks.md": "Webhooks",
  "docs/decisions/README.md": "Decisions",
  "packages/client/README.md": "TypeScript client",
  "docs/python.md": "Python client",
  "clients/python/README.md": "Python package",
};
const labelOf = (source: string, title: string): string => LABELS[source] ?? title.replace(/^(\d{4})\. /, "$1 · ");

/** Of the style sheet, in this order: a later rule replaces an earlier one. */
const STYLES = ["base", "frame", "text", "code", "tables", "foot", "search", "widths", "print", "tabs"];

/** With the fonts of the console, of which only the Latin letters. */
function styleSheet(files: SiteFiles): string {
  const { resolve } = createRequire(join(ROOT, "packages/console/package.json"));
  const fonts = ["inter/files/inter-latin-wght-normal", "jetbrains-mono/files/jetbrains-mono-latin-wght-normal"].map(
    (name) => {
      const path = resolve(`@fontsource-variable/${name}.woff2`);
      files.takeFrom(path);
      return posix.basename(files.putForEver(`${posix.basename(name)}.woff2`, readFileSync(path), TYPES.woff2));
    },
  );
  const style = STYLES.map((name) => readFileSync(join(here, "browser", "style", `${name}.css`), "utf8")).join("\n");
  return style.replaceAll(/\{\{font-(\d)\}\}/g, (_mark, at: string) => fonts[Number(at)] ?? "");
}

async function script(files: SiteFiles, name: string, format: "esm" | "iife"): Promise<string> {
  const bundle = await rolldown({ input: join(here, "browser", name), platform: "browser", logLevel: "warn" });
  const { output } = await bundle.generate({ format, minify: true });
  await bundle.close();
  for (const id of output[0].moduleIds) if (isAbsolute(id) && id.includes("node_modules")) files.takeFrom(id);
  return output[0].code;
}
