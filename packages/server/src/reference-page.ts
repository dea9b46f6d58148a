/** The API reference at `/docs`, made from `/v1/openapi.json` in the browser. No request leaves the host. */
import scalar from "@scalar/fastify-api-reference";
import type { FastifyInstance } from "fastify";

/** Nothing from elsewhere: no fonts, no telemetry, no tools that talk to the maker. Scripts and styles of the page are inline. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export async function serveReference(app: FastifyInstance): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook("onSend", (_request, reply, _payload, done) => {
      reply.header("Content-Security-Policy", CONTENT_SECURITY_POLICY);
      // The package redirects to a path from the root. Behind a proxy that serves the service below a path, that is another server's.
      if (reply.statusCode === 301) reply.header("Location", "docs/");
      done();
    });
    await scope.register(scalar, { routePrefix: "/docs", configuration });
  });
}

/** Members that the page knows and its types do not are settings against whatever talks to the page's maker. */
const configuration = {
  // From `/docs/`, also below the path of a public URL.
  url: "../v1/openapi.json",
  pageTitle: "Rowmill API reference",
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never" as const,
  showToolbar: "never",
  hideClientButton: true,
  mcp: { disabled: true },
  agent: { disabled: true },
};
