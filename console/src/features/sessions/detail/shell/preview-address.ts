/** Returns the address of a preview; `path` is one at the server in the sandbox. */
export function previewAddress(org: string, id: string, port: number, path: string): string {
  const base = `/v3/organizations/${encodeURIComponent(org)}/sessions/${encodeURIComponent(id)}/preview/${port}`;
  // `..` stays below the port.
  const { pathname, search, hash } = new URL(`http://localhost/${path.replace(/^\/+/, '')}`);
  return `${base}${pathname}${search}${hash}`;
}
