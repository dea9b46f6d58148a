/** What happens to a row: a label, the postal region, the distance to the capital. The first version forgot the territories. */

const REGIONS: Record<string, string> = {
  Northeast: "CT ME MA NH RI VT NJ NY PA",
  Midwest: "IL IN MI OH WI IA KS MN MO NE ND SD",
  South: "DE FL GA MD NC SC VA DC WV AL KY MS TN AR LA OK TX",
  West: "AZ CO ID MT NV NM UT WY AK CA HI OR WA",
};
const TERRITORIES = "PR VI GU AS MP FM MH PW";

export const firstVersion = code(REGIONS);
export const correctedVersion = code({ ...REGIONS, Territories: TERRITORIES });

export const outputSchema = {
  type: "object",
  required: ["label", "region", "kmToCapital"],
  properties: {
    label: { type: "string", pattern: "^[^,]+, [A-Z]{2} [0-9]{5}$" },
    region: { enum: [...Object.keys(REGIONS), "Territories"] },
    kmToCapital: { type: "integer", minimum: 0 },
    airport: { type: ["string", "null"] },
  },
};

function code(regions: Record<string, string>): string {
  return `
const regions = ${JSON.stringify(regions)};
const regionOf = new Map(Object.entries(regions).flatMap(([name, states]) => states.split(" ").map((state) => [state, name])));

function kilometres(latitude, longitude) {
  const radians = Math.PI / 180, capital = { latitude: 38.9072, longitude: -77.0369 };
  const a = Math.sin(((latitude - capital.latitude) * radians) / 2) ** 2
    + Math.cos(latitude * radians) * Math.cos(capital.latitude * radians) * Math.sin(((longitude - capital.longitude) * radians) / 2) ** 2;
  return Math.round(2 * 6371 * Math.asin(Math.sqrt(a)));
}

export default (row) => {
  const region = regionOf.get(row.state);
  if (region === undefined) throw new Error("no region for the state " + row.state);
  return {
    label: row.city + ", " + row.state + " " + row.zip_code,
    region,
    kmToCapital: kilometres(Number(row.latitude), Number(row.longitude)),
    airport: row.airport_code,
  };
};
`;
}
