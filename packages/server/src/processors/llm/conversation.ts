/** A conversation with a model, as every provider knows it. */
export type Part = { type: "text"; text: string } | ImagePart;
export type ImagePart =
  | { type: "image"; mediaType: string; url: URL; base64?: undefined }
  | { type: "image"; mediaType: string; url?: undefined; base64: string };

export interface Message {
  role: "system" | "user" | "assistant";
  parts: readonly Part[];
}
