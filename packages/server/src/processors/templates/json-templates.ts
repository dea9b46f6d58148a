/** JSON values whose strings are templates. Names of members are no templates. */
import { compileTemplate, MAX_RENDERED_CHARACTERS, TemplateError } from "./templates.ts";
import type { Scope, Template, TemplateProblem } from "./templates.ts";

/** A value has a string for every few bytes; more problems than these do not help anyone. */
const MAX_PROBLEMS = 100;

export interface JsonTemplate {
  /** Empty where it can be rendered; `path` is a JSON pointer into the value. */
  problems: readonly (TemplateProblem & { path: string })[];
  /** The strings with tags in them. */
  templates: readonly Template[];
  /** JSON text. A string that is a single tag becomes the value of that tag, whatever its type. */
  render(scope: Scope): string | TemplateError;
}

export function compileJsonTemplate(value: unknown, options: { names: readonly string[] }): JsonTemplate {
  const problems: (TemplateProblem & { path: string })[] = [];
  /** JSON text as it stands, and what goes between. */
  const parts: (string | Template)[] = [];
  const addText = (text: string) => {
    const last = parts.at(-1);
    if (typeof last === "string") parts[parts.length - 1] = last + text;
    else parts.push(text);
  };
  // Recursion is safe: bodies of requests are at most 64 levels deep (see `platform/http/json-body.ts`).
  const add = (value: unknown, path: string): void => {
    if (typeof value === "string") {
      const template = compileTemplate(value, options);
      if (problems.length < MAX_PROBLEMS) problems.push(...template.problems.map((problem) => ({ ...problem, path })));
      if (template.parts.every((part) => typeof part === "string")) addText(JSON.stringify(template.parts.join("")));
      else parts.push(template);
    } else if (Array.isArray(value)) {
      value.forEach((element, index) => {
        addText(index === 0 ? "[" : ",");
        add(element, `${path}/${index}`);
      });
      addText(value.length === 0 ? "[]" : "]");
    } else if (typeof value === "object" && value !== null) {
      const members = Object.entries(value);
      members.forEach(([name, member], index) => {
        addText(`${index === 0 ? "{" : ","}${JSON.stringify(name)}:`);
        add(member, `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
      });
      addText(members.length === 0 ? "{}" : "}");
    } else addText(JSON.stringify(value));
  };
  add(value, "");
  return {
    problems,
    templates: parts.filter((part) => typeof part === "object"),
    render(scope) {
      let text = "";
      for (const part of parts) {
        if (typeof part === "string") text += part;
        else {
          const value = part.evaluate(scope);
          if (value instanceof TemplateError) return value;
          text += JSON.stringify(value);
        }
        if (text.length > MAX_RENDERED_CHARACTERS)
          return new TemplateError(
            "",
            `The JSON of the template is longer than ${MAX_RENDERED_CHARACTERS} characters.`,
          );
      }
      return text;
    },
  };
}
