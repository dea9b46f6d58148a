/**
 * The entry of the reader process. Its job is the first line of stdin, a second one ends the growth of its file; what it has to say goes to
 * file descriptor 3 (`frames.ts`). When stdin ends, its parent is gone, and so is it.
 */
import { flushCompileCache } from "node:module";
import { createInterface } from "node:readline";
import { encodeFrame } from "./frames.ts";
import { Growth } from "./growing-file.ts";
import type { WholeFile } from "./growing-file.ts";
import { IntakeRejected } from "./intake-rejected.ts";
import { readFileOfJob } from "./read-file.ts";
import type { ReaderJob } from "./reader-types.ts";
import { writeFully } from "./row-writer.ts";

const OUTPUT = 3;

async function runJob(job: ReaderJob, growth: Growth | undefined): Promise<void> {
  // Node would do this at the end, and the parent does not wait for that.
  flushCompileCache();
  try {
    const summary = await readFileOfJob(job, growth, OUTPUT);
    writeFully(OUTPUT, encodeFrame("summary", summary));
  } catch (error) {
    if (error instanceof IntakeRejected) {
      const { code, errors, isSkippable } = error;
      writeFully(OUTPUT, encodeFrame("rejected", { code, errors, isSkippable }));
    } else {
      writeFully(OUTPUT, encodeFrame("failed", { message: error instanceof Error ? error.stack : String(error) }));
    }
  }
  process.exit(0);
}

const input = createInterface({ input: process.stdin, crlfDelay: Infinity });
let growth: Growth | undefined;
// Written by reader-process.ts: the same version of the same program.
input.once("line", (line) => {
  const job = JSON.parse(line) as ReaderJob;
  if (job.isGrowing) growth = new Growth(job.path);
  void runJob(job, growth);
  input.on("line", (next) => growth?.end(JSON.parse(next) as WholeFile));
});
input.once("close", () => process.exit(1));
