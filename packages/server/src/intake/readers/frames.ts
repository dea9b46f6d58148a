/**
 * What the reader process says to its parent over one pipe, as frames: a header of fixed size, then a payload.
 *
 *     type 1 byte · rows uint32 · bytes read, double · payload length uint32 · payload
 *
 * `opened` comes first and names the format as JSON; `rows` frames carry a chunk of rows as it is stored (none: only
 * progress); `void` says that the rows of all frames before do not count; `summary`, `rejected` and `failed` carry JSON
 * and are the last frame. A pipe that ends without one of these three, or within a frame, means that the process died.
 */

const FRAME_HEADER_BYTES = 17;

/** A frame of rows is cut at 1 MiB plus one row, and a row grows at most to the row limit; anything larger is a broken pipe. */
const MAX_PAYLOAD_BYTES = 1 << 30;

export const frameTypes = ["opened", "rows", "void", "summary", "rejected", "failed"] as const;
export type FrameType = (typeof frameTypes)[number];

export interface Frame {
  type: FrameType;
  rowCount: number;
  bytesRead: number;
  payload: Buffer;
}

export function encodeRows(rowCount: number, bytesRead: number, body: Buffer): Buffer {
  return encode("rows", rowCount, bytesRead, body);
}

export const encodeVoid = (bytesRead: number): Buffer => encode("void", 0, bytesRead, Buffer.alloc(0));

export function encodeFrame(type: Exclude<FrameType, "rows" | "void">, content: unknown): Buffer {
  return encode(type, 0, 0, Buffer.from(JSON.stringify(content)));
}

function encode(type: FrameType, rowCount: number, bytesRead: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.writeUInt8(frameTypes.indexOf(type), 0);
  header.writeUInt32BE(rowCount, 1);
  header.writeDoubleBE(bytesRead, 5);
  header.writeUInt32BE(payload.length, 13);
  return Buffer.concat([header, payload]);
}

export async function* decodeFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let neededBytes = FRAME_HEADER_BYTES;
  for await (const chunk of chunks) {
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes < neededBytes) continue;
    let bytes = pending.length === 1 ? chunk : Buffer.concat(pending);
    for (;;) {
      const frameBytes = frameLength(bytes);
      neededBytes = frameBytes ?? FRAME_HEADER_BYTES;
      if (frameBytes === undefined || bytes.length < frameBytes) break;
      yield decodeFrame(bytes.subarray(0, frameBytes));
      bytes = bytes.subarray(frameBytes);
    }
    pending = bytes.length > 0 ? [bytes] : [];
    pendingBytes = bytes.length;
  }
}

function frameLength(bytes: Buffer): number | undefined {
  if (bytes.length < FRAME_HEADER_BYTES) return undefined;
  const payloadBytes = bytes.readUInt32BE(13);
  if (payloadBytes > MAX_PAYLOAD_BYTES) throw new Error("the reader process sent a frame of impossible size");
  return FRAME_HEADER_BYTES + payloadBytes;
}

function decodeFrame(bytes: Buffer): Frame {
  const type = frameTypes[bytes.readUInt8(0)];
  if (type === undefined) throw new Error("the reader process sent a frame of unknown type");
  return {
    type,
    rowCount: bytes.readUInt32BE(1),
    bytesRead: bytes.readDoubleBE(5),
    payload: bytes.subarray(FRAME_HEADER_BYTES),
  };
}
