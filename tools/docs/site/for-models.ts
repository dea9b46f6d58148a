/** `llms.txt` (llmstxt.org), the whole documentation as one text, and Markdown whose links work at the addresses of the guide. */
import type { TitledPage } from "./layout.ts";

export interface MarkdownPage {
  page: TitledPage;
  description: string;
  markdown: string;
}

const SUMMARY = "Self-hosted, asynchronous, row-by-row processing of datasets with models, HTTP calls or code.";

/** `{{url}}` is the public URL of the service, which replaces it. */
const urlOf = ({ address }: TitledPage, extension: string): string =>
  `{{url}}/guide/${address === "" && extension !== "" ? "index" : address}${extension}`;

export function listForModels(pages: readonly MarkdownPage[]): string {
  const sections = [...new Set(pages.map(({ page }) => page.section))].map((section) => {
    const items = pages
      .filter(({ page }) => page.section === section)
      .map(({ page, description }) => `- [${page.title}](${urlOf(page, ".md")}): ${description}`);
    return `## ${section}\n\n${items.join("\n")}`;
  });
  return `# Rowmill\n\n> ${SUMMARY}\n\nThe contract of the API is at {{url}}/v1/openapi.json. All pages in one text: {{url}}/llms-full.txt\n\n${sections.join("\n\n")}\n`;
}

export const fullText = (pages: readonly MarkdownPage[]): string =>
  pages.map(({ page, markdown }) => `<!-- ${urlOf(page, "")} -->\n\n${markdown.trim()}\n`).join("\n\n");

export const sitemap = (pages: readonly TitledPage[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${pages.map((page) => `<url><loc>${urlOf(page, "")}</loc></url>`).join("\n")}
</urlset>
`;

/** Links outside of code blocks and code spans. The comments that name the files of code blocks are left out. */
export function rewriteMarkdown(markdown: string, rewriteLink: (href: string) => string | undefined): string {
  let fence: string | undefined;
  return markdown
    .split("\n")
    .flatMap((line) => {
      const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
      if (fence !== undefined) {
        if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = undefined;
        return [line];
      }
      if (mark !== undefined) {
        fence = mark;
        return [line];
      }
      if (/^\s*<!--.*-->\s*$/.test(line)) return [];
      return [
        line.replaceAll(
          /(`+)[^`](?:.*?[^`])?\1(?!`)|\]\(([^()\s]+)\)/g,
          (whole, ticks: string | undefined, href: string) =>
            ticks === undefined ? `](${rewriteLink(href) ?? href})` : whole,
        ),
      ];
    })
    .join("\n");
}
