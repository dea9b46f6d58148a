// @ts-check
/**
 * What a module of ours imports, and where it may look for packages at run time: `bundle-dependencies.mjs` refuses what cannot be known.
 * The modules are our own, and hide nothing on purpose: a name is followed through imports, exports and patterns of variables, and not through
 * calls.
 */
import { parseAst } from "rolldown/parseAst";

/** Functions of `node:module` that are understood here; others find packages in further ways. */
const KNOWN_OF_MODULE = ["createRequire", "flushCompileCache", "isBuiltin"];
/** Of `process`: it returns `node:module`, too. */
const GETS_MODULE = "getBuiltinModule";

/** @typedef {{ specifier: string, start: number, end: number, names: string[] }} Import */

/**
 * Imports of other packages, and the names of those that are looked for at run time. `unknown` are the places that may look for a package
 * without its name.
 * @param {string} text
 */
export function referencesOf(text) {
  /** @type {Import[]} */
  const imports = [];
  /** @type {string[]} */
  const resolved = [];
  /** @type {string[]} */
  const unknown = [];
  const module = parseAst(text);
  const hasOwnProcess = names(module, "process");
  /** @param {any} node @param {any} parent */
  const visit = (node, parent) => {
    if (node === null || typeof node !== "object") return;
    const { source } = node;
    if (isOther(source?.value))
      imports.push({ specifier: source.value, start: source.start, end: source.end, names: namesOf(node) });
    const isImport = node.type === "ImportExpression";
    if (isImport || (node.type === "CallExpression" && isLookup(node.callee))) {
      const first = isImport ? source : node.arguments[0];
      if (typeof first?.value !== "string" || isOfModule(first) || isOfProcess(first))
        unknown.push(text.slice(node.start, node.end));
      else if (!isImport && isOther(first.value)) resolved.push(first.value);
    }
    if (mayBeLookup(node, parent, hasOwnProcess)) unknown.push(text.slice(parent.start, parent.end));
    for (const value of Object.values(node)) visit(value, Array.isArray(node) ? parent : node);
  };
  visit(module, undefined);
  return { imports, resolved, unknown };
}

/** @param {unknown} specifier */
const isOther = (specifier) => typeof specifier === "string" && !/^[./#]/.test(specifier);

/** A call of `require`, `require.resolve` or `import.meta.resolve`. @param {any} callee */
const isLookup = (callee) => isRequire(callee) || isResolve(callee);

/** @param {any} node */
const isRequire = ({ type, name, callee }) =>
  (type === "Identifier" && name === "require") || callee?.name === "createRequire";

/** @param {any} node */
const isResolve = ({ type, computed, object, property }) =>
  type === "MemberExpression" &&
  !computed &&
  property.name === "resolve" &&
  (isRequire(object) || object.type === "MetaProperty");

/**
 * Whether a function that finds packages may get another name here, or comes from where `isLookup` does not know it.
 * @param {any} node @param {any} parent @param {boolean} hasOwnProcess the module calls something else so
 */
function mayBeLookup(node, parent, hasOwnProcess) {
  if (isNamed(node, GETS_MODULE)) return true;
  if (isGlobal(node) || isProcess(node, hasOwnProcess))
    if (!isGivenName(node, parent) && !isKnownUse(node, parent)) return true;
  switch (node.type) {
    case "ImportSpecifier":
      if (isOfProcess(parent.source)) return nameOf(node.imported) === "default" && node.local.name !== "process";
      return (
        isOfModule(parent.source) &&
        !(KNOWN_OF_MODULE.includes(node.local.name) && nameOf(node.imported) === node.local.name)
      );
    case "ImportDefaultSpecifier":
      return isOfModule(parent.source) || (isOfProcess(parent.source) && node.local.name !== "process");
    case "ImportNamespaceSpecifier":
      return isOfModule(parent.source) || isOfProcess(parent.source);
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
      return isOfModule(node.source) || isOfProcess(node.source);
    case "MetaProperty":
      return parent.type !== "MemberExpression" || parent.computed;
    case "MemberExpression":
      return isResolve(node) && parent.callee !== node;
    case "Identifier":
      if (isOwnName(node, parent)) return false;
      if (node.name === "createRequire") return parent.callee !== node;
      break;
    default:
  }
  if (!isRequire(node) || parent.callee === node || isResolve(parent)) return false;
  return parent.type !== "VariableDeclarator" || parent.id.name !== "require";
}

/** @param {any} source of an import, or undefined */
const isOfModule = (source) => source?.value === "node:module" || source?.value === "module";
/** @param {any} source of an import, or undefined */
const isOfProcess = (source) => source?.value === "node:process" || source?.value === "process";

/** In whatever place: as a variable, a member, a key, or a string. @param {any} node @param {string} name */
const isNamed = (node, name) =>
  nameOf(node) === name || (node.type === "TemplateElement" && node.value.cooked === name);

/** Of an identifier or a string. @param {any} node */
const nameOf = ({ type, name, value }) => (type === "Identifier" ? name : type === "Literal" ? value : undefined);

/** `process`, or that member of what has all global names. @param {any} node @param {boolean} hasOwnProcess */
const isProcess = ({ type, name, object, property }, hasOwnProcess) =>
  type === "MemberExpression"
    ? isGlobal(object) && nameOf(property) === "process"
    : type === "Identifier" && name === "process" && !hasOwnProcess;

/** @param {any} node */
const isGlobal = ({ type, name }) => type === "Identifier" && (name === "globalThis" || name === "global");

/** A member by its name, or several, or the question whether it is there. @param {any} node @param {any} parent */
function isKnownUse(node, parent) {
  switch (parent.type) {
    case "MemberExpression":
      return parent.object === node && !isComputed(parent);
    case "VariableDeclarator":
      return parent.id.type === "ObjectPattern" && parent.id.properties.every(isKnownMember);
    case "UnaryExpression":
      return parent.operator === "typeof";
    case "BinaryExpression":
      return parent.operator === "in";
    // To define something for all.
    case "CallExpression":
      return isGlobal(node);
    default:
      return false;
  }
}

/**
 * Whether a function, a parameter or a variable somewhere within the node has this name.
 * @param {any} node @param {string} name @returns {boolean}
 */
function names(node, name) {
  if (node === null || typeof node !== "object") return false;
  const given = [node.id, ...(node.params ?? [])].flatMap(namesIn);
  return given.includes(name) || Object.values(node).some((value) => names(value, name));
}

/** @param {any} pattern what a variable or a parameter is written as @returns {string[]} */
function namesIn(pattern) {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((/** @type {any} */ { value, argument }) => namesIn(value ?? argument));
    case "ArrayPattern":
      return pattern.elements.flatMap(namesIn);
    case "AssignmentPattern":
      return namesIn(pattern.left);
    case "RestElement":
      return namesIn(pattern.argument);
    default:
      return [];
  }
}

/** Of a pattern. @param {any} property */
const isKnownMember = ({ type, computed, key }) => type === "Property" && !computed && nameOf(key) !== "process";

/** Of whose name a part is made at run time. @param {any} member */
const isComputed = ({ computed, property }) => computed && typeof property.value !== "string";

/** The identifier only gives or selects a name; it does not use a variable of that name. @param {any} node @param {any} parent */
const isOwnName = (node, parent) =>
  (parent.property === node && !parent.computed) ||
  (parent.key === node && !parent.computed) ||
  parent.id === node ||
  parent.type === "ImportSpecifier";

/** @param {any} node @param {any} parent none of a module */
const isGivenName = (node, parent) =>
  parent === undefined || isOwnName(node, parent) || parent.type === "ImportDefaultSpecifier";

/**
 * Of `import()`, of `* as` and of `export *` everything is wanted.
 * @param {any} node
 * @returns {string[]}
 */
function namesOf({ type, specifiers = [] }) {
  if (type !== "ImportDeclaration" && type !== "ExportNamedDeclaration") return ["*"];
  return specifiers.map((/** @type {any} */ { type, imported, local }) => {
    if (type === "ImportNamespaceSpecifier") return "*";
    return type === "ImportDefaultSpecifier" ? "default" : (imported ?? local).name;
  });
}
