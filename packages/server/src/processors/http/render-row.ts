/** The request of a row. One of a row of many values is made in a process of its own. */
import { parseExactJson } from "../../platform/exact-json.ts";
import { LargeTextError, hasManyValues } from "../large-texts.ts";
import type { LargeTextUser, LargeTexts } from "../large-texts.ts";
import type { RowFailure } from "../processor.ts";
import { TemplateError } from "../templates/templates.ts";
import type { LargeTextTasks } from "../large-text-protocol.ts";
import { compileRequest } from "./request-template.ts";
import type { HttpConfig, HttpRequest, RequestTemplate } from "./request-template.ts";

interface RowOfRequest {
  config: HttpConfig;
  /** JSON text. */
  row: string;
  baseUrl: string | undefined;
  secret: string | null;
}

/** The same in a process of large texts: pure, and with a URL that can be sent. */
export function renderPlain({
  config,
  row,
  baseUrl,
  secret,
}: LargeTextTasks["renderRequest"]["request"]): LargeTextTasks["renderRequest"]["result"] {
  const rendered = compileRequest(config).render(parseExactJson(row), baseUrl, secret);
  return rendered instanceof TemplateError
    ? { failure: rendered.toFailure() }
    : { request: { ...rendered, url: rendered.url.href } };
}

type Rendered = { request: HttpRequest } | { failure: RowFailure };

export async function renderRow(
  largeTexts: LargeTexts,
  user: LargeTextUser,
  template: RequestTemplate,
  given: RowOfRequest,
  signal?: AbortSignal,
): Promise<Rendered> {
  return renderSmallRow(template, given) ?? renderLargeRow(largeTexts, user, given, signal);
}

/** Undefined: the row has many values. */
export function renderSmallRow(
  template: RequestTemplate,
  { row, baseUrl, secret }: RowOfRequest,
): Rendered | undefined {
  if (hasManyValues(row)) return undefined;
  const request = template.render(parseExactJson(row), baseUrl, secret);
  return request instanceof TemplateError ? { failure: request.toFailure() } : { request };
}

export async function renderLargeRow(
  largeTexts: LargeTexts,
  user: LargeTextUser,
  { config, row, baseUrl, secret }: RowOfRequest,
  signal?: AbortSignal,
): Promise<Rendered> {
  try {
    const rendered = await largeTexts.perform(user, { task: "renderRequest", config, row, baseUrl, secret }, signal);
    if ("failure" in rendered) return rendered;
    return { request: { ...rendered.request, url: new URL(rendered.request.url) } };
  } catch (error) {
    if (!(error instanceof LargeTextError)) throw error;
    return { failure: { code: "template_error", message: `The row ${error.message}: make it smaller.` } };
  }
}
