/** Pages that the service itself writes: plain HTML without scripts, which loads nothing from anywhere. */
import { createHash } from "node:crypto";
import type { FastifyReply } from "fastify";

/** Follows the light or dark setting of the system, and the reader's font. */
const STYLE = `
:root { color-scheme: light dark; --text: #1c1e21; --soft: #5a6068; --line: #d9dce1; --back: #fff; --mark: #f2f4f7; --link: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --soft: #a3aab4; --line: #363b42; --back: #16181b; --mark: #22262b; --link: #8ab4f8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem 4rem; font: 1rem/1.6 system-ui, sans-serif; color: var(--text); background: var(--back); }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 .5rem; } h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; }
p { max-width: 42rem; } a { color: var(--link); } a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
code, pre { font: .9em/1.5 ui-monospace, monospace; background: var(--mark); border-radius: 4px; } code { padding: .1em .3em; overflow-wrap: anywhere; }
pre { padding: .75rem 1rem; overflow-x: auto; } pre code { padding: 0; }
dl { margin: 0; } dt { margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--line); } dt a { text-decoration: none; }
dd { margin: .25rem 0 0; } .soft { color: var(--soft); } dt:target { background: var(--mark); box-shadow: -4px 0 0 var(--link); }
`;

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Text in which what stands between backquotes is code. */
export const proseToHtml = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");

/** `body` is HTML. */
export const pageOf = (title: string, body: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`;

export const sendPage = (reply: FastifyReply, html: string): FastifyReply =>
  reply
    .headers({
      "Content-Security-Policy": CONTENT_SECURITY_POLICY,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      Vary: "Accept",
    })
    .type("text/html; charset=utf-8")
    .send(html);

/** Whether HTML is asked for by name, and not later than JSON: browsers do, programs that take anything do not. */
export function prefersHtml(accept: string | undefined): boolean {
  const qualityOf = (type: string): number => {
    for (const part of (accept ?? "").split(",")) {
      const [name = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
      if (name !== type) continue;
      const q = parameters.find((parameter) => parameter.startsWith("q="));
      return q === undefined ? 1 : Number(q.slice(2)) || 0;
    }
    return 0;
  };
  const html = qualityOf("text/html");
  return html > 0 && html >= qualityOf("application/json");
}

/** Whether the client takes a body in this encoding. */
export const acceptsEncoding = (header: string | string[] | undefined, encoding: string): boolean =>
  String(header ?? "")
    .split(",")
    .some((part) => {
      const [name, ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
      return name === encoding && !parameters.some((parameter) => /^q=0(\.0+)?$/.test(parameter));
    });
