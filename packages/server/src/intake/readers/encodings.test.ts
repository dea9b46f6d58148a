import { expect, test } from "vitest";
import { readContent } from "./readers-testing.ts";

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
