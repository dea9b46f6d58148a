/**
 * JSON Schemas as Python types: an object is a TypedDict, an enum a Literal, a variant a Union. Python 3.9 has no NotRequired, so
 * that an object with optional members is two classes, of which the second inherits the required members.
 */
const KEYWORDS = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);
const scalars = { string: "str", integer: "int", number: "float", boolean: "bool", null: "None" };
const CLASS = /^class (\w+)\(|^(\w+) = TypedDict\(/;

export const isTypedDictName = (line) => CLASS.test(line);

const pascal = (text) =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== "")
    .map((part) => part[0].toUpperCase() + part.slice(1))
    .join("");
const refName = (ref) => ref.slice(ref.lastIndexOf("/") + 1);
const isName = (name) => /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name);

export function pythonTypes(document, operations) {
  const types = new Types(document.components.schemas);
  for (const operation of operations) types.addOperation(operation);
  return types.text();
}

class Types {
  #classes = [];
  #aliases = [];
  #taken;

  constructor(schemas) {
    this.#taken = new Set(Object.keys(schemas));
    for (const [name, schema] of Object.entries(schemas)) this.#add(schema, name);
  }

  /** Its query, and its body where that has no name of its own. */
  addOperation({ operationId, parameters = [], requestBody }) {
    const queries = parameters.filter((parameter) => parameter.in === "query");
    if (queries.length > 0) {
      const properties = Object.fromEntries(queries.map(({ name, schema }) => [name, widened(schema)]));
      this.#declare({ properties }, this.#fresh(`${pascal(operationId)}Query`));
    }
    const body = requestBody?.content["application/json"]?.schema;
    if (body !== undefined && body.$ref === undefined) this.#add(body, this.#fresh(`${pascal(operationId)}Body`));
  }

  text() {
    const text = [...this.#classes, ...this.#aliases].join("\n\n");
    return `from typing import Any, Dict, List, Literal, Optional, TypedDict, Union\n\n\n${text}`;
  }

  #add(schema, name) {
    if (schema.type === "object" && schema.properties !== undefined) this.#declare(schema, name);
    else this.#aliases.push(`${name} = ${this.#typeOf(schema, name)}\n`);
  }

  /** A name that nothing else has. */
  #fresh(wanted) {
    let name = wanted;
    for (let count = 2; this.#taken.has(name); count++) name = `${wanted}${count}`;
    this.#taken.add(name);
    return name;
  }

  /** The type as an expression; objects in it become classes of their own, called after where they stand. */
  #typeOf(schema, place) {
    if (schema === true || schema === undefined) return "Any";
    if (schema.$ref !== undefined) return quoted(refName(schema.$ref));
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(", ")}]`;
    const variants = schema.anyOf ?? schema.oneOf;
    if (variants !== undefined)
      return union(variants.map((variant, at) => this.#typeOf(variant, variantPlace(variant, place, at))));
    if (Array.isArray(schema.type)) return union(schema.type.map((type) => this.#typeOf({ ...schema, type }, place)));
    if (schema.type === "array") return `List[${this.#typeOf(schema.items, `${place}Item`)}]`;
    if (schema.type === "object") return this.#objectType(schema, place);
    return scalars[schema.type] ?? "Any";
  }

  #objectType(schema, place) {
    if (schema.properties !== undefined) return quoted(this.#declare(schema, this.#fresh(place)));
    const values = schema.additionalProperties ?? Object.values(schema.patternProperties ?? {})[0];
    return `Dict[str, ${typeof values === "object" ? this.#typeOf(values, `${place}Value`) : "Any"}]`;
  }

  #declare(schema, name) {
    const required = new Set(schema.required ?? []);
    const members = Object.entries(schema.properties ?? {}).map(([member, value]) => ({
      member,
      type: this.#typeOf(value, name + pascal(member)),
      isRequired: required.has(member),
    }));
    const always = members.filter(({ isRequired }) => isRequired);
    const sometimes = members.filter(({ isRequired }) => !isRequired);
    if (sometimes.length === 0) this.#classes.push(typedDict(name, always, true, schema.description));
    else if (always.length === 0) this.#classes.push(typedDict(name, sometimes, false, schema.description));
    else {
      const [base, rest] = [`_${name}Required`, `_${name}Optional`];
      this.#classes.push(typedDict(base, always, true));
      if (sometimes.every(({ member }) => isName(member)))
        this.#classes.push(typedDict(name, sometimes, false, schema.description, base));
      else
        this.#classes.push(
          typedDict(rest, sometimes, false),
          `class ${name}(${base}, ${rest}):\n${docstring(schema.description)}    pass\n`,
        );
    }
    return name;
  }
}

function variantPlace(variant, place, at) {
  if (variant.type === "null") return place;
  const tag = Object.values(variant.properties ?? {}).find((member) => member.const !== undefined)?.const;
  return place + pascal(String(tag ?? variant.title ?? (at === 0 ? "" : `Variant${at + 1}`)));
}

function typedDict(name, members, isTotal, description, base = "TypedDict") {
  if (!members.every(({ member }) => isName(member))) {
    const items = members.map(
      ({ member, type }) => `        ${JSON.stringify(member)}: ${JSON.stringify(unquoted(type))},`,
    );
    return `${name} = TypedDict(\n    ${JSON.stringify(name)},\n    {\n${items.join("\n")}\n    },\n    total=${isTotal ? "True" : "False"},\n)\n`;
  }
  const lines = members.map(({ member, type }) => `    ${member}: ${unquoted(type)}`);
  const body = docstring(description) + (lines.length === 0 ? "    pass" : lines.join("\n"));
  return `class ${name}(${base}${isTotal ? "" : ", total=False"}):\n${body}\n`;
}

/** A filter takes one value or several. */
const widened = (schema) =>
  schema.type === "string" && schema.description?.includes("comma-separated")
    ? { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }
    : schema;

const literal = (value) =>
  value === null ? "None" : typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);
const quoted = (name) => `"${name}"`;
/** In an annotation, which is not evaluated, names need no quotes; values of enums do. */
const unquoted = (type) => type.replace(/(Literal\[[^\]]*\])|"(\w+)"/g, (_, values, name) => values ?? name);

function union(types) {
  const distinct = [...new Set(types)];
  const others = distinct.filter((type) => type !== "None");
  if (others.includes("Any")) return "Any";
  const one = others.length === 1 ? others[0] : `Union[${others.join(", ")}]`;
  return others.length === 0 ? "None" : distinct.length === others.length ? one : `Optional[${one}]`;
}

function docstring(description) {
  if (description === undefined) return "";
  return `    """${description.replaceAll("\\", "\\\\").replaceAll('"""', "'''")}"""\n\n`;
}
