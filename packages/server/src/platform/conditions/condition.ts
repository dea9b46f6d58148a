/**
 * One condition: a CEL expression (https://cel.dev) over one variable that evaluates to true or false. Compiled and evaluated
 * in the thread of `condition-worker.ts` only: neither takes a bounded time.
 *
 * Beyond plain CEL, numbers of JSON (doubles) calculate with whole literals, so that `row.n % 2 == 0` means what it says.
 */
import { CelScalar, celEnv, celFunc, isCelError, parse, plan } from "@bufbuild/cel";
import type { CelFunc, CelInput } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import { cutText } from "../text.ts";
import { MAX_DEPTH, MAX_SOURCE_BYTES } from "./condition-limits.ts";

/** Shown in responses and records. */
const MAX_MESSAGE_CHARACTERS = 500;

export type ConditionResult = "match" | "no_match" | "error";

/** Of an error also what was wrong, in words. */
export type Evaluated = { result: "match" | "no_match" } | { result: "error"; message: string };

export type Compiled =
  | { outcome: "compiled"; evaluate: (value: CelInput) => Evaluated }
  | { outcome: "invalid"; message: string };

/** Never throws. `variable` is the only name that the expression may use. */
export function compileCondition(source: string, variable: string): Compiled {
  const problem = checkText(source);
  if (problem !== undefined) return { outcome: "invalid", message: problem };
  try {
    const parsed = parse(source);
    const looked = lookThrough(parsed.expr, variable);
    if ("problem" in looked) return { outcome: "invalid", message: looked.problem };
    const evaluate = plan(environment, parsed);
    const { members } = looked;
    const take = members === undefined ? (value: CelInput) => value : (value: CelInput) => membersOf(value, members);
    return { outcome: "compiled", evaluate: (value) => evaluated(() => evaluate({ [variable]: take(value) })) };
  } catch (error) {
    return { outcome: "invalid", message: error instanceof RangeError ? TOO_DEEP : messageOf(error) };
  }
}

const TOO_DEEP = `The expression is nested too deeply: at most ${MAX_DEPTH} levels.`;

function evaluated(evaluate: () => unknown): Evaluated {
  let value: unknown;
  try {
    value = evaluate();
  } catch (error) {
    value = error;
  }
  if (value === true) return { result: "match" };
  if (value === false) return { result: "no_match" };
  // Errors of CEL are values, and would otherwise be as true as any object.
  const message =
    isCelError(value) || value instanceof Error ? messageOf(value) : "The expression is neither true nor false.";
  return { result: "error", message };
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return cutText(message.replace("<input>:", ""), MAX_MESSAGE_CHARACTERS);
}

/** What can be said before the parser sees it. */
function checkText(source: string): string | undefined {
  const bytes = Buffer.byteLength(source);
  if (bytes > MAX_SOURCE_BYTES) return `The expression has ${bytes} bytes; at most ${MAX_SOURCE_BYTES} are allowed.`;
  let depth = 0;
  for (const [character] of source.matchAll(/[([{}\])]/g)) {
    depth += "([{".includes(character) ? 1 : -1;
    if (depth > MAX_DEPTH) return TOO_DEEP;
  }
  return undefined;
}

/** CEL converts every member of the value, which takes most of the time where a row has many, and the expression is about two. */
function membersOf(value: CelInput, members: ReadonlySet<string>): CelInput {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const all = value as Record<string, CelInput>;
  const some: Record<string, CelInput> = {};
  for (const name of members) if (Object.hasOwn(all, name)) some[name] = all[name] ?? null;
  return some;
}

/**
 * The parser accepts any name; an unknown one is reported now and not at the first event. `members`: those of the variable that the expression
 * names; undefined where it uses the variable in another way, or names one that cannot be copied by an assignment.
 */
function lookThrough(root: Expr, variable: string): { problem: string } | { members: ReadonlySet<string> | undefined } {
  const members = new Set<string>();
  let isUsedWhole = false;
  const open: { expr: Expr; depth: number; names: readonly string[]; isOfMember?: boolean }[] = [
    { expr: root, depth: 1, names: [variable, ...TYPE_NAMES] },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { expr, depth, names, isOfMember = false } = next;
    if (depth > MAX_DEPTH) return { problem: TOO_DEEP };
    const add = (inner: Expr | undefined, more: readonly string[] = [], isOfInner = false): void => {
      if (inner !== undefined)
        open.push({ expr: inner, depth: depth + 1, names: [...names, ...more], isOfMember: isOfInner });
    };
    const { exprKind } = expr;
    switch (exprKind.case) {
      case "identExpr":
        if (!names.includes(exprKind.value.name)) return { problem: noSuchName(exprKind.value.name, variable) };
        isUsedWhole ||= exprKind.value.name === variable && !isOfMember;
        break;
      case "selectExpr":
        members.add(exprKind.value.field);
        add(exprKind.value.operand, [], true);
        break;
      case "callExpr": {
        const { function: name, target, args } = exprKind.value;
        if (!PLANNED_OPERATORS.has(name) && environment.funcs.find(name) === undefined)
          return { problem: `There is no function \`${cutText(name, 100)}\`.` };
        const key = name === "_[_]" ? textOf(args[1]) : undefined;
        if (key !== undefined) members.add(key);
        add(target);
        for (const arg of args) add(arg, [], key !== undefined && arg === args[0]);
        break;
      }
      case "listExpr":
        for (const element of exprKind.value.elements) add(element);
        break;
      case "structExpr":
        if (exprKind.value.messageName !== "") return { problem: "Messages cannot be made here." };
        for (const entry of exprKind.value.entries) {
          if (entry.keyKind.case === "mapKey") add(entry.keyKind.value);
          add(entry.value);
        }
        break;
      case "comprehensionExpr": {
        const { accuVar, iterVar, iterVar2, iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value;
        const inner = [accuVar, iterVar, iterVar2];
        for (const part of [iterRange, accuInit]) add(part);
        for (const part of [loopCondition, loopStep, result]) add(part, inner);
        break;
      }
      case "constExpr":
      case undefined:
        break;
    }
  }
  return { members: isUsedWhole || members.has("__proto__") ? undefined : members };
}

const noSuchName = (name: string, variable: string): string =>
  `There is no \`${cutText(name, 100)}\` here: the expression is about \`${variable}\`.`;

/** Of a literal. */
const textOf = (expr: Expr | undefined): string | undefined =>
  expr?.exprKind.case === "constExpr" && expr.exprKind.value.constantKind.case === "stringValue"
    ? expr.exprKind.value.constantKind.value
    : undefined;

type Expr = ReturnType<typeof parse>["expr"];

/** For `type(event.x) == string`. */
const TYPE_NAMES = ["bool", "int", "uint", "double", "bytes", "string", "list", "map", "null_type", "type"];

/** The planner knows these itself. */
const PLANNED_OPERATORS: ReadonlySet<string> = new Set([
  "_&&_",
  "_||_",
  "_?_:_",
  "_[_]",
  "_[?_]",
  "_?._",
  "@not_strictly_false",
]);

function mixedArithmetic(name: string, calculate: (a: number, b: number) => number): CelFunc[] {
  const { DOUBLE, INT } = CelScalar;
  return [
    celFunc(name, [DOUBLE, INT], DOUBLE, (a, b) => calculate(a, Number(b))),
    celFunc(name, [INT, DOUBLE], DOUBLE, (a, b) => calculate(Number(a), b)),
  ];
}

const environment = celEnv({
  funcs: [
    ...strings,
    ...mixedArithmetic("_+_", (a, b) => a + b),
    ...mixedArithmetic("_-_", (a, b) => a - b),
    ...mixedArithmetic("_*_", (a, b) => a * b),
    ...mixedArithmetic("_/_", (a, b) => a / b),
    ...mixedArithmetic("_%_", (a, b) => a % b),
    celFunc("_%_", [CelScalar.DOUBLE, CelScalar.DOUBLE], CelScalar.DOUBLE, (a, b) => a % b),
  ],
});
