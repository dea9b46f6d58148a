/**
 * The page of the API reference, and its script, as the service serves them at `/docs`. The package that makes them serves its pages
 * itself; it does so once, here. With the packages that it depends on it takes four times the space of its script, and only the
 * script is of use to the service.
 */
import { fileURLToPath } from "node:url";
import scalar from "@scalar/fastify-api-reference";
import Fastify from "fastify";

/** What the script comes from. */
export const REFERENCE_PACKAGE = fileURLToPath(import.meta.resolve("@scalar/fastify-api-reference"));

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

export interface ReferenceFile {
  /** Below `/docs/`. */
  path: string;
  type: string;
  content: Buffer;
}

export async function makeReferencePage(): Promise<ReferenceFile[]> {
  const source = Fastify();
  await source.register(scalar, { routePrefix: "/docs", configuration });
  const made: ReferenceFile[] = [];
  for (const path of ["", "js/scalar.js"]) {
    const { statusCode, headers, rawPayload } = await source.inject(`/docs/${path}`);
    if (statusCode !== 200) throw new Error(`the API reference was not made: ${statusCode} for ${path}`);
    made.push({ path, type: String(headers["content-type"]), content: rawPayload });
  }
  await source.close();
  return made;
}
