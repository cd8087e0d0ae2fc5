import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Registry, Tool } from './registries.ts';

/**
 * Creates links to the files that a registry's pages name, on any host, and resolves them again. Links are signed with a key of
 * this process, so only files that a page named can be requested.
 */
export interface FileLinks {
  /** Returns a path below the gateway's base URL; keeps the fragment (a checksum). */
  path(tool: Tool, registry: Registry, file: URL): string;
  /**
   * Resolves a path of {@link path}, also with the suffix `.metadata` (PEP 658), to the file and the registry of `registries`
   * that named it; undefined for any other path. `registries` are those of the link's tool.
   */
  file(
    pathname: string,
    search: string,
    registries: readonly Registry[],
  ): { registry: Registry; file: URL } | undefined;
}

export function createFileLinks(): FileLinks {
  // Cached: deriving the key for every link would cost several times the rest.
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

/** Unquotes a path for comparison: clients quote it again before they request it. */
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
