/**
 * Compiles the engine. Its package is built for size (`-Oz`): a row passes through hundreds of calls to small functions, which V8's
 * optimizing compiler inlines where it is allowed to. With V8's own limits it leaves out most of them.
 */
import { readFile } from "node:fs/promises";
import { setFlagsFromString } from "node:v8";

export const COMPILER_FLAGS = [
  // A row of 250 bytes takes a fifth less time than with V8's limits (500, 3, 5,000 and 50); larger values gain no more, and a last one of
  // 3,000 makes the compiler work a quarter longer, beside the rows, for nothing.
  "--wasm-inlining-max-size=2000",
  "--wasm-inlining-factor=10",
  "--wasm-inlining-budget=20000",
  "--wasm-inlining-min-budget=1000",
  // About how many bytes of a function run before it is compiled for speed. With V8's 13,000,000 that went on for 40,000 rows of 250 bytes, and
  // a smaller run was slow until its end. The compiler works no longer in all, but code that computes a few rows costs a process 0.05 s more.
  "--wasm-tiering-budget=300000",
];

/** Threads of a process share what is compiled. */
export async function compileEngine(): Promise<WebAssembly.Module> {
  const bytes = await readFile(new URL(import.meta.resolve("@jitl/quickjs-wasmfile-release-sync/wasm")));
  // The flags are those of the process. They change nothing but the code that V8 makes of WebAssembly.
  for (const flag of COMPILER_FLAGS) setFlagsFromString(flag);
  return WebAssembly.compile(bytes);
}
