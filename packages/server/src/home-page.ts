/** `GET /`: the console for people, and for programs what the service is and where to go on. */
import type { FastifyInstance } from "fastify";
import type { Console } from "./console.ts";
import { escapeHtml, pageOf, prefersHtml, sendPage } from "./platform/http/pages-for-people.ts";

const links = {
  guide: "/guide",
  docs: "/docs",
  openapi: "/v1/openapi.json",
  errorCodes: "/v1/error-codes",
  eventTypes: "/v1/event-types",
  health: "/readyz",
} as const;

const html = pageOf(
  "Rowmill",
  `<h1>Rowmill</h1>
<p>This is a Rowmill service. It processes datasets row by row: upload a dataset, describe once what happens to a row, start a run.
Every row is processed durably, and a row that fails is a record and not a crash.</p>
<p>The console is not built here: <code>npm run build -w packages/console</code> builds it, and a restart serves it.</p>
<h2>Where to go</h2>
<dl>
<dt><a href=".${links.guide}">Guide</a></dt><dd>Quickstart, recipes, reference and operations of this version.</dd>
<dt><a href=".${links.docs}">Reference of the API</a></dt><dd>Every operation, with samples.</dd>
<dt><a href=".${links.errorCodes}">Error codes</a></dt><dd>What each means, and what to do.</dd>
<dt><a href=".${links.openapi}">OpenAPI document</a></dt><dd>For tools and generated clients.</dd>
<dt><a href=".${links.eventTypes}">Event types</a></dt><dd>What webhooks and alert rules can be about.</dd>
</dl>
<h2>First steps</h2>
<p>Requests carry an API key of an organization. The operator of this service makes it with the admin key, which the first start has printed.</p>
<pre><code>curl -H "Authorization: Bearer $ROWMILL_API_KEY" http://localhost:8080/v1/me</code></pre>`,
);

export function serveHome(app: FastifyInstance, publicUrl: () => string, console: Console | undefined): void {
  app.get("/", (request, reply) => {
    if (console?.isPage(request) === true) return console.send(request, reply);
    if (prefersHtml(request.headers.accept))
      return sendPage(reply, html.replace("http://localhost:8080", escapeHtml(publicUrl())));
    return reply.header("Vary", "Accept").send({
      name: "Rowmill",
      description: "Self-hosted, asynchronous, row-by-row processing of datasets.",
      links: Object.fromEntries(Object.entries(links).map(([name, path]) => [name, publicUrl() + path])),
    });
  });
}
