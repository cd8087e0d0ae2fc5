/** So many bytes of a file's beginning tell what it is. */
export const sniffedBytes = 4_100;

/**
 * What the content is, by its first bytes and not by its name: a known binary format, UTF-8 text, or just bytes. Text is
 * `text/plain` whatever it says, so that nothing a browser would run is ever served as such.
 */
export async function contentTypeOf(head: Buffer): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type');
  const known = await fileTypeFromBuffer(head);
  if (known !== undefined) return known.mime;
  return isText(head) ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}

function isText(head: Buffer): boolean {
  try {
    // A character may be cut at the end of what was looked at.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: head.length >= sniffedBytes });
    // oxlint-disable-next-line no-control-regex -- control characters are what tells bytes from text
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text);
  } catch {
    return false;
  }
}
