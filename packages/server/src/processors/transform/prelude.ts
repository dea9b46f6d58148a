/**
 * The script that runs in a sandbox before the user's code: it takes away the clock and chance, adds a console, and
 * provides the few functions through which the worker thread calls the user's function. It takes every built-in that it
 * needs before user code is evaluated, and calls no method through a prototype afterwards, so that changed prototypes
 * change only what the user's own code sees.
 *
 * A call returns one line per row: JSON, or `!` with a JSON array [kind, name, message, stack]. One such line alone means
 * that the rows could not be read. A response that begins with `?` and goes on with such an array means that the engine
 * may be damaged (out of memory).
 *
 * A call of `copyRows` returns an array: for each row a line, or a copy of what the function returned, and behind these the values that were
 * copied (`output-reading.ts`). A response of `~` means that something was not copied, and that the rows have to be called for their lines.
 */
import { MAX_LOG_CHARACTERS, MAX_MESSAGE_CHARACTERS, MAX_OUTPUT_BYTES } from "./transform-limits.ts";

export type FailureKind = "thrown" | "nothing" | "promise" | "not_json" | "too_large" | "unreadable" | "memory";
export type LoadedKind = "function" | "missing" | "not_function" | "async" | "generator" | "awaits";

/** Longer stacks are recursion; the worker keeps a few lines of it. */
const MAX_STACK_CHARACTERS = 4_000;

export const PRELUDE = `(() => {
"use strict";
const { parse, stringify } = JSON;
const { apply, construct, getPrototypeOf } = Reflect;
const { slice } = String.prototype;
const { join } = Array.prototype;
const { defineProperty, getOwnPropertyDescriptor, keys } = Object;
const { isArray } = Array;
const toText = String;
const outOfMemory = InternalError.prototype;
const promises = Promise.prototype;
const asyncFunctions = getPrototypeOf(async function () {});
const generators = getPrototypeOf(function* () {});
const asyncGenerators = getPrototypeOf(async function* () {});

const RealDate = Date;
const FixedDate = function Date(...parts) {
  if (new.target === undefined) return new RealDate(0).toString();
  return construct(RealDate, parts.length === 0 ? [0] : parts, new.target);
};
const hide = (target, name, value) => defineProperty(target, name, { value, writable: true, enumerable: false, configurable: true });
defineProperty(FixedDate, "prototype", { value: RealDate.prototype, writable: false });
defineProperty(FixedDate, "length", { value: 7 });
hide(FixedDate, "now", () => 0);
hide(FixedDate, "parse", RealDate.parse);
hide(FixedDate, "UTC", RealDate.UTC);
hide(RealDate.prototype, "constructor", FixedDate);
hide(globalThis, "Date", FixedDate);
hide(Math, "random", () => 0.5);

let log = "", logging = false;
const show = (value) => {
  if (typeof value === "string") return value;
  try { const text = stringify(value); if (typeof text === "string") return text; } catch {}
  try { return toText(value); } catch { return "?"; }
};
const write = (...values) => {
  if (!logging || log.length >= ${MAX_LOG_CHARACTERS}) return;
  let line = "";
  for (let i = 0; i < values.length && line.length < ${MAX_LOG_CHARACTERS}; i++) line += (i === 0 ? "" : " ") + show(values[i]);
  log = apply(slice, log + line + "\\n", [0, ${MAX_LOG_CHARACTERS}]);
};
hide(globalThis, "console", { log: write, info: write, warn: write, error: write, debug: write, trace: write });

const cut = (text, length) => apply(slice, text, [0, length]);
const read = (error, name, length) => {
  try { const value = error[name]; return typeof value === "string" ? cut(value, length) : ""; } catch { return ""; }
};
const describe = (kind, error) => {
  let name = "", message = "", stack = "";
  if (error !== null && (typeof error === "object" || typeof error === "function")) {
    name = read(error, "name", 100);
    message = read(error, "message", ${MAX_MESSAGE_CHARACTERS});
    stack = read(error, "stack", ${MAX_STACK_CHARACTERS});
    if (name === "" && message === "") message = cut(show(error), ${MAX_MESSAGE_CHARACTERS});
  } else if (error !== undefined || kind === "thrown") message = cut(toText(error), ${MAX_MESSAGE_CHARACTERS});
  return "[" + stringify(kind) + "," + stringify(name) + "," + stringify(message) + "," + stringify(stack) + "]";
};
// When there is no memory left even for the error, the engine throws null.
const isDamage = (error) => {
  if (error === null) return true;
  try { return getPrototypeOf(error) === outOfMemory && error.message === "out of memory"; } catch { return false; }
};

let userFunction;
const load = (namespace) => {
  if (getPrototypeOf(namespace) === promises) return "awaits";
  const value = namespace.default;
  if (value === undefined) return "missing";
  if (typeof value !== "function") return "not_function";
  const prototype = getPrototypeOf(value);
  if (prototype === asyncFunctions || prototype === asyncGenerators) return "async";
  if (prototype === generators) return "generator";
  userFunction = value;
  return "function";
};
const lineOf = (value) => {
  const line = stringify(value);
  if (line === undefined) return "!" + describe("nothing");
  return line.length > ${MAX_OUTPUT_BYTES} ? "!" + describe("too_large") : line;
};
const lineOfError = (stage, error) =>
  isDamage(error) ? "?" + describe(error === null ? stage : "memory", error) : "!" + describe(stage, error);
const callRow = (row) => {
  let stage = "thrown";
  try {
    // Not as a method: the user's function gets no this.
    const value = (0, userFunction)(row);
    if (value === undefined) return "!" + describe("nothing");
    if (typeof value?.then === "function") return "!" + describe("promise");
    stage = "not_json";
    return lineOf(value);
  } catch (error) {
    return lineOfError(stage, error);
  }
};
// The lines take the places of the rows: an element that exists is written without asking a prototype's setters.
// What the host could not make rows of comes as text.
const callRows = (given, count) => {
  let rows = given;
  if (typeof rows === "string") try { rows = parse(rows); } catch (error) {
    return isDamage(error) ? "?" + describe("memory", error) : "!" + describe("unreadable", error);
  }
  if (rows.length !== count) return "!" + describe("unreadable");
  for (let i = 0; i < count; i++) {
    const line = callRow(rows[i]);
    if (line[0] === "?") return line;
    rows[i] = line;
  }
  return apply(join, rows, ["\\n"]);
};

// Undefined until an object was returned. A guess by the first one: what comes of a wrong guess is a call that is repeated.
let copies;
const isFlat = (value) => {
  if (isArray(value) || "toJSON" in value) return false;
  const names = keys(value);
  for (let i = 0; i < names.length; i++) {
    const property = getOwnPropertyDescriptor(value, names[i]);
    const member = property.value;
    if ("get" in property || (typeof member === "object" && member !== null)) return false;
    if (typeof member === "function" || typeof member === "symbol" || typeof member === "bigint") return false;
  }
  return true;
};
// Behind the rows stand as many nulls, whose places the copied values take.
const copyRows = (rows, count) => {
  for (let i = 0; i < count; i++) {
    let stage = "thrown", line;
    try {
      const value = (0, userFunction)(rows[i]);
      if (value === undefined) line = "!" + describe("nothing");
      else if (typeof value?.then === "function") line = "!" + describe("promise");
      else if (copies !== false && typeof value === "object" && value !== null) {
        stage = "copy";
        if (copies ??= isFlat(value)) {
          if (value.toJSON !== undefined) return "~";
          rows[i] = { ...value };
          rows[count + i] = value;
          continue;
        }
      }
      stage = "not_json";
      line ??= lineOf(value);
    } catch (error) {
      if (stage === "copy") return "~";
      line = lineOfError(stage, error);
      if (line[0] === "?") return line;
    }
    rows[i] = line;
  }
  return rows;
};
const startLog = () => { log = ""; logging = true; };
const takeLog = () => { logging = false; return log; };
return { load, describe, callRows, copyRows, startLog, takeLog };
})()`;
