/** The least that a service does for a request: a route of Fastify with one prepared query by the key of a table. */
import fastify from "fastify";
import type { AddressInfo } from "node:net";
import { Pool } from "pg";

const pool = new Pool({ connectionString: process.env["DATABASE_URL"], max: 4 });
const app = fastify();
app.get<{ Params: { organization: string; id: string } }>("/runs/:organization/:id", async ({ params }) => {
  const { rows } = await pool.query<Record<string, unknown>>({
    name: "find_run",
    text: "select * from runs where organization_id = $1 and id = $2",
    values: [params.organization, params.id],
  });
  return rows[0];
});
await app.listen({ host: "127.0.0.1", port: 0 });
process.send?.((app.server.address() as AddressInfo).port); // it listens on TCP
process.once("disconnect", () => process.exit());
