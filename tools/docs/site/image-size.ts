/** Width and height of a picture, so that the page does not move while it loads. */
export interface ImageSize {
  width: number;
  height: number;
}

const PNG_SIGNATURE = "89504e470d0a1a0a";
/** Signature, length and name of the first chunk come before (PNG specification, 11.2.2). */
const PNG_WIDTH_AT = 16;

export function imageSizeOf(bytes: Buffer): ImageSize | undefined {
  if (bytes.subarray(0, 8).toString("hex") === PNG_SIGNATURE)
    return { width: bytes.readUInt32BE(PNG_WIDTH_AT), height: bytes.readUInt32BE(PNG_WIDTH_AT + 4) };
  const [, width, height] =
    /<svg[^>]*\sviewBox="[\d.-]+ [\d.-]+ ([\d.]+) ([\d.]+)"/.exec(bytes.subarray(0, 4096).toString("utf8")) ?? [];
  if (width === undefined || height === undefined) return undefined;
  return { width: Math.round(Number(width)), height: Math.round(Number(height)) };
}
