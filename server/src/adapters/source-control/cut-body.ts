/** The largest body of a comment, review or issue, in bytes. */
const maxBytes = 65_536;
/** The largest number of comments, reviews, threads or checks of one answer. */
export const maxSaid = 1_000;

/** Returns at most 64 KiB of what somebody wrote, with whole characters. */
export function cutBody(body: string): string {
  if (body.length <= maxBytes && Buffer.byteLength(body) <= maxBytes) return body;
  const bytes = Buffer.from(body.slice(0, maxBytes)).subarray(0, maxBytes);
  // The decoder keeps the beginning of a character that the end cut off.
  return new TextDecoder('utf8', { ignoreBOM: true }).decode(bytes, { stream: true });
}
