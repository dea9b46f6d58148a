/** Contents that a source sends slowly, or not at all, beside contents that are there. */
import { expect, test } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import { expectStatus } from "../testing/api.ts";
import { outsideSettings, startReceiver } from "../testing/receiver.ts";
import { startTestService } from "../testing/service.ts";
import { endedUpload, uploadFile } from "../testing/uploads.ts";
import { waitFor } from "../testing/wait.ts";

test("sources that send nothing keep no other content from being read, and are read in the end", async () => {
  const source = await startReceiver("93.184.215.14");
  const service = await startTestService(await outsideSettings(source));
  const { api } = await service.newOrganization();
  const silence = Promise.withResolvers<void>();
  source.respond({ status: 200, body: "a\n1\n", after: silence.promise });
  const fetched = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const created = await api<DatasetUpload>("POST", "/v1/dataset-uploads", {
        body: { name: "By URL", source: { type: "url", url: "https://93.184.215.14/rows.csv" } },
      });
      expectStatus(created, 201);
      return created.body.id;
    }),
  );
  await waitFor(() => source.requests.length >= 2, { what: "two contents are being fetched" });
  expect(await uploadFile(api, "a\n1\n", { format: "csv" })).toMatchObject({ state: "completed", rowsAccepted: 1 });
  const states = await Promise.all(
    fetched.map(async (id) => (await api<DatasetUpload>("GET", `/v1/dataset-uploads/${id}`)).body.state),
  );
  expect(states).toEqual(["processing", "processing", "processing"]);

  silence.resolve();
  for (const id of fetched) expect(await endedUpload(api, id)).toMatchObject({ state: "completed", rowsAccepted: 1 });
  await service.stop();
});
