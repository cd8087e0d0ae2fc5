/** The most that a memory note may hold, in bytes of UTF-8. */
export const mostBytes = 245_760;

/** Returns the length of a text as the API counts it: without space around it, in bytes of UTF-8. */
export function sizeOf(text: string): number {
  return new TextEncoder().encode(text.trim()).length;
}

/** Returns a size in words: `980 bytes`, `12.4 KiB`. */
export function sizeWords(bytes: number): string {
  if (bytes < 1_024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return `${(bytes / 1_024).toFixed(bytes < 10_240 ? 1 : 0)} KiB`;
}
