import { execFileSync } from "node:child_process";
import { afterAll, expect, test, vi } from "vitest";

vi.stubGlobal("document", { baseURI: "http://127.0.0.1:8080/" });
// Files share a process: CodeMirror takes whatever has this name for the document of a browser.
afterAll(() => void vi.unstubAllGlobals());
const { curlOf } = await import("./request.ts");

test("a command line makes its key from what each machine has", () => {
  const command = curlOf({ method: "POST", path: "v1/runs", body: { name: "it's" }, typescript: "" });
  // In place of curl, its words are printed.
  const words = execFileSync("sh", ["-c", `curl() { printf '%s\\n' "$@"; }\n${command}`], {
    env: { PATH: "/usr/bin:/bin", ROWMILL_API_KEY: "rmk_1" },
    encoding: "utf8",
  });
  expect(words).toMatch(/^Idempotency-Key: [0-9a-f]{32}$/m);
  expect(words).toContain(`{"name":"it's"}`);
  expect(command).not.toContain("uuidgen");
});
