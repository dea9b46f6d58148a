/** The API reference at `/docs`, made from `/v1/openapi.json` in the browser. No request leaves the host. */
import Fastify from "fastify";
import type { FastifyInstance } from "fastify";

/** Nothing from elsewhere: no fonts, no telemetry, no tools that talk to the maker. Scripts and styles of the page are inline. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PREFIX = "/docs";
const PATHS = ["/", "/js/scalar.js"] as const;

interface Page {
  type: string;
  content: Buffer;
}

/** Of all services of this process. */
let pages: Promise<ReadonlyMap<string, Page>> | undefined;

export function serveReference(app: FastifyInstance): void {
  // Not a path from the root: behind a proxy that serves the service below a path, that is another server's.
  app.get(PREFIX, (_request, reply) =>
    reply.header("Content-Security-Policy", CONTENT_SECURITY_POLICY).redirect("docs/", 301),
  );
  for (const path of PATHS)
    app.get(PREFIX + path, async (_request, reply) => {
      pages ??= makePages().catch((error: unknown) => {
        pages = undefined;
        throw error;
      });
      const page = (await pages).get(path);
      if (page === undefined) throw new Error(`the API reference has no ${path}`);
      return reply
        .header("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        .header("Content-Type", page.type)
        .send(page.content);
    });
}

/**
 * Made for the first who asks: the script of the page is 4 MB, and loading its package with every process was a tenth of the work of a
 * start and 40 MB of memory. The package serves its pages itself; it does so once, to us.
 */
async function makePages(): Promise<ReadonlyMap<string, Page>> {
  const { default: scalar } = await import("@scalar/fastify-api-reference");
  const source = Fastify();
  await source.register(scalar, { routePrefix: PREFIX, configuration });
  const made = new Map<string, Page>();
  for (const path of PATHS) {
    const { statusCode, headers, rawPayload } = await source.inject(PREFIX + path);
    if (statusCode !== 200) throw new Error(`the API reference was not made: ${statusCode} for ${path}`);
    made.set(path, { type: String(headers["content-type"]), content: rawPayload });
  }
  await source.close();
  return made;
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
