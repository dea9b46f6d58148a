/** What a checkout serves at `/` and `/guide` is built from its sources, as `npm start` does it. A package has it built. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Problem } from "../frame/problem.ts";

/** Paths from the root of the checkout. Each does nothing where nothing has changed. */
export const BUILDERS = ["packages/console/build.ts", "tools/docs/site/build.ts"];

/** Null in an installed package, and where tests start modules that were made of the sources. */
const CHECKOUT =
  process.argv[1]?.endsWith(".ts") === true ? fileURLToPath(new URL("../../../../", import.meta.url)) : null;

/** Before the service starts: it reads at its start which pages there are. */
export async function buildPages(root: string | null = CHECKOUT): Promise<void> {
  if (root === null) return;
  for (const builder of BUILDERS) {
    // Their notes go beside the output of the command.
    const child = spawn(process.execPath, [builder], { cwd: root, stdio: ["ignore", 2, 2] });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0)
      throw new Problem(
        `The pages that the service serves could not be built: ${builder} ended with ${code === null ? "a signal" : `code ${code}`}.`,
        "Correct what it reports above, or run `npm install` in the checkout again.",
        { code: "service_not_started" },
      );
  }
}
