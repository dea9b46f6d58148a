/** Changes that a menu, a key or the palette begins: nothing on the screen shows that they are under way, but for the line of the frame. */
export const UNSEEN = { isUnseen: true };
export const isUnseen = ({ meta }: { meta?: Record<string, unknown> | undefined }): boolean =>
  meta?.["isUnseen"] === true;
