import { expect, test } from "vitest";
import { contentDispositionOf, fileNameOf } from "./file-name.ts";

const of = (name: string): string =>
  fileNameOf({ name, type: "outputs", id: "exp_01jd3v8m7qe6t9yb4c2xk5w0hz", extension: ".csv.gz" });

test.each([
  ["Customers", "Customers-outputs-k5w0hz.csv.gz"],
  ["Customers, March 2026", "Customers-March-2026-outputs-k5w0hz.csv.gz"],
  ["../../etc/passwd", "etc-passwd-outputs-k5w0hz.csv.gz"],
  ['a"b\r\nSet-Cookie: x', "a-b-Set-Cookie-x-outputs-k5w0hz.csv.gz"],
  [".hidden", "hidden-outputs-k5w0hz.csv.gz"],
  ["a\u202egpj.exe", "a-gpj.exe-outputs-k5w0hz.csv.gz"],
  ["///", "outputs-k5w0hz.csv.gz"],
  ["Kundinnen & Käufer", "Kundinnen-Käufer-outputs-k5w0hz.csv.gz"],
  ["顧客", "顧客-outputs-k5w0hz.csv.gz"],
  ["😀".repeat(3), "outputs-k5w0hz.csv.gz"],
  ["x".repeat(200), `${"x".repeat(40)}-outputs-k5w0hz.csv.gz`],
])("an export of %j is saved as %j", (name, fileName) => {
  expect(of(name)).toBe(fileName);
});

test.each([
  ["Customers.csv", 'attachment; filename="Customers.csv"'],
  ["Käufer.csv", "attachment; filename=\"Kaufer.csv\"; filename*=UTF-8''K%C3%A4ufer.csv"],
  ["顧客.csv", "attachment; filename=\"_.csv\"; filename*=UTF-8''%E9%A1%A7%E5%AE%A2.csv"],
])("the name %j is sent as %s", (name, header) => {
  expect(contentDispositionOf(name)).toBe(header);
});

test("nothing of any name needs quoting in the header", () => {
  const all = String.fromCodePoint(...Array.from({ length: 0x3000 }, (_, i) => i + 1));
  for (let i = 0; i < all.length; i += 20)
    expect(contentDispositionOf(of(all.slice(i, i + 20)))).toMatch(
      /^attachment; filename="[A-Za-z0-9._-]+"(; filename\*=UTF-8''[A-Za-z0-9._%-]+)?$/,
    );
});
