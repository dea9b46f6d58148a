/** Resumable uploads as customers make them: with a tus client that others wrote, and with ours. */
import { createHash, randomBytes } from "node:crypto";
import { createServer, connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { Rowmill } from "@rowmill/client";
import { Upload } from "tus-js-client";
import { expect, onTestFinished, test } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import { startTestService } from "@rowmill/server/testing/service";
import { endedUpload, newUploadSession } from "@rowmill/server/testing/uploads";

const service = await startTestService();
const { api, apiKey } = await service.newOrganization();

/** Some megabytes, so that a cut falls into the middle. */
const content = Buffer.from(
  `id,text\n${Array.from({ length: 30_000 }, (_, n) => `${n},${randomBytes(60).toString("hex")}\n`).join("")}`,
);
const sha256 = createHash("sha256").update(content).digest("hex");
const pathOf = (upload: DatasetUpload): string => `/v1/dataset-uploads/${upload.id}/content/resumable`;

/** Passes everything on to the service, and cuts the first connections after so many bytes of theirs. */
async function startUnreliableNetwork(cutsAfter: number[]): Promise<{ url: string; cuts: () => number }> {
  const left = [...cutsAfter];
  const sockets = new Set<Socket>();
  const { port } = new URL(service.url);
  const server = createServer((client) => {
    const target = connect(Number(port), "127.0.0.1");
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on("error", () => undefined); // of the cut
      socket.on("close", () => {
        client.destroy();
        target.destroy();
      });
    }
    let bytes = 0;
    target.pipe(client);
    client.pipe(target);
    client.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (left[0] === undefined || bytes < left[0]) return;
      left.shift();
      client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port: own } = server.address() as AddressInfo; // of a TCP server
  return { url: `http://127.0.0.1:${own}`, cuts: () => cutsAfter.length - left.length };
}

function uploadByTus(options: Record<string, unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    new Upload(content, {
      headers: { Authorization: `Bearer ${apiKey}` },
      retryDelays: [0, 200, 400, 800, 1600, 3200],
      onSuccess: () => resolve(),
      onError: reject,
      ...options,
    }).start();
  });
}

test.each([
  ["creates", (url: string) => ({ endpoint: url })],
  ["goes on at the session's URL", (url: string) => ({ uploadUrl: url })],
  ["creates, and sends in chunks", (url: string) => ({ endpoint: url, chunkSize: 1_000_000 })],
])("a tus client that %s brings the content over a network that breaks twice", async (_what, options) => {
  const upload = await newUploadSession(api, {}, { filename: "rows.csv", sizeBytes: content.length, sha256 });
  const network = await startUnreliableNetwork([500_000, 700_000]);
  await uploadByTus(options(network.url + pathOf(upload)));
  expect(network.cuts()).toBe(2);
  expect(await endedUpload(api, upload.id)).toMatchObject({ state: "completed", rowsAccepted: 30_000 });
});

test("a tus client that asks for the length later brings the content as well", async () => {
  const upload = await newUploadSession(api, {}, { filename: "rows.csv", sha256 });
  await uploadByTus({ endpoint: service.url + pathOf(upload), uploadLengthDeferred: true, chunkSize: 1_000_000 });
  expect(await endedUpload(api, upload.id)).toMatchObject({ state: "completed", rowsAccepted: 30_000 });
});

test.each<[string, () => Blob | Uint8Array]>([
  ["bytes", () => content],
  ["a Blob", () => new Blob([content])],
])("our client goes on with %s where it was cut, and sends little twice", async (_what, make) => {
  const upload = await newUploadSession(api, {}, { filename: "rows.csv", sha256 });
  const network = await startUnreliableNetwork([900_000, 1_200_000]);
  const rowmill = new Rowmill({ apiKey, baseUrl: network.url });
  const steps: number[] = [];
  const sent = await rowmill.datasetUploads.uploadContent(upload.id, make(), {
    resumable: true,
    onProgress: ({ bytesSent, bytesTotal }) => {
      expect(bytesTotal).toBe(content.length);
      steps.push(bytesSent);
    },
  });
  expect(sent.state).not.toBe("awaiting_content");
  expect(network.cuts()).toBe(2);
  expect(steps.at(-1)).toBe(content.length);
  expect(await endedUpload(api, upload.id)).toMatchObject({ state: "completed", rowsAccepted: 30_000 });
});

test("our client says what cannot be sent resumably", async () => {
  const upload = await newUploadSession(api);
  const rowmill = new Rowmill({ apiKey, baseUrl: service.url });
  const stream = new Blob(["n\n1\n"]).stream();
  await expect(rowmill.datasetUploads.uploadContent(upload.id, stream, { resumable: true })).rejects.toThrow(TypeError);
});
