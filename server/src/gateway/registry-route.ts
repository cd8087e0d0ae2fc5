import { createGunzip } from 'node:zlib';
import type { Transform } from 'node:stream';
import type { Dialer } from './dial.ts';
import type { NetworkMode } from './egress.ts';
import { answerFailure, answerText, pickHeaders, relay, type Exchange } from './forward.ts';
import { htmlLinks, jsonLinks, LinkRewriter } from './link-rewriter.ts';
import type { HostRegistries, NpmRegistries, Registry, Tool } from './registries.ts';
import { createRegistryClient, type Fetched } from './registry-fetch.ts';
import { createFileLinks, type FileLinks } from './registry-files.ts';
import type { GatewayEvent } from './session.ts';
import { trimEndOf } from '../lib/trim.ts';

export interface RegistryRoute {
  /** Whether a path belongs here: `/npm/…`, `/pip/…`, or a tarball that npm looks for at the root of its registry's host. */
  serves(pathname: string): boolean;
  serve(exchange: Exchange, url: URL, session: RegistryPolicy): Promise<void>;
  close(): void;
}

export interface RegistryPolicy {
  readonly network: NetworkMode;
  event(event: GatewayEvent): void;
}

/** What is asked of a registry, and how the links in its answer are to change. */
interface Wanted {
  readonly registry: Registry;
  readonly url: URL;
  rewriter?(contentType: string, page: URL): LinkRewriter | undefined;
}

export function createRegistryRoute(options: {
  dialer: Dialer;
  registries: (wanted: readonly Tool[]) => Promise<HostRegistries>;
}): RegistryRoute {
  const client = createRegistryClient(options.dialer);
  const links = createFileLinks();
  return {
    serves: (pathname) => /^\/(?:npm|pip)\//.test(pathname) || tarballIn(pathname) !== undefined,
    close: () => client.close(),
    async serve(exchange, url, session) {
      const { request, response } = exchange;
      const refuse = (status: number, message: string): void => {
        session.event({ kind: 'refused', reason: 'registry', target: url.pathname.slice(0, 300), message });
        answerText(response, status, message, { 'x-guildhall-refused': 'registry' });
      };
      if (session.network === 'none')
        return refuse(403, 'Package registries are not reachable: this sandbox has no network.');
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return refuse(405, 'Package registries are read only here.');
      const tool = url.pathname.startsWith('/pip/') ? 'pip' : 'npm';
      const registries = await options.registries([tool]);
      const wanted = find(registries, links, url, baseUrlOf(exchange), request.headers['user-agent'] ?? '');
      const problem = registries.unread?.[tool];
      // A status at which package managers try again: by then it may be read.
      if (wanted === undefined && problem !== undefined)
        return refuse(503, `The package registries of this host are not known: ${problem}`);
      if (wanted === undefined) return refuse(404, 'No package registry of this host serves this path.');
      try {
        const headers = {
          ...pickHeaders(request.headers, requestHeaders),
          'accept-encoding': wanted.rewriter === undefined ? (request.headers['accept-encoding'] ?? '') : 'gzip',
        };
        await answer(exchange, wanted, await client.fetch(exchange, wanted.registry, wanted.url, headers));
      } catch (error) {
        answerFailure(response, error, 'The package registry');
      }
    },
  };
}

const requestHeaders = ['accept', 'if-modified-since', 'if-none-match', 'range', 'user-agent'];
const pageHeaders = ['cache-control', 'content-type', 'etag', 'last-modified', 'vary'];
const fileHeaders = [...pageHeaders, 'accept-ranges', 'content-encoding', 'content-length', 'content-range'];

async function answer(exchange: Exchange, wanted: Wanted, fetched: Fetched): Promise<void> {
  const { answer: upstream, url } = fetched;
  const status = upstream.statusCode ?? 502;
  if (status === 401 || status === 403) {
    fetched.upstream.destroy();
    const message = `The package registry refused this host's credentials, or the package (${status}).`;
    return answerText(exchange.response, 403, message);
  }
  const rewriter =
    status === 200 && exchange.request.method === 'GET'
      ? wanted.rewriter?.(upstream.headers['content-type'] ?? '', url)
      : undefined;
  if (rewriter === undefined)
    return relay(exchange, upstream, { status, headers: pickHeaders(upstream.headers, fileHeaders) });
  const zipped = /^(?:x-)?gzip$/.test(upstream.headers['content-encoding'] ?? '');
  const transforms: Transform[] = zipped ? [createGunzip(), rewriter] : [rewriter];
  return relay(exchange, upstream, { status, headers: pickHeaders(upstream.headers, pageHeaders) }, transforms);
}

/** The gateway as the sandbox names it: what it dialled. */
function baseUrlOf({ request }: Exchange): string {
  const host = request.headers.host ?? '';
  return `http://${/^[\w.[\]:-]{1,255}$/.test(host) ? host : 'localhost'}`;
}

function find(
  registries: HostRegistries,
  links: FileLinks,
  url: URL,
  base: string,
  userAgent: string,
): Wanted | undefined {
  const { pathname, search } = url;
  const { npm, pip } = registries;
  if (/^\/(?:npm|pip)\/-files\//.test(pathname)) {
    const file = links.file(pathname, search);
    if (file === undefined) return undefined;
    const candidates = pathname.startsWith('/npm/') ? [npm?.main, ...(npm?.scopes.values() ?? [])] : [pip];
    const registry = candidates.find((candidate) => candidate?.url.origin === file.origin) ?? candidates[0];
    return registry === undefined ? undefined : { registry, url: file };
  }
  if (pathname.startsWith('/pip/')) return pip === undefined ? undefined : findPip(pip, links, pathname, base);
  return npm === undefined ? undefined : findNpm(npm, links, url, base, userAgent);
}

function findPip(registry: Registry, links: FileLinks, pathname: string, base: string): Wanted | undefined {
  const project = /^\/pip\/simple\/([A-Za-z0-9][A-Za-z0-9._-]*)\/?$/.exec(pathname)?.[1];
  if (project === undefined) return undefined;
  return {
    registry,
    url: below(registry, `${project}/`),
    rewriter(contentType, page) {
      const toFile = (link: string): string => {
        const file = URL.parse(link, page.href);
        return file === null || !isWeb(file) ? link : `${base}${links.path('pip', file)}`;
      };
      if (contentType.includes('json')) return new LinkRewriter(jsonLinks('url'), (link) => toFile(unescapeJson(link)));
      return contentType.includes('html')
        ? new LinkRewriter(htmlLinks, (link) => toFile(link.replaceAll('&amp;', '&')).replaceAll('&', '&amp;'))
        : undefined;
    },
  };
}

/** Packages and their versions, tarballs, and the few questions about packages; never the account behind the token. */
const npmPackage = /^(?:@[^/%.][^/%]*(?:\/|%2f))?[^/@%.-][^/%]*(?:\/[^/%]+)?$/i;
const npmQuestion = /^-\/(?:v1\/search|ping|package\/(?:@[^/%.][^/%]*(?:\/|%2f))?[^/@%.-][^/%]*\/dist-tags)$/i;

function findNpm(npm: NpmRegistries, links: FileLinks, url: URL, base: string, userAgent: string): Wanted | undefined {
  const { pathname } = url;
  const tarball = tarballIn(pathname);
  const rest = tarball ?? (pathname.startsWith('/npm/') ? pathname.slice('/npm/'.length) : '');
  if (tarball === undefined && !npmPackage.test(rest) && !npmQuestion.test(rest)) return undefined;
  const scope = /(?:^|\/)(@[^/%]+)(?:\/|%2f)/i.exec(rest)?.[1];
  const registry = (scope === undefined ? undefined : npm.scopes.get(scope)) ?? npm.main;
  const target = below(registry, rest);
  if (tarball !== undefined) return { registry, url: target };
  target.search = url.search;
  // npm leads the registry's own tarballs back by itself and records their true address in its lockfile.
  const keepOwn = registry === npm.main && userAgent.startsWith('npm/');
  return {
    registry,
    url: target,
    rewriter(contentType) {
      if (!contentType.includes('json')) return undefined;
      return new LinkRewriter(jsonLinks('tarball'), (link) => {
        const file = URL.parse(unescapeJson(link));
        if (file === null || !isWeb(file)) return link;
        const conventional = ownTarball(registry, file);
        if (conventional === undefined) return `${base}${links.path('npm', file)}`;
        return keepOwn ? link : `${base}/npm/${conventional}`;
      });
    },
  };
}

/** `name/-/name-1.0.0.tgz` or `@scope/name/-/…` at the end of a path. */
function tarballIn(pathname: string): string | undefined {
  const path = pathname.replaceAll(/%2f/gi, '/').replaceAll(/%40/g, '@');
  const scoped = /\/(@[^/%.][^/%]*\/[^/%.][^/%]*\/-\/(?:@[^/%.][^/%]*\/)?[^/%.][^/%]*\.tgz)$/.exec(path);
  return (scoped ?? /\/([^/@%.-][^/%]*\/-\/[^/%.][^/%]*\.tgz)$/.exec(path))?.[1];
}

function ownTarball(registry: Registry, file: URL): string | undefined {
  const tarball = tarballIn(file.pathname);
  return tarball !== undefined && file.search === '' && below(registry, tarball).href === file.href
    ? tarball
    : undefined;
}

function below(registry: Registry, path: string): URL {
  const url = new URL(registry.url);
  url.pathname = `${trimEndOf(registry.url.pathname, '/')}/${path}`;
  return url;
}

function isWeb(url: URL): boolean {
  return url.protocol === 'https:' || url.protocol === 'http:';
}

function unescapeJson(text: string): string {
  try {
    const value: unknown = JSON.parse(`"${text}"`);
    return typeof value === 'string' ? value : text;
  } catch {
    return text;
  }
}
