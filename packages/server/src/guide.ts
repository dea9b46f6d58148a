/**
 * The guide at `/guide`: the documentation of this version, as it was built (`tools/docs/site`).
 *
 * Links within it are relative, and work below the path of any public URL. Only the texts for programs and the page of a missing page
 * name the public URL, which is known here.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { BuiltSite, ServedFile } from "./built-site.ts";
import { ApiError } from "./platform/http/errors.ts";
import { prefersHtml } from "./platform/http/pages-for-people.ts";

const PAGES_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
/** A drawing that is opened by itself has its own styles, and runs nothing. */
const FILES_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

export function serveGuide(app: FastifyInstance, site: BuiltSite): void {
  const served = site.guide;
  const send = (request: FastifyRequest, reply: FastifyReply, entry: ServedFile, status?: number) => {
    const policy = entry.type.startsWith("text/html") ? PAGES_POLICY : FILES_POLICY;
    return site.send(request, reply, entry, policy, status);
  };

  app.get("/guide", (_request, reply) => reply.redirect("guide/", 308));
  app.get<{ Params: { "*": string } }>("/guide/*", async (request, reply) => {
    const path = request.params["*"];
    // A page asked for as Markdown; agents do so.
    const asMarkdown = served.get(`${path === "" ? "index" : path}.md`);
    if (asMarkdown !== undefined && /\btext\/markdown\b/.test(request.headers.accept ?? ""))
      return send(request, reply, asMarkdown);
    const entry = path === "404" ? undefined : served.get(path);
    if (entry !== undefined) return send(request, reply, entry);
    if (path.endsWith("/") && served.has(path.slice(0, -1)))
      return reply.redirect(`../${path.slice(path.lastIndexOf("/", path.length - 2) + 1, -1)}`, 308);
    const missing = served.get("404");
    if (missing !== undefined && prefersHtml(request.headers.accept)) return send(request, reply, missing, 404);
    throw new ApiError("not_found", "The guide has no page at this path. GET /llms.txt lists its pages.");
  });
  for (const name of ["llms.txt", "llms-full.txt"]) {
    const entry = served.get(name);
    if (entry !== undefined) app.get(`/${name}`, (request, reply) => send(request, reply, entry));
  }
}
