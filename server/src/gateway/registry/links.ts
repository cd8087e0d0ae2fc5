import { matchesHost, targetOf } from '../../lib/hosts.ts';
import { trimEndOf } from '../../lib/trim.ts';
import type { Registry, Tool } from './registries.ts';

/** The hosts of a tool's package files besides its registry: patterns as in `allowed_hosts`. */
export type FileHosts = Readonly<Record<Tool, readonly string[]>>;

/** Decides if a link of a registry's page is a file of the package. */
interface LinkJudge {
  /** The requested package: `name`, `@scope/name` or a project of an index. */
  readonly name: string;
  readonly tool: Tool;
  readonly registry: Registry;
  readonly fileHosts: FileHosts;
}

/**
 * Returns true if a sandbox without other network access may follow a link, which the package's publisher may have chosen. At
 * the registry itself it must be a file of that package, because the operator's credential is sent along.
 */
export function isFileLink({ name, tool, registry, fileHosts }: LinkJudge, file: URL): boolean {
  if (!/^https?:$/.test(file.protocol) || file.username !== '' || file.password !== '') return false;
  const isFile = tool === 'npm' ? isTarball(file, name) : isDistribution(file, name);
  if (file.origin === registry.url.origin) return isFile && file.search === '';
  if (file.origin === registry.publicFiles) return isFile && file.search === '';
  // Hosts that the operator named may use any paths; a file of an index is recognized by its name alone.
  const target = targetOf(file);
  return (tool === 'npm' || isFile) && fileHosts[tool].some((pattern) => matchesHost(pattern, target));
}

/** Returns true for URLs of the registry that the gateway itself requests; these may receive the operator's credential. */
export function isOwnPath(tool: Tool, registry: Registry, url: URL): boolean {
  if (url.origin !== registry.url.origin || url.username !== '') return false;
  const path = plainPath(url);
  const base = `${trimEndOf(plainPath(registry.url) ?? '', '/')}/`;
  const rest = path?.startsWith(base) === true ? path.slice(base.length) : '';
  return tool === 'npm' ? isTarball(url) || isNpmPage(rest) : isDistribution(url) || isProject(rest);
}

/** Packages, their versions and queries about packages; never the account of the token. */
const npmPackage = /^((?:@[^/%.][^/%]*(?:\/|%2f))?[^/@%.-][^/%]*)(?:\/([^/%]+))?$/i;
const npmQuestion = /^-\/(?:v1\/search|ping|package\/(?:@[^/%.][^/%]*(?:\/|%2f))?[^/@%.-][^/%]*\/dist-tags)$/i;

/** Returns the package of a path below a registry, and if the path names one version; undefined for any other path. */
export function npmPackageIn(rest: string): { name: string; isVersion: boolean } | undefined {
  const [, name, version] = npmPackage.exec(rest) ?? [];
  return name === undefined ? undefined : { name: withSlashes(name), isVersion: version !== undefined };
}

export function isNpmPage(rest: string): boolean {
  return npmPackage.test(rest) || npmQuestion.test(rest);
}

function isProject(rest: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*\/?$/.test(rest);
}

function withSlashes(path: string): string {
  return path.replaceAll(/%2f/gi, '/').replaceAll(/%40/g, '@');
}

/** `name/-/name-1.0.0.tgz` or `@scope/name/-/…` at the end of a path. */
export function tarballIn(pathname: string): string | undefined {
  const path = withSlashes(pathname);
  const scoped = /\/(@[^/%.][^/%]*\/[^/%.][^/%]*\/-\/(?:@[^/%.][^/%]*\/)?[^/%.][^/%]*\.tgz)$/.exec(path);
  return (scoped ?? /\/([^/@%.-][^/%]*\/-\/[^/%.][^/%]*\.tgz)$/.exec(path))?.[1];
}

/** Matches tarballs of npm's registry and compatible ones, below any path, and those of GitHub. */
function isTarball(file: URL, name?: string): boolean {
  const path = plainPath(file);
  if (path === undefined) return false;
  const found =
    tarballIn(path)?.replace(/\/-\/.*$/, '') ??
    /^\/download\/(@[^/]+\/[^/]+)\/[^/]+\/[0-9a-f]{32,128}$/.exec(path)?.[1];
  return found !== undefined && (name === undefined || found === name);
}

const distribution = /^[a-z0-9].*\.(?:whl|tar\.gz|tgz|tar\.bz2|tar\.xz|zip|egg)(?:\.metadata)?$/;

/** Matches the files that pip installs: they begin with the project's name, which has several spellings (PEP 503). */
function isDistribution(file: URL, project?: string): boolean {
  const name = plainPath(file)?.replace(/^.*\//s, '').toLowerCase();
  if (name === undefined || !distribution.test(name)) return false;
  return project === undefined || spelledAlike(name).startsWith(`${spelledAlike(project)}-`);
}

function spelledAlike(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

/** Normalizes a path as its server reads it; undefined for an ambiguous one. */
function plainPath(url: URL): string | undefined {
  try {
    const path = decodeURIComponent(url.pathname);
    return /[\\%?#\p{Cc}]|\/\.{0,2}\//u.test(path) ? undefined : path;
  } catch {
    return undefined;
  }
}
