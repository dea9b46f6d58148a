/** What a job spec says of a request, compiled once, and filled in for each row. */
import type { ProcessorConfigOf } from "@rowmill/contract/processors";
import { problemOfName, problemOfValue } from "../../platform/egress/request-headers.ts";
import type { Problem } from "../processor.ts";
import { compileJsonTemplate } from "../templates/json-templates.ts";
import { compileTemplate, TemplateError } from "../templates/templates.ts";
import type { Scope, Template } from "../templates/templates.ts";
import { MAX_HEADER_VALUE_CHARACTERS } from "./http-limits.ts";
import { compileUrlTemplate, describeProblem } from "./url-template.ts";

export type HttpConfig = ProcessorConfigOf<"http">;

export interface HttpRequest {
  method: HttpConfig["method"];
  url: URL;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: string | undefined;
}

export interface RequestTemplate {
  problems: Problem[];
  /** Scheme, host and port, where the job spec writes them out. */
  origin: string | undefined;
  /** A header names `{{connection.secret}}`. */
  needsSecret: boolean;
  /** `secret` stands for that of the connection; `baseUrl` is the connection's. */
  render(row: unknown, baseUrl: string | undefined, secret: string | null): HttpRequest | TemplateError;
}

const DEFAULT_HEADERS: Readonly<Record<string, string>> = {
  accept: "application/json, */*;q=0.5",
  // What comes compressed all the same is unpacked.
  "accept-encoding": "identity",
  "user-agent": "Rowmill/1",
};

export function compileRequest(config: HttpConfig): RequestTemplate {
  const hasConnection = config.connection !== undefined;
  const url = compileUrlTemplate(config.url, { hasConnection });
  const headers = compileHeaders(config.headers ?? {}, hasConnection);
  const body = compileBody(config.body);
  return {
    problems: [
      ...url.problems.map((message) => ({ path: "/url", message: explain(message) })),
      ...headers.problems,
      ...body.problems,
      ...(config.method === "GET" && config.body !== undefined
        ? [{ path: "/body", message: "A GET has no body; remove it, or choose another method." }]
        : []),
    ],
    origin: url.origin,
    needsSecret: headers.needsSecret,
    render(row, baseUrl, secret) {
      const scope = { row };
      const target = url.render(scope, baseUrl);
      if (target instanceof TemplateError) return target;
      const content = body.render(scope);
      if (content instanceof TemplateError) return content;
      const lines: Record<string, string> = { ...DEFAULT_HEADERS };
      if (content !== undefined) lines["content-type"] = content.contentType;
      const failure = headers.render({ row, connection: { secret } }, lines);
      return failure ?? { method: config.method, url: target, headers: lines, body: content?.text };
    },
  };
}

function compileHeaders(configured: Readonly<Record<string, string>>, hasConnection: boolean) {
  const problems: Problem[] = [];
  const compiled: { name: string; nameProblem: string | undefined; template: Template }[] = [];
  const names = new Set<string>();
  let needsSecret = false;
  for (const [name, source] of Object.entries(configured)) {
    const path = `/headers/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const template = compileTemplate(source, { names: ["row", "connection"] });
    problems.push(...template.problems.map((problem) => ({ path, message: describeProblem(problem) })));
    const tags = template.parts.filter((part) => typeof part === "object");
    for (const { root, keys, filters } of tags)
      if (root === "connection") {
        needsSecret = true;
        if (keys.length !== 1 || keys[0] !== "secret")
          problems.push({ path, message: "Of a connection only {{connection.secret}} can be named." });
        else if (filters.length > 0)
          // Where a service repeats a part of it, nobody could take that out of the response.
          problems.push({
            path,
            message: "{{connection.secret}} takes no filters: it is sent as a whole, or not at all.",
          });
        else if (!hasConnection)
          problems.push({ path, message: "There is no `connection` whose secret could stand here." });
      }
    if (names.has(name.toLowerCase())) problems.push({ path, message: `There are two headers ${name}.` });
    names.add(name.toLowerCase());
    const literal = template.parts.filter((part) => typeof part === "string").join("");
    const nameProblem = problemOfName(name);
    const misfit = nameProblem ?? findMisfit(name, literal);
    if (misfit !== undefined) problems.push({ path, message: misfit });
    compiled.push({ name: name.toLowerCase(), nameProblem, template });
  }
  return {
    problems,
    needsSecret,
    /** Adds to `lines`. */
    render(scope: Scope, lines: Record<string, string>): TemplateError | undefined {
      for (const { name, nameProblem, template } of compiled) {
        const value = template.render(scope);
        if (value instanceof TemplateError) return value;
        // A job spec may be from a version that took the name.
        const misfit = nameProblem ?? findMisfit(name, value);
        // The value is not repeated: it may hold the secret.
        if (misfit !== undefined) return new TemplateError(`headers.${name}`, misfit);
        lines[name] = value;
      }
      return undefined;
    },
  };
}

/** Line breaks, with which a row could begin a header of its own, and what is too long. */
const findMisfit = (name: string, value: string): string | undefined =>
  value.length > MAX_HEADER_VALUE_CHARACTERS
    ? `The value of the header ${name} is longer than ${MAX_HEADER_VALUE_CHARACTERS} characters.`
    : problemOfValue(name, value);

const TEXT = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json";

interface BodyTemplate {
  problems: Problem[];
  render(scope: Scope): { text: string; contentType: string } | undefined | TemplateError;
}

function compileBody(body: unknown): BodyTemplate {
  if (body === undefined) return { problems: [], render: () => undefined };
  if (typeof body === "string") {
    const template = compileTemplate(body, { names: ["row"] });
    return {
      problems: template.problems.map((problem) => ({ path: "/body", message: explain(describeProblem(problem)) })),
      render(scope) {
        const text = template.render(scope);
        if (text instanceof TemplateError) return text;
        return { text, contentType: isJsonOfRow(template, scope) ? JSON_TYPE : TEXT };
      },
    };
  }
  const template = compileJsonTemplate(body, { names: ["row"] });
  return {
    problems: template.problems.map((problem) => ({
      path: `/body${problem.path}`,
      message: explain(describeProblem(problem)),
    })),
    render(scope) {
      const text = template.render(scope);
      return text instanceof TemplateError ? text : { text, contentType: JSON_TYPE };
    },
  };
}

/** A single tag keeps the type of its value, also as the whole body. A filter makes a text of it. */
function isJsonOfRow(template: Template, scope: Scope): boolean {
  if (template.singleTag === undefined || template.singleTag.filters.length > 0) return false;
  const value = template.evaluate(scope);
  // Numbers that keep their digits are objects, too.
  return typeof value === "object" && value !== null && !JSON.isRawJSON(value);
}

/** Why a tag of the connection is refused outside of the headers. */
const explain = (message: string): string =>
  message.includes('not with "connection"') ? "{{connection.secret}} may stand in headers only." : message;
