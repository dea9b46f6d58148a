/**
 * The checks of signatures that the console shows, in the languages that are on this machine: each accepts what is genuine, and nothing
 * else.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newSigningSecret } from "@rowmill/server/resources/webhook-endpoints/signing";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { readEvent } from "../../packages/console/src/screens/webhooks/recipes/verify.ts";
import { canRun } from "../support/receivers.ts";
import { forgedDeliveries, genuineDeliveries } from "../support/signed-deliveries.ts";

const recipes = join(import.meta.dirname, "../../packages/console/src/screens/webhooks/recipes");
const scratch = mkdtempSync(join(tmpdir(), "rowmill-recipes-"));
cleanUpLater(async () => rmSync(scratch, { recursive: true, force: true }));
/** The first compilation of Go takes long. */
const COMPILE_TIMEOUT_MS = 240_000;

const secret = newSigningSecret();
const cases = [
  ...forgedDeliveries(secret).map(([name, delivery]) => ({ name, delivery, isGenuine: false })),
  ...genuineDeliveries(secret).map((delivery) => ({ name: "genuine", delivery, isGenuine: true })),
];
const expected = cases.map(({ name, isGenuine }) => [name, isGenuine]);

/** A line for each case: id, timestamp, signature and body, in base64. */
const lines = cases
  .map(({ delivery: { headers, body } }) =>
    [headers["webhook-id"], headers["webhook-timestamp"], headers["webhook-signature"], body]
      .map((text = "") => Buffer.from(text).toString("base64"))
      .join("\t"),
  )
  .join("\n");

function verdictsOf(command: string, args: string[], cwd = scratch): unknown[] {
  const output = execFileSync(command, args, {
    cwd,
    input: lines,
    encoding: "utf8",
    env: { ...process.env, SECRET: secret },
  });
  return output
    .trim()
    .split("\n")
    .map((line, i) => [cases[i]?.name, line.trim().toLowerCase() === "true"]);
}

test("TypeScript", async () => {
  const verdicts: unknown[] = [];
  for (const { name, delivery } of cases)
    verdicts.push([
      name,
      await readEvent(new Headers(delivery.headers), delivery.body, secret).then(
        () => true,
        () => false,
      ),
    ]);
  expect(verdicts).toEqual(expected);
});

const PYTHON = `
import base64, os, sys
sys.path.insert(0, ${JSON.stringify(recipes)})
sys.dont_write_bytecode = True
from verify import is_genuine
for line in sys.stdin.read().split("\\n"):
    id, timestamp, signature, body = [base64.b64decode(part) for part in line.split("\\t")]
    headers = {"webhook-id": id.decode(), "webhook-timestamp": timestamp.decode(), "webhook-signature": signature.decode()}
    print(is_genuine(headers, body, os.environ["SECRET"]))
`;
const hasPython = canRun("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))");
test.skipIf(!hasPython)(hasPython ? "Python" : "Python (skipped: no python3 here)", () => {
  expect(verdictsOf("python3", ["-c", PYTHON])).toEqual(expected);
});

const JAVA = `
class Main {
    public static void main(String[] args) throws Exception {
        for (String line : new String(System.in.readAllBytes(), StandardCharsets.UTF_8).split("\\n")) {
            String[] parts = line.split("\\t", -1);
            byte[][] bytes = new byte[4][];
            for (int i = 0; i < 4; i++) bytes[i] = Base64.getDecoder().decode(parts[i]);
            Map<String, String> headers = Map.of(
                "webhook-id", new String(bytes[0]), "webhook-timestamp", new String(bytes[1]), "webhook-signature", new String(bytes[2]));
            System.out.println(Verify.isGenuine(headers, bytes[3], System.getenv("SECRET")));
        }
    }
}
`;
const hasJava = canRun("java", "--version");
test.skipIf(!hasJava)(
  hasJava ? "Java" : "Java (skipped: no java here)",
  () => {
    // A single file is run as it is, from its first class.
    const file = join(scratch, "Main.java");
    writeFileSync(
      file,
      readFileSync(join(recipes, "Verify.java"), "utf8").replace("\nclass Verify", `${JAVA}\nclass Verify`),
    );
    expect(verdictsOf("java", [file])).toEqual(expected);
  },
  COMPILE_TIMEOUT_MS,
);

const GO = `package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"recipe/webhooks"
	"strings"
)

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		var parts [4]string
		for i, part := range strings.Split(scanner.Text(), "\\t") {
			bytes, _ := base64.StdEncoding.DecodeString(part)
			parts[i] = string(bytes)
		}
		header := http.Header{}
		header.Set("webhook-id", parts[0])
		header.Set("webhook-timestamp", parts[1])
		header.Set("webhook-signature", parts[2])
		fmt.Println(webhooks.IsGenuine(header, []byte(parts[3]), os.Getenv("SECRET")))
	}
}
`;
const hasGo = canRun("go", "version");
test.skipIf(!hasGo)(
  hasGo ? "Go" : "Go (skipped: no go here)",
  () => {
    const folder = join(scratch, "go");
    mkdirSync(join(folder, "webhooks"), { recursive: true });
    cpSync(join(recipes, "verify.go"), join(folder, "webhooks", "verify.go"));
    writeFileSync(join(folder, "go.mod"), "module recipe\n\ngo 1.20\n");
    writeFileSync(join(folder, "main.go"), GO);
    expect(verdictsOf("go", ["run", "."], folder)).toEqual(expected);
  },
  COMPILE_TIMEOUT_MS,
);

const RUBY = `
STDIN.each_line(chomp: true) do |line|
  id, timestamp, signature, body = line.split("\\t", -1).map { |part| Base64.decode64(part) }
  puts genuine?({ "webhook-id" => id, "webhook-timestamp" => timestamp, "webhook-signature" => signature }, body, ENV["SECRET"])
end
`;
const hasRuby = canRun("ruby", "-e", "OpenSSL.method(:secure_compare)", "-ropenssl");
test.skipIf(!hasRuby)(hasRuby ? "Ruby" : "Ruby (skipped: no ruby here)", () => {
  expect(verdictsOf("ruby", ["-r", join(recipes, "verify.rb"), "-e", RUBY])).toEqual(expected);
});
