/** The API reference at `/docs`, made from `/v1/openapi.json` in the browser. No request leaves the host. */
import type { FastifyInstance } from "fastify";
import type { BuiltSite } from "./built-site.ts";

/** Nothing from elsewhere: no fonts, no telemetry, no tools that talk to the maker. Scripts and styles of the page are inline. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function serveReference(app: FastifyInstance, site: BuiltSite): void {
  // Not a path from the root: behind a proxy that serves the service below a path, that is another server's.
  app.get("/docs", (_request, reply) =>
    reply.header("Content-Security-Policy", CONTENT_SECURITY_POLICY).redirect("docs/", 301),
  );
  for (const [path, file] of site.reference)
    app.get(`/docs/${path}`, (request, reply) => site.send(request, reply, file, CONTENT_SECURITY_POLICY));
}
