/** The pages of the API. */
import { operations } from "@rowmill/contract";
import type { OperationId } from "@rowmill/contract";
import type { Operation } from "@rowmill/contract/operation";
import { operationSection, valuesOf } from "./api-operation.ts";
import { apiPages } from "./api-pages.ts";
import type { ApiPage } from "./api-pages.ts";
import { anchorOf, cell, code, paragraphs, table } from "./markdown-text.ts";
import { GENERATED } from "./generated-page.ts";
import type { Page } from "./generated-page.ts";
import { fieldsOf, resolve, rowsOf, schemaNamed } from "./schema-fields.ts";
import type { LinkTo, Schema } from "./schema-fields.ts";

export const apiResourcePages = (): Page[] =>
  apiPages.map((page) => ({ path: `api/${page.file}.md`, text: pageText(page) }));

const objectHeading = (name: string): string => `The \`${name}\` object`;

/** Links to where an object is described: on the page itself, or on another. */
const linksOn =
  (file: string): LinkTo =>
  (name) => {
    if (name === "FailureCode") return "[failure code](../failures.md)";
    const owner = apiPages.find(({ objects }) => objects.includes(name));
    if (owner === undefined) return undefined;
    return `[${code(name)}](${owner.file === file ? "" : `${owner.file}.md`}#${anchorOf(objectHeading(name))})`;
  };

function pageText(page: ApiPage): string {
  const linkTo = linksOn(page.file);
  return `${paragraphs(
    `# ${page.title}`,
    GENERATED,
    page.intro,
    contents(page.operations),
    ...page.operations.map((id) => operationSection(id, linkTo)),
    ...page.objects.map((name) => objectSection(name, linkTo)),
  )}\n`;
}

const contents = (ids: readonly OperationId[]): string =>
  table(
    ["", ""],
    ids.map((id) => {
      const o: Operation = operations[id];
      return [`[${cell(o.summary)}](#${anchorOf(o.summary)})`, code(`${o.method} ${o.path}`)];
    }),
  );

/** Above this, the variants of an object have tables of their own. */
const MAX_FIELDS_TOGETHER = 16;

function objectSection(name: string, linkTo: LinkTo): string {
  const { description, ...rest } = schemaNamed(name);
  const fields = fieldsOf(rest, linkTo);
  const by = rest.discriminator?.propertyName;
  const parts =
    by !== undefined && fields.length > MAX_FIELDS_TOGETHER
      ? (rest.oneOf ?? []).map((variant) => variantSection(resolve(variant), by, linkTo))
      : [table(["member", "type", "meaning"], rowsOf(fields, by !== undefined)), valuesOf(rest, linkTo)];
  return paragraphs(`## ${objectHeading(name)}`, description, ...parts);
}

function variantSection(variant: Schema, by: string, linkTo: LinkTo): string {
  const value = String(variant.properties?.[by]?.const);
  return paragraphs(
    `### ${code(value)}`,
    variant.description,
    table(["member", "type", "meaning"], rowsOf(fieldsOf(variant, linkTo), true)),
    valuesOf(variant, linkTo),
  );
}
