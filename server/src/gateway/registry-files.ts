import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Makes links to files that a registry's pages name, on whatever host, and reads them again. A link carries a code that
 * only this process can make, so nothing but what a page named can be asked for.
 */
export interface FileLinks {
  /** A path below the gateway's base URL; the fragment (a checksum) is kept. */
  path(tool: 'npm' | 'pip', file: URL): string;
  /** The file behind a path of {@link path}, also with `.metadata` (PEP 658) after it; undefined for any other. */
  file(pathname: string, search: string): URL | undefined;
}

export function createFileLinks(): FileLinks {
  const key = randomBytes(32);
  const code = (tool: string, file: string): Buffer =>
    createHmac('sha256', key).update(`${tool} ${file}`).digest().subarray(0, 16);
  return {
    path(tool, file) {
      const scheme = file.protocol.slice(0, -1);
      const signature = code(tool, plain(file)).toString('base64url');
      return `/${tool}/-files/${signature}/${scheme}/${file.host}${file.pathname}${file.search}${file.hash}`;
    },
    file(pathname, search) {
      const match = /^\/(npm|pip)\/-files\/([\w-]{22})\/(https?)\/([^/]+)(\/.*)$/.exec(pathname);
      if (match === null) return undefined;
      const [, tool = '', signature = '', scheme = '', host = '', path = ''] = match;
      const file = URL.parse(`${scheme}://${unquoted(host)}${path}${search}`);
      if (file === null) return undefined;
      const given = Buffer.from(signature, 'base64url');
      const known = [file, withoutSuffix(file, '.metadata')].some(
        (candidate) => given.length === 16 && timingSafeEqual(given, code(tool, plain(candidate))),
      );
      return known ? file : undefined;
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
