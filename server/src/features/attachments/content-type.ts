/** The number of bytes at the start of a file that determine its type. */
export const sniffedBytes = 4_100;

/**
 * Returns the media type by the first bytes, not by the name: a known binary format, UTF-8 text, or just bytes. Text is
 * always `text/plain`, so that nothing is served that a browser would run.
 */
export async function contentTypeOf(head: Buffer): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type');
  const known = await fileTypeFromBuffer(head);
  if (known !== undefined) return known.mime;
  return isText(head) ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}

function isText(head: Buffer): boolean {
  try {
    // The last character may be truncated.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: head.length >= sniffedBytes });
    // oxlint-disable-next-line no-control-regex -- control characters are what tells bytes from text
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text);
  } catch {
    return false;
  }
}
