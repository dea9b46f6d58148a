/**
 * The URL of a request. Values from the row are percent-encoded, so that they stay within the part of the URL in which they
 * stand: what a job spec writes out of scheme, host, port and path, no row can change.
 *
 *     https://{{row.shop}}.example.com/orders/{{row.id}}/lines?since={{row.day}}
 *             └── letters, digits, . _ -  └── one segment, never empty, . or ..   └── any text
 *
 * A URL that begins with a tag is the row's own from there on: it may name any host, and the egress guard checks it. Where the
 * job spec has a connection, the URL is one below its `baseUrl`, whatever it is made of.
 */
import { compileTemplate, TemplateError } from "../templates/templates.ts";
import type { Scope, Tag, Template, TemplateProblem } from "../templates/templates.ts";
import { MAX_URL_CHARACTERS } from "./http-limits.ts";

export interface UrlTemplate {
  problems: readonly string[];
  /** Scheme, host and port, where the job spec writes them out. */
  origin: string | undefined;
  /** `baseUrl` of the connection, if there is one. */
  render(scope: Scope, baseUrl: string | undefined): URL | TemplateError;
}

type Place = "start" | "host" | "port" | "path" | "query";

/** What the WHATWG parser drops or takes for another character. */
const MISREAD = /[\p{Cc}\p{Z}\\]/u;
/** `.` and `..`, in all spellings of a dot that the WHATWG parser reads as one. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;
const ABSOLUTE = /^https?:\/\//i;
const HOST_PART = /^[A-Za-z0-9._-]+$/;
const HOST_AND_PORT = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/;
const PORT = /^[0-9]{1,5}$/;

export function compileUrlTemplate(source: string, { hasConnection }: { hasConnection: boolean }): UrlTemplate {
  const template = compileTemplate(source, { names: ["row"] });
  const isAbsolute = ABSOLUTE.test(source);
  const [first] = template.parts;
  const isOfRow = !isAbsolute && !hasConnection && typeof first === "object";
  /** Of the last row: mostly that of all. */
  let base: Base | undefined;
  const places = isAbsolute ? placesOf(template, "host") : placesOf(template, hasConnection ? "path" : "start");
  return {
    problems: [
      ...template.problems.map(describeProblem),
      ...(template.problems.length > 0 ? [] : findProblems(template, places, { isAbsolute, hasConnection })),
    ],
    origin: isAbsolute && template.problems.length === 0 ? literalOrigin(template, places) : undefined,
    render(scope, baseUrl) {
      let refusal: TemplateError | undefined;
      const text = template.render(scope, (printed, tag) => {
        const encoded = encode(printed, tag, places, template);
        if (typeof encoded === "string") return encoded;
        refusal ??= encoded;
        return "";
      });
      if (refusal !== undefined) return refusal;
      if (typeof text !== "string") return text;
      if (baseUrl === undefined) return toUrl(text, isOfRow);
      if (base?.baseUrl !== baseUrl) base = readBase(baseUrl);
      return toUrlBelow(base, text, isAbsolute);
    },
  };
}

export const describeProblem = ({ position, message }: TemplateProblem): string =>
  `${message} (at character ${position + 1})`;

/** In which part of the URL each tag stands. */
function placesOf(template: Template, start: Place): Map<Tag, Place> {
  const places = new Map<Tag, Place>();
  let place = start;
  for (const [number, part] of template.parts.entries()) {
    if (typeof part === "object") {
      places.set(part, place);
      // The row's own URL: what follows is read as if its path had begun.
      if (place === "start") place = "path";
      continue;
    }
    let text = number === 0 ? part.replace(ABSOLUTE, "") : part;
    if (place === "host" || place === "port") {
      const end = text.search(/[/?]/);
      const authority = end === -1 ? text : text.slice(0, end);
      if (authority.endsWith(":")) place = "port";
      else if (authority !== "") place = "host";
      if (end === -1) continue;
      text = text.slice(end);
      place = "path";
    }
    if (text.includes("?")) place = "query";
  }
  return places;
}

function findProblems(
  template: Template,
  places: ReadonlyMap<Tag, Place>,
  { isAbsolute, hasConnection }: { isAbsolute: boolean; hasConnection: boolean },
): string[] {
  const problems: string[] = [];
  const text = template.parts.filter((part) => typeof part === "string").join("");
  const [first] = template.parts;
  if (MISREAD.test(text)) problems.push("The URL must not contain spaces, control characters or backslashes.");
  if (text.includes("#")) problems.push("The URL must not contain a fragment; remove the # and what follows.");
  if (!isAbsolute && !hasConnection && typeof first === "string")
    problems.push("The URL must begin with https://; a path needs a `connection`, on whose `baseUrl` it is.");
  if (!isAbsolute && hasConnection && typeof first === "string" && /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(first))
    problems.push("With a `connection` the URL is a path on its `baseUrl`, such as /v1/items.");
  if (isAbsolute) {
    const authority = authorityOf(template);
    if (authority.some((part) => typeof part === "string" && part.includes("@")))
      problems.push("The URL must not contain a user name or password.");
    const last = authority.at(-1);
    if (typeof last === "object" && authority.length > 1 && places.get(last) === "host")
      problems.push(
        "The host must not end with a value from the row; write a / before the path, or name the whole host by it.",
      );
    if (authority.length === 0) problems.push("The URL has no host.");
    // Such as an IPv6 address with a zone, which means something on one machine only.
    else if (problems.length === 0 && !isReadable(authority))
      problems.push("The URL cannot be parsed; write it as https://host.example/path.");
  }
  const path =
    template.parts
      .map((part) => (typeof part === "string" ? part : "x"))
      .join("")
      .split("?", 1)[0] ?? "";
  if (DOT_SEGMENT.test(path)) problems.push("The URL must not contain the path segments . and ..");
  return problems;
}

/** The parts between `https://` and the path. */
function authorityOf(template: Template): (string | Tag)[] {
  const authority: (string | Tag)[] = [];
  for (const [number, part] of template.parts.entries()) {
    if (typeof part === "object") {
      authority.push(part);
      continue;
    }
    const text = number === 0 ? part.replace(ABSOLUTE, "") : part;
    const end = text.search(/[/?#]/);
    const piece = end === -1 ? text : text.slice(0, end);
    if (piece !== "") authority.push(piece);
    if (end !== -1) break;
  }
  return authority;
}

/** A host that no URL can have would be refused in each row. What values of the row make of one is seen there. */
function isReadable(authority: readonly (string | Tag)[]): boolean {
  const written = authority.filter((part) => typeof part === "string");
  return written.length < authority.length || URL.canParse(`https://${written.join("")}`);
}

function literalOrigin(template: Template, places: ReadonlyMap<Tag, Place>): string | undefined {
  if ([...places.values()].some((place) => place === "host" || place === "port")) return undefined;
  const [first] = template.parts;
  const scheme = typeof first === "string" ? (ABSOLUTE.exec(first)?.[0] ?? "") : "";
  const origin =
    scheme +
    authorityOf(template)
      .filter((part) => typeof part === "string")
      .join("");
  return URL.canParse(origin) ? new URL(origin).origin : undefined;
}

function encode(
  printed: string,
  tag: Tag,
  places: ReadonlyMap<Tag, Place>,
  template: Template,
): string | TemplateError {
  const name = ["row", ...tag.keys].join(".");
  switch (places.get(tag)) {
    case "start":
      return printed;
    case "host": {
      const isWhole = authorityOf(template).length === 1;
      if ((isWhole ? HOST_AND_PORT : HOST_PART).test(printed)) return printed;
      return new TemplateError(name, `The value of ${name} is no host name: letters, digits, dots and hyphens are.`);
    }
    case "port":
      if (PORT.test(printed)) return printed;
      return new TemplateError(name, `The value of ${name} is no port: a number is.`);
    case "path":
      // The request would go to what lies above, which may be all of it: DELETE /customers/ for a customer without a number.
      if (printed === "")
        return new TemplateError(name, `The value of ${name} is empty, which would make another path of the URL.`);
      return encodeURIComponent(printed.toWellFormed());
    case "query":
    case undefined:
      return encodeURIComponent(printed.toWellFormed());
  }
}

function toUrl(text: string, isOfRow = false): URL | TemplateError {
  if (text.length > MAX_URL_CHARACTERS)
    return new TemplateError(
      "row",
      `The URL is longer than ${MAX_URL_CHARACTERS} characters; put long values into the body.`,
    );
  const url = MISREAD.test(text) || !ABSOLUTE.test(text) ? null : URL.parse(text);
  if (url === null)
    return new TemplateError("row", "What the template makes of the row is not an absolute http or https URL.");
  // Many servers read %2F as / before they look for dots.
  const path = (text.split("?", 1)[0] ?? "").replaceAll(/%(?:2f|5c)/gi, "/");
  if (!isOfRow && DOT_SEGMENT.test(path))
    return new TemplateError("row", "A value from the row makes . or .. a segment of the path.");
  return url;
}

interface Base {
  baseUrl: string;
  origin: string;
  /** Without a slash at the end. */
  path: string;
}

function readBase(baseUrl: string): Base {
  const { origin, pathname } = new URL(baseUrl);
  return { baseUrl, origin, path: pathname.replace(/\/$/, "") };
}

function toUrlBelow({ baseUrl, origin, path }: Base, text: string, isAbsolute: boolean): URL | TemplateError {
  const url = toUrl(isAbsolute ? text : `${baseUrl}${/^[/?]/.test(text) ? "" : "/"}${text}`);
  if (url instanceof TemplateError) return url;
  const { pathname } = url;
  // A secret is for the service that it was given for.
  if (url.origin !== origin || (pathname !== path && !pathname.startsWith(`${path}/`)))
    return new TemplateError("row", "The URL is not below the `baseUrl` of the connection.");
  return url;
}
