import { expect, test } from "vitest";
import { readContent, rejectionOf } from "./readers-testing.ts";

const scripts = {
  ru: { id: 1, имя: "Иван Петров", город: "Москва", сумма: "1500,50" },
  ar: { id: 1, الاسم: "محمد أحمد", المدينة: "القاهرة", المبلغ: "1500,50" },
  th: { id: 1, ชื่อ: "สมชาย ใจดี", เมือง: "กรุงเทพ", ยอด: "1500,50" },
  hi: { id: 1, नाम: "राम कुमार", शहर: "दिल्ली", राशि: "1500,50" },
};

test.each(
  Object.entries(scripts).flatMap(([script, row]) =>
    (["low", "high"] as const).flatMap((first) =>
      ([undefined, "utf-16"] as const).map((encoding) => ({ script, row, first, encoding })),
    ),
  ),
)(
  "UTF-16 without a mark, $first byte first, is read with the script $script and the encoding $encoding",
  async ({ row, first, encoding }) => {
    const table = `${Object.keys(row).join(";")}\r\n${Object.values(row).join(";")}\r\n`;
    const content = Buffer.from(table, "utf16le");
    if (first === "high") content.swap16();
    const { rows, summary } = await readContent(content, encoding === undefined ? {} : { csv: { encoding } });
    expect(summary.format).toBe("csv");
    expect(rows).toEqual([row]);
  },
);

test.each([
  ["with a control character in a cell", "a,b\nимя,x\u0001y\n", { a: "имя", b: "x\u0001y" }],
  ["with hardly a character of ASCII", `а\n${"слово".repeat(50)}\n`, { а: "слово".repeat(50) }],
  ["of three characters", "а\nя", { а: "я" }],
  ["with characters whose low byte is 0", "一\n一一一一一\n", { 一: "一一一一一" }],
] as const)("text %s is read in both orders of bytes where UTF-16 is declared", async (_what, table, row) => {
  for (const content of [Buffer.from(table, "utf16le"), Buffer.from(table, "utf16le").swap16()]) {
    expect((await readContent(content, { format: "csv", csv: { encoding: "utf-16" } })).rows).toEqual([row]);
  }
});

test("a row in another encoding behind rows in UTF-8 is named as one to correct: read otherwise, those would be spoiled", async () => {
  const latin = Buffer.from("2,Z\u00FCrich\n", "latin1");
  for (const between of ["", "3,plain\n".repeat(100_000)]) {
    const content = Buffer.concat([Buffer.from(`id,city\n1,Z\u00FCrich\n${between}`), latin, Buffer.from("4,x\n")]);
    const refused = await rejectionOf(content, { format: "csv" });
    expect(refused.errors.map(({ code, message }) => [code, message])).toEqual([
      [
        "encoding_error",
        "The text is not UTF-8: byte 4 of the row is 0xFC. Rows before it are UTF-8, so the file has two encodings: correct this row.",
      ],
    ]);
  }
});
