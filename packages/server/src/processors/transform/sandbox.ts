/**
 * One QuickJS engine in a WebAssembly instance of its own, with one user's code loaded. Runs on a worker thread.
 *
 * Nothing of the host is reachable from inside: strings go in and strings come out. Two limits hold by construction:
 * the memory (a WebAssembly.Memory with a fixed maximum) and the budget (the engine asks `setInterruptHandler`).
 * After a failure of the engine a sandbox is dropped, never disposed: disposing a damaged runtime aborts.
 */
import { Buffer } from "node:buffer";
import releaseVariant from "@jitl/quickjs-wasmfile-release-sync";
import {
  type EmscriptenModuleLoader,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSEmscriptenModule,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import { type Budget, createBudget } from "./budget.ts";
import { compileEngine } from "./engine-compilation.ts";
import { MEMORY_INITIAL_PAGES, MEMORY_MAXIMUM_PAGES, SANDBOX_STACK_BYTES } from "./transform-limits.ts";
import { type LoadedKind, PRELUDE } from "./prelude.ts";
import { type OutputLines, type OutputReader, resultsOf } from "./output-reading.ts";
import type { RowResult } from "./outputs.ts";
import type { RowEncoder } from "./row-encoding.ts";
import { jsonOf, type RowLines } from "./row-lines.ts";
import { describeThrown, parseThrown, type Thrown } from "./thrown.ts";
import { cutText } from "../../platform/text.ts";

export type CallResult =
  | { outcome: "lines"; text: string; /** Of the budget, from 0 to 1. */ spent: number }
  /** `results`: the lines, one by one. */
  | { outcome: "results"; lines: OutputLines; readonly results: RowResult[]; spent: number }
  /** The rows must be called for their lines, in a new sandbox, which knows nothing of these calls. */
  | { outcome: "not_plain" }
  /** The budget was spent. */
  | { outcome: "timeout" }
  /** The engine ran out of memory, or broke: the sandbox must be dropped. */
  | { outcome: "damaged"; thrown: Thrown };

export interface Sandbox {
  /** `rows`: `count` rows, or a JSON array of them. The text has a line for each row, as `prelude.ts` says. */
  callRows(rows: RowLines | string, count: number): CallResult;
  /** The same; where the outputs are flat objects, they leave the engine in its own form, which takes it half of the time. */
  copyRows(rows: RowLines | string, count: number): CallResult;
  startLog(): void;
  takeLog(): string;
  memoryBytes(): number;
}

/** `memoryBytes` of what was tried, for the code that counts the memory that is left to the garbage collector. */
export type LoadResult = { sandbox: Sandbox } | { problem: string; memoryBytes: number };

// The package's types are those of its CommonJS half, where the variant is one level deeper.
const quickJsRelease = releaseVariant as unknown as QuickJSSyncVariant;
const wasmModule = await compileEngine();

/** The engine's own form. One pair may serve all sandboxes of a thread: it holds what goes in and comes out for the time of a call. */
export interface EngineForm {
  rows: RowEncoder;
  outputs: OutputReader;
}

/** An engine with the prelude, and no code yet. */
export interface StartedEngine {
  wasmMemory: WebAssembly.Memory;
  context: QuickJSContext;
  budget: Budget;
  functionOf: (name: string) => QuickJSHandle;
}

/** The first one of a thread takes some ten times as long as the next ones: its JavaScript is loaded, and its functions are compiled. */
export async function startEngine(): Promise<StartedEngine> {
  const wasmMemory = new WebAssembly.Memory({ initial: MEMORY_INITIAL_PAGES, maximum: MEMORY_MAXIMUM_PAGES });
  const variant = withFastTexts(newVariant(quickJsRelease, { wasmModule, wasmMemory }), wasmMemory);
  const engine = await newQuickJSWASMModuleFromVariant(variant);
  const runtime = engine.newRuntime();
  runtime.setMaxStackSize(SANDBOX_STACK_BYTES);
  const budget = createBudget();
  runtime.setInterruptHandler(() => budget.spend());
  const context = runtime.newContext();
  const prelude = context.unwrapResult(context.evalCode(PRELUDE, "prelude.js"));
  return { wasmMemory, context, budget, functionOf: (name) => context.getProp(prelude, name) };
}

/** `engine`: one that was started and has no code. */
export async function loadSandbox(code: string, form: EngineForm, engine?: StartedEngine): Promise<LoadResult> {
  const { wasmMemory, context, budget, functionOf } = engine ?? (await startEngine());
  const [load, describe, startLog, takeLog] = ["load", "describe", "startLog", "takeLog"].map(functionOf) as [
    QuickJSHandle,
    QuickJSHandle,
    QuickJSHandle,
    QuickJSHandle,
  ];
  const callee: Callee = { context, budget, form, callRows: functionOf("callRows"), copyRows: functionOf("copyRows") };

  budget.renew();
  const problem = loadCode(context, code, { load, describe, isOverBudget: () => budget.isSpent() });
  if (problem !== null) return { problem, memoryBytes: wasmMemory.buffer.byteLength };

  return {
    sandbox: {
      callRows: (rows, count) => withinBudget(budget, () => callForLines(callee, rows, count)),
      copyRows: (rows, count) => withinBudget(budget, () => callForCopies(callee, rows, count)),
      startLog() {
        budget.renew();
        callForText(context, startLog, []);
      },
      takeLog() {
        budget.renew();
        try {
          return callForText(context, takeLog, []) ?? "";
        } catch {
          // The engine broke in the row that wrote the log, which that row's failure reports.
          return "";
        }
      },
      memoryBytes: () => wasmMemory.buffer.byteLength,
    },
  };
}

/**
 * The engine's own functions go through texts character by character, twice for each, which took a seventh of a row's time. The
 * host writes into the sandbox's memory, as before; the sandbox sees no difference.
 */
function withFastTexts(variant: QuickJSSyncVariant, wasmMemory: WebAssembly.Memory): QuickJSSyncVariant {
  return {
    ...variant,
    async importModuleLoader() {
      const imported = await variant.importModuleLoader();
      // Of a module, or of the function itself, as bundlers have it.
      const load = (
        typeof imported === "function" ? imported : imported.default
      ) as EmscriptenModuleLoader<QuickJSEmscriptenModule>;
      return async (...parts) => {
        const module = await load(...parts);
        module.lengthBytesUTF8 = (text) => Buffer.byteLength(text);
        module.stringToUTF8 = (text, at, maxBytes = Number.POSITIVE_INFINITY) => {
          // Taken at each call: memory that has grown is another buffer.
          const memory = Buffer.from(wasmMemory.buffer);
          const written = memory.write(text, at, Math.min(maxBytes - 1, memory.length - at - 1), "utf8");
          memory[at + written] = 0;
        };
        module.UTF8ToString = (at) => {
          const memory = Buffer.from(wasmMemory.buffer);
          // Texts that leave a sandbox end in a NUL, wherever a damaged engine says that they are.
          const end = memory.indexOf(0, at);
          return at === 0 || at >= memory.length ? "" : memory.toString("utf8", at, end === -1 ? memory.length : end);
        };
        return module;
      };
    },
  };
}

/** The prelude's functions for rows, and what calling them takes. */
interface Callee {
  context: QuickJSContext;
  budget: Budget;
  form: EngineForm;
  callRows: QuickJSHandle;
  copyRows: QuickJSHandle;
}

function withinBudget(budget: Budget, call: () => CallResult): CallResult {
  budget.renew();
  try {
    return call();
  } catch (error) {
    return { outcome: "damaged", thrown: engineError(error) };
  }
}

function callForLines(
  { context, budget, form, callRows }: Callee,
  given: RowLines | string,
  count: number,
): CallResult {
  const rows = makeRows(context, form.rows, given, count);
  if (rows === null) return { outcome: "damaged", thrown: noMemory() };
  const text = callForText(context, callRows, [rows, context.newNumber(count)]);
  if (text === null) return budget.isSpent() ? { outcome: "timeout" } : { outcome: "damaged", thrown: noMemory() };
  if (!text.startsWith("?")) return { outcome: "lines", text, spent: budget.spent() };
  return { outcome: "damaged", thrown: parseThrown(text.slice(1)) };
}

function callForCopies(callee: Callee, given: RowLines | string, count: number): CallResult {
  const { context, budget, form, copyRows } = callee;
  const rows = makeRows(context, form.rows, given, count, count);
  if (rows === null) return { outcome: "damaged", thrown: noMemory() };
  if (context.typeof(rows) === "string") {
    rows.dispose();
    return callForLines(callee, given, count);
  }
  const parameters = [rows, context.newNumber(count)];
  const called = context.callFunction(copyRows, context.undefined, ...parameters);
  for (const parameter of parameters) parameter.dispose();
  if (called.error) return { outcome: budget.isSpent() ? "timeout" : "not_plain" };
  const stored = context.encodeBinaryJSON(called.value);
  called.value.dispose();
  // Else the engine has thrown: it does not store every kind of object.
  if (context.typeof(stored) !== "object") return { outcome: "not_plain" };
  const bytes = context.getArrayBuffer(stored);
  stored.dispose();
  const lines = form.outputs.readLines(bytes.value, count);
  bytes.dispose();
  if (lines === null) return { outcome: "not_plain" };
  return {
    outcome: "results",
    lines,
    get results() {
      return resultsOf(lines);
    },
    spent: budget.spent(),
  };
}

/**
 * The rows, and nulls behind them, or the rows' text where the engine shall parse it; null where there is no memory for them. A row alone stays text: it gains nothing, and
 * where a row breaks the engine, what is said of it depends on where its memory lies, so that nothing is changed there.
 */
function makeRows(
  context: QuickJSContext,
  encoder: RowEncoder,
  given: RowLines | string,
  count: number,
  nulls = 0,
): QuickJSHandle | null {
  const encode = () => (typeof given === "string" ? encoder.encode(given, nulls) : encoder.encodeRows(given, nulls));
  const encoded = count > 1 ? encode() : null;
  if (encoded === null) return context.newString(jsonOf(given));
  const bytes = context.newArrayBuffer(encoded.buffer);
  const rows = context.decodeBinaryJSON(bytes);
  bytes.dispose();
  return context.typeof(rows) === "object" ? rows : null;
}

/** Evaluates the code as a module; returns a sentence about what is wrong with it, or null. */
function loadCode(
  context: QuickJSContext,
  code: string,
  prelude: { load: QuickJSHandle; describe: QuickJSHandle; isOverBudget(): boolean },
): string | null {
  try {
    const loaded = context.evalCode(code, "transform.js", { type: "module" });
    if (loaded.error) {
      if (prelude.isOverBudget()) return "The code runs too long while it is loaded.";
      const described = callForText(context, prelude.describe, [context.newString("thrown"), loaded.error]);
      return described === null ? "The code runs out of memory while it is loaded." : describeLoadError(described);
    }
    const kind = callForText(context, prelude.load, [loaded.value]);
    return kind === null ? "The code has no default export." : problemOfKind[kind as LoadedKind];
  } catch (error) {
    return `The code cannot be loaded: ${engineError(error).message}`;
  }
}

const problemOfKind: Record<LoadedKind, string | null> = {
  function: null,
  missing: "The code has no default export; write: export default (row) => …",
  not_function: "The default export must be a function of one row.",
  async: "The default function must not be async: there is nothing to wait for in a transform.",
  generator: "The default function must not be a generator; return the value.",
  awaits: "The code must not use await at its top level.",
};

function describeLoadError(described: string): string {
  const thrown = parseThrown(described);
  return thrown.message.startsWith("could not load module")
    ? "The code must not import anything: no module can be loaded in a transform."
    : describeThrown(thrown);
}

/** Null: the function threw, which the prelude's functions do only when the engine stops them. */
function callForText(context: QuickJSContext, target: QuickJSHandle, parameters: QuickJSHandle[]): string | null {
  const result = context.callFunction(target, context.undefined, ...parameters);
  for (const parameter of parameters) parameter.dispose();
  if (result.error) {
    result.error.dispose();
    return null;
  }
  const text = context.typeof(result.value) === "string" ? context.getString(result.value) : "";
  result.value.dispose();
  return text;
}

const noMemory = (): Thrown => parseThrown('["memory","","",""]');

/** What the host throws when the engine breaks: RangeError at the end of the stack, RuntimeError or an abort otherwise. */
function engineError(error: unknown): Thrown {
  if (error instanceof RangeError) {
    return { kind: "thrown", name: "InternalError", message: "stack overflow", stack: [], line: null, place: null };
  }
  return {
    kind: "memory",
    name: "InternalError",
    message: cutText(String(error), 200),
    stack: [],
    line: null,
    place: null,
  };
}
