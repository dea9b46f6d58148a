/** The worker process: compiles schemas, keeps those used last, and checks values against them. */
import { serveRequests } from "../worker-process-port.ts";
import { compileSchema } from "./compile-schema.ts";
import type { Compiled } from "./compile-schema.ts";
import { parseWithDigits } from "./exact-keywords.ts";
import type { WithDigits } from "./exact-keywords.ts";
import type { SchemaResponse, SchemaRequest, Verdict } from "./schema-protocol.ts";

/**
 * Characters of the schemas that are kept compiled. Runs alternate here, and each comes again with its next rows; a schema of 64 KiB
 * takes some fifteen megabytes.
 */
const MAX_KEPT_CHARACTERS = 256 * 1024;

const TOO_EXPENSIVE: Verdict = {
  kind: "limit",
  message: "The value takes the schema too long to check: make either of them simpler.",
};

const compiled = new Map<string, Compiled>();
let keptCharacters = 0;

serveRequests((request: SchemaRequest, begin): SchemaResponse => {
  const schema = compile(request.schema);
  if (schema.outcome === "refused") return { problem: schema.problem, verdicts: [] };
  const endsAt = performance.now() + request.workMs;
  const verdicts: (Verdict | null)[] = [];
  for (const [at, text] of request.values.entries()) {
    if (at > 0 && performance.now() >= endsAt) break;
    begin(at);
    verdicts.push(checkText(schema.check, text));
  }
  return { problem: null, verdicts };
});

function compile(text: string): Compiled {
  const known = compiled.get(text);
  if (known !== undefined) {
    compiled.delete(text);
    compiled.set(text, known);
    return known;
  }
  const { value, digits } = parseWithDigits(text);
  // What `schemas.ts` has made of a schema.
  const made = compileSchema(value as Record<string, unknown> | boolean, digits);
  compiled.set(text, made);
  keptCharacters += text.length;
  for (const oldest of compiled.keys()) {
    if (keptCharacters <= MAX_KEPT_CHARACTERS || oldest === text) break;
    compiled.delete(oldest);
    keptCharacters -= oldest.length;
  }
  return made;
}

function checkText(check: Extract<Compiled, { outcome: "compiled" }>["check"], text: string): Verdict | null {
  let written: WithDigits;
  try {
    written = parseWithDigits(text);
  } catch (error) {
    // To read digits takes a part of the stack for each level.
    if (error instanceof RangeError) return TOO_EXPENSIVE;
    return { kind: "not_json", message: error instanceof Error ? error.message : String(error) };
  }
  const unfit = check(written.value, written);
  if (unfit === undefined) return null;
  return unfit.kind === "mismatch" ? unfit : TOO_EXPENSIVE;
}
