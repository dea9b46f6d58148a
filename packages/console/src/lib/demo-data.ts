/** Reviews of a shop that does not exist, for people who want to see a run before they have a file of their own. The same at each use. */

const PRODUCTS = [
  "Trail backpack",
  "Enamel mug",
  "Wool blanket",
  "Headlamp",
  "Folding chair",
  "Rain jacket",
  "Camp stove",
];
const COUNTRIES = ["DE", "FR", "US", "JP", "BR"];
const OPINIONS: readonly (readonly [rating: number, text: string])[] = [
  [5, "Arrived a day early, and everything was in the box. I would buy it again."],
  [1, "It broke after a week, and support took nine days to reply."],
  [3, "It does what it says. Nothing more, nothing less."],
  [4, "Well made, but the color is darker than in the picture."],
  [2, "Too expensive for what it can do. I sent it back."],
  [5, "A present for my sister, who uses it every day."],
  [1, "The parcel was open when it came, and one part was missing."],
  [4, "Light and warm. The zipper could be better."],
];
/** Enough for a table to scroll, few enough to be done in a moment. */
const ROWS = 200;

export function demoFile(): File {
  const lines = Array.from({ length: ROWS }, (_, i) => {
    const [rating, text] = OPINIONS[(i * 5 + (i >> 3)) % OPINIONS.length] ?? [0, ""];
    const day = new Date(Date.UTC(2026, 8, 1) + i * 7 * 3_600_000).toISOString().slice(0, 10);
    return `${1000 + i},${PRODUCTS[i % PRODUCTS.length] ?? ""},${rating},"${text}",${COUNTRIES[(i * 3) % COUNTRIES.length] ?? ""},${day}`;
  });
  return new File([["id,product,rating,review,country,date", ...lines, ""].join("\n")], "Demo reviews.csv", {
    type: "text/csv",
  });
}
