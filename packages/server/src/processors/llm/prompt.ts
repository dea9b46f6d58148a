/** The messages of a job spec, and what becomes of them for a row. */
import { parseExactJson } from "../../platform/exact-json.ts";
import { compileTemplate, TemplateError } from "../templates/templates.ts";
import type { Template } from "../templates/templates.ts";
import type { Problem, RowFailure } from "../processor.ts";
import type { LlmConfig } from "./llm-config.ts";
import type { Part, Message } from "./conversation.ts";
import { readImageData, readImageUrl } from "./images.ts";

export interface PromptTemplate {
  /** Empty where it can be rendered. */
  problems: Problem[];
  /** The messages of the conversation for a row (JSON text), or why it has none. */
  render(rowText: string): readonly Message[] | RowFailure;
}

type PartTemplate = (scope: { row: unknown }) => Part | RowFailure;

/** `mayFetch` says, with a sentence for the customer, why a provider must not be asked to fetch an image; see `images.ts`. */
export function compilePrompt(
  messages: LlmConfig["messages"],
  mayFetch: (url: URL) => string | undefined,
): PromptTemplate {
  const problems: Problem[] = [...findRoleProblems(messages)];
  const compile = (source: string, path: string): Template => {
    const template = compileTemplate(source, { names: ["row"] });
    for (const { position, message } of template.problems)
      problems.push({ path, message: `Character ${position + 1}: ${message}` });
    return template;
  };
  const compiled = messages.map(({ role, content }, index) => {
    const path = `/messages/${index}/content`;
    const parts: PartTemplate[] =
      typeof content === "string"
        ? [textPart(compile(content, path))]
        : content.map((part, at) => {
            const partPath = `${path}/${at}`;
            if (part.type === "text") return textPart(compile(part.text, `${partPath}/text`));
            if (role !== "user")
              problems.push({ path: partPath, message: "An image can stand in a message of the role user only." });
            if ((part.url === undefined) === (part.base64 === undefined))
              problems.push({ path: partPath, message: "An image has either a url or base64." });
            if (part.url !== undefined && part.mediaType !== undefined)
              problems.push({
                path: `${partPath}/mediaType`,
                message: "mediaType belongs to base64; a url has its own.",
              });
            return part.url === undefined
              ? imageDataPart(compile(part.base64 ?? "", `${partPath}/base64`), part.mediaType, partPath)
              : imageUrlPart(compile(part.url, `${partPath}/url`), partPath, mayFetch);
          });
    return { role, parts };
  });
  return {
    problems,
    render(rowText) {
      const scope = { row: parseExactJson(rowText) };
      const rendered: Message[] = [];
      for (const { role, parts } of compiled) {
        const made: Part[] = [];
        for (const part of parts) {
          const value = part(scope);
          if ("code" in value) return value;
          made.push(value);
        }
        rendered.push({ role, parts: made });
      }
      return rendered;
    },
  };
}

/** What providers have in common: instructions first, then a conversation that the user begins and that ends with a message of the user. */
function findRoleProblems(messages: LlmConfig["messages"]): Problem[] {
  const problems: Problem[] = [];
  const start = messages.findIndex(({ role }) => role !== "system");
  messages.forEach(({ role }, index) => {
    if (role === "system" && start !== -1 && index > start)
      problems.push({
        path: `/messages/${index}/role`,
        message: "Messages of the role system stand before all others.",
      });
  });
  if (start === -1) problems.push({ path: "/messages", message: "There must be a message of the role user." });
  else if (messages[start]?.role !== "user")
    problems.push({
      path: `/messages/${start}/role`,
      message: "The first message after system must be of the role user.",
    });
  else if (messages.at(-1)?.role === "assistant")
    problems.push({
      path: `/messages/${messages.length - 1}/role`,
      message: "The last message must be of the role user.",
    });
  return problems;
}

function textPart(template: Template): PartTemplate {
  return (scope) => {
    const text = template.render(scope);
    return text instanceof TemplateError ? text.toFailure() : { type: "text", text };
  };
}

function imageUrlPart(template: Template, path: string, mayFetch: (url: URL) => string | undefined): PartTemplate {
  return (scope) => {
    const text = template.render(scope);
    return text instanceof TemplateError ? text.toFailure() : readImageUrl(text, path, mayFetch);
  };
}

function imageDataPart(template: Template, mediaType: string | undefined, path: string): PartTemplate {
  return (scope) => {
    const text = template.render(scope);
    return text instanceof TemplateError ? text.toFailure() : readImageData(text, mediaType, path);
  };
}
