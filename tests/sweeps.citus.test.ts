/** What a worker does by itself on a Citus cluster. `npm run test:citus`, and a step of `npm test` where Citus is installed. */
import { randomBytes } from "node:crypto";
import { beforeAll } from "vitest";
import { addCitus, distribute, newClusterDatabase } from "@rowmill/server/testing/citus";
import { startTestService } from "@rowmill/server/testing/service";
import { describeSweeps } from "./support/cluster/sweeps.ts";

const ROWMILL_ENCRYPTION_KEY = randomBytes(32).toString("base64");

let url: string;
beforeAll(async () => {
  const cluster = await newClusterDatabase();
  ({ url } = cluster);
  await addCitus(cluster);
  await (await startTestService({ ROWMILL_DATABASE_URL: url, ROWMILL_ENCRYPTION_KEY })).stop();
  await distribute(url);
});

describeSweeps(() => url, ROWMILL_ENCRYPTION_KEY);
