export const kib = 1_024;
export const mib = 1_024 * kib;
/** Harmless text. */
export const prose = 'The quick brown fox jumps over the lazy dog. It does so every day of the year.\n';
export const repeated = (text: string, size: number): string =>
  text.repeat(Math.ceil(size / text.length)).slice(0, size);

/** Shares content with the client's thread. Its copy would be measured as the server's work. */
export function shared(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  const memory = Buffer.from(new SharedArrayBuffer(bytes.length));
  memory.set(bytes);
  return memory;
}
