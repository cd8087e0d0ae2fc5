import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Registry, Tool } from './registries.ts';

/**
 * Makes links to files that a registry's pages name, on whatever host, and reads them again. A link carries a code that
 * only this process can make, so nothing but what a page named can be asked for.
 */
export interface FileLinks {
  /** A path below the gateway's base URL; the fragment (a checksum) is kept. */
  path(tool: Tool, registry: Registry, file: URL): string;
  /**
   * The file behind a path of {@link path}, also with `.metadata` (PEP 658) after it, and which of `registries`, those
   * of its tool, named it; undefined for any other.
   */
  file(
    pathname: string,
    search: string,
    registries: readonly Registry[],
  ): { registry: Registry; file: URL } | undefined;
}

export function createFileLinks(): FileLinks {
  // Bytes would be made into a key anew for every link, which costs several times the rest.
  const key = createSecretKey(randomBytes(32));
  const code = (tool: string, registry: Registry, file: string): Buffer =>
    createHmac('sha256', key).update(`${tool} ${registry.url.href} ${file}`).digest().subarray(0, 16);
  return {
    path(tool, registry, file) {
      const scheme = file.protocol.slice(0, -1);
      const signature = code(tool, registry, plain(file)).toString('base64url');
      return `/${tool}/-files/${signature}/${scheme}/${file.host}${file.pathname}${file.search}${file.hash}`;
    },
    file(pathname, search, registries) {
      const match = /^\/(npm|pip)\/-files\/([\w-]{22})\/(https?)\/([^/]+)(\/.*)$/.exec(pathname);
      if (match === null) return undefined;
      const [, tool = '', signature = '', scheme = '', host = '', path = ''] = match;
      const file = URL.parse(`${scheme}://${unquoted(host)}${path}${search}`);
      if (file === null) return undefined;
      const given = Buffer.from(signature, 'base64url');
      const spellings = [file, withoutSuffix(file, '.metadata')].map(plain);
      const registry = registries.find((candidate) =>
        spellings.some((spelling) => given.length === 16 && timingSafeEqual(given, code(tool, candidate, spelling))),
      );
      return registry === undefined ? undefined : { registry, file };
    },
  };
}

/** Clients quote a path anew before they ask for it, so it is compared unquoted. */
function plain(file: URL): string {
  return JSON.stringify([file.protocol, file.host, unquoted(file.pathname), unquoted(file.search)]);
}

function unquoted(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withoutSuffix(file: URL, suffix: string): URL {
  const stripped = new URL(file);
  if (stripped.pathname.endsWith(suffix)) stripped.pathname = stripped.pathname.slice(0, -suffix.length);
  return stripped;
}
