import type { Dialer } from '../net/dial.ts';
import type { NetworkMode } from '../net/egress.ts';
import { answerFailure, answerText, pickHeaders, relay, type Exchange } from '../net/forward.ts';
import { JsonLinkRewriter } from './json-link-rewriter.ts';
import { htmlLinks, LinkRewriter } from './link-rewriter.ts';
import { decodersOf } from '../net/masked-answer.ts';
import { RewriteTransform, type Rewriter } from '../net/rewrite-transform.ts';
import type { HostRegistries, NpmRegistries, Registry, Tool } from './registries.ts';
import { createRegistryClient, type Fetched } from './fetch.ts';
import { createFileLinks, type FileLinks } from './files.ts';
import { isFileLink, isNpmPage, npmPackageIn, tarballIn, type FileHosts } from './links.ts';
import type { GatewayEvent } from '../session.ts';
import { trimEndOf } from '../../lib/trim.ts';

export interface RegistryRoute {
  /** Matches `/npm/…`, `/pip/…`, and tarballs that npm requests at the root of its registry's host. */
  serves(pathname: string): boolean;
  serve(exchange: Exchange, url: URL, session: RegistryPolicy): Promise<void>;
  close(): void;
}

export interface RegistryPolicy {
  readonly network: NetworkMode;
  event(event: GatewayEvent): void;
}

/** A request to a registry: a file, or a page whose links are rewritten. */
interface Wanted {
  readonly tool: Tool;
  readonly registry: Registry;
  readonly url: URL;
  rewriter?(contentType: string, page: URL): Rewriter | undefined;
}

/** The rules for rewriting links. */
interface Linking {
  readonly links: FileLinks;
  readonly fileHosts: FileHosts;
  /** The gateway's URL as the sandbox sees it. */
  readonly base: string;
}

export function createRegistryRoute(options: {
  dialer: Dialer;
  registries: (wanted: readonly Tool[]) => Promise<HostRegistries>;
  registryFiles?: FileHosts;
}): RegistryRoute {
  const client = createRegistryClient(options.dialer);
  const links = createFileLinks();
  const fileHosts = options.registryFiles ?? { npm: [], pip: [] };
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
        return refuse(405, 'Package registries are read-only here. Use GET or HEAD.');
      const tool = url.pathname.startsWith('/pip/') ? 'pip' : 'npm';
      const registries = await options.registries([tool]);
      const linking = { links, fileHosts, base: baseUrlOf(exchange) };
      const wanted = find(registries, linking, url, request.headers['user-agent'] ?? '');
      const problem = registries.unread?.[tool];
      // Package managers retry at this status; the registries may be known by then.
      if (wanted === undefined && problem !== undefined)
        return refuse(503, `The package registries of this host could not be read: ${problem}`);
      if (wanted === undefined) return refuse(404, 'No package registry of this host serves this path.');
      try {
        const isPage = wanted.rewriter !== undefined;
        // A file is requested as a whole and unchanged: installers compare its digest.
        const asked = isPage
          ? { ...wanted, encoding: 'gzip' as const, headers: pickHeaders(request.headers, pageRequestHeaders) }
          : { ...wanted, encoding: 'identity' as const, headers: {} };
        await answer(exchange, wanted, await client.fetch(exchange, asked));
      } catch (error) {
        answerFailure(response, error, 'The package registry');
      }
    },
  };
}

/** Larger than any page of a real registry; npm itself reads at most half of it. */
const maxPageBytes = 256 * 1024 * 1024;
const pageRequestHeaders = ['accept', 'if-modified-since', 'if-none-match'];
const pageHeaders = ['cache-control', 'content-type', 'etag', 'last-modified', 'vary'];
const fileHeaders = [...pageHeaders, 'content-encoding', 'content-length'];

async function answer(exchange: Exchange, wanted: Wanted, fetched: Fetched): Promise<void> {
  const { answer: upstream, url } = fetched;
  const status = upstream.statusCode ?? 502;
  if (status === 401 || status === 403) {
    fetched.upstream.destroy();
    const message = `The package registry rejected this host's credentials or the package (${status}).`;
    return answerText(exchange.response, 403, message);
  }
  if (status !== 200 || exchange.request.method !== 'GET' || wanted.rewriter === undefined)
    return relay(exchange, upstream, { status, headers: pickHeaders(upstream.headers, fileHeaders) });
  const decoders = decodersOf(upstream.headers['content-encoding']);
  if (decoders === undefined) {
    fetched.upstream.destroy();
    return answerText(exchange.response, 502, 'The package registry responded with an unsupported content encoding.');
  }
  const rewriter = wanted.rewriter(upstream.headers['content-type'] ?? '', url);
  const transforms = [
    ...decoders,
    ...(rewriter === undefined ? [] : [new RewriteTransform(rewriter, { maxBytes: maxPageBytes })]),
  ];
  return relay(exchange, upstream, { status, headers: pickHeaders(upstream.headers, pageHeaders) }, transforms);
}

/** The gateway's URL as the sandbox sees it: the one it dialled. */
function baseUrlOf({ request }: Exchange): string {
  const host = request.headers.host ?? '';
  return `http://${/^[\w.[\]:-]{1,255}$/.test(host) ? host : 'localhost'}`;
}

function find(registries: HostRegistries, linking: Linking, url: URL, userAgent: string): Wanted | undefined {
  const { pathname, search } = url;
  const { npm, pip } = registries;
  const known = {
    npm: npm === undefined ? [] : [npm.main, ...npm.scopes.values()],
    pip: pip === undefined ? [] : [pip],
  };
  if (/^\/(?:npm|pip)\/-files\//.test(pathname)) {
    const tool = pathname.startsWith('/npm/') ? 'npm' : 'pip';
    const found = linking.links.file(pathname, search, known[tool]);
    return found === undefined ? undefined : { tool, registry: found.registry, url: found.file };
  }
  if (pathname.startsWith('/pip/')) return pip === undefined ? undefined : findPip(pip, linking, pathname);
  return npm === undefined ? undefined : findNpm(npm, linking, url, userAgent);
}

function findPip(registry: Registry, { links, fileHosts, base }: Linking, pathname: string): Wanted | undefined {
  const name = /^\/pip\/simple\/([A-Za-z0-9][A-Za-z0-9._-]*)\/?$/.exec(pathname)?.[1];
  if (name === undefined) return undefined;
  return {
    tool: 'pip',
    registry,
    url: below(registry, `${name}/`),
    rewriter(contentType, page) {
      const toFile = (link: string): string => {
        const file = URL.parse(link, page.href);
        return file !== null && isFileLink({ tool: 'pip', name, registry, fileHosts }, file)
          ? `${base}${links.path('pip', registry, file)}`
          : link;
      };
      if (contentType.includes('json')) return new JsonLinkRewriter(['files', '*', 'url'], toFile);
      return contentType.includes('html')
        ? new LinkRewriter(htmlLinks, (link) => toFile(link.replaceAll('&amp;', '&')).replaceAll('&', '&amp;'))
        : undefined;
    },
  };
}

function findNpm(npm: NpmRegistries, linking: Linking, url: URL, userAgent: string): Wanted | undefined {
  const { pathname } = url;
  const tarball = tarballIn(pathname);
  const rest = tarball ?? (pathname.startsWith('/npm/') ? pathname.slice('/npm/'.length) : '');
  if (tarball === undefined && !isNpmPage(rest)) return undefined;
  const scope = /(?:^|\/)(@[^/%]+)(?:\/|%2f)/i.exec(rest)?.[1];
  const registry = (scope === undefined ? undefined : npm.scopes.get(scope)) ?? npm.main;
  const target = below(registry, rest);
  if (tarball !== undefined) return { tool: 'npm', registry, url: target };
  target.search = url.search;
  // npm maps the registry's own tarballs itself and records their real address in its lockfile.
  const keepsOwn = registry === npm.main && userAgent.startsWith('npm/');
  return {
    tool: 'npm',
    registry,
    url: target,
    rewriter: (contentType) =>
      contentType.includes('json') ? tarballLinks(registry, linking, rest, keepsOwn) : undefined,
  };
}

/** Rewrites tarball links where a packument, or the page of a version, has them. Publishers control all other fields. */
function tarballLinks(
  registry: Registry,
  { links, fileHosts, base }: Linking,
  rest: string,
  keepsOwn: boolean,
): Rewriter | undefined {
  const { name, isVersion } = npmPackageIn(rest) ?? {};
  if (name === undefined) return undefined;
  return new JsonLinkRewriter([...(isVersion === true ? [] : ['versions', '*']), 'dist', 'tarball'], (link) => {
    const file = URL.parse(link);
    if (file === null) return link;
    const conventional = ownTarball(registry, file);
    if (conventional !== undefined) return keepsOwn ? link : `${base}/npm/${conventional}`;
    return isFileLink({ tool: 'npm', name, registry, fileHosts }, file)
      ? `${base}${links.path('npm', registry, file)}`
      : link;
  });
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
