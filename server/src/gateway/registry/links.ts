import { matchesHost, targetOf } from '../../lib/hosts.ts';
import { trimEndOf } from '../../lib/trim.ts';
import type { Registry, Tool } from './registries.ts';

/** Where a tool's packages have their files, beside their registry: patterns as `allowed_hosts` has them. */
export type FileHosts = Readonly<Record<Tool, readonly string[]>>;

/** What a link of a registry's page is: a file of the package, or nothing that the gateway leads to. */
interface LinkJudge {
  /** The package as the page was asked for: `name`, `@scope/name` or a project of an index. */
  readonly name: string;
  readonly tool: Tool;
  readonly registry: Registry;
  readonly fileHosts: FileHosts;
}

/**
 * Whether a link may be followed for a sandbox that has no other network: whoever published the package may have chosen it.
 * At the registry itself it has to be a file of that package, because the operator's credential goes along.
 */
export function isFileLink({ name, tool, registry, fileHosts }: LinkJudge, file: URL): boolean {
  if (!/^https?:$/.test(file.protocol) || file.username !== '' || file.password !== '') return false;
  const isFile = tool === 'npm' ? isTarball(file, name) : isDistribution(file, name);
  if (file.origin === registry.url.origin) return isFile && file.search === '';
  if (file.origin === registry.publicFiles) return isFile && file.search === '';
  // What an operator named keeps its files as it likes; that of an index is told by its name alone.
  const target = targetOf(file);
  return (tool === 'npm' || isFile) && fileHosts[tool].some((pattern) => matchesHost(pattern, target));
}

/** Whether a URL is one of the registry's own that the gateway asks for, and so may see the operator's credential. */
export function isOwnPath(tool: Tool, registry: Registry, url: URL): boolean {
  if (url.origin !== registry.url.origin || url.username !== '') return false;
  const path = plainPath(url);
  const base = `${trimEndOf(plainPath(registry.url) ?? '', '/')}/`;
  const rest = path?.startsWith(base) === true ? path.slice(base.length) : '';
  return tool === 'npm' ? isTarball(url) || isNpmPage(rest) : isDistribution(url) || isProject(rest);
}

/** Packages and their versions, and the few questions about packages; never the account behind the token. */
const npmPackage = /^((?:@[^/%.][^/%]*(?:\/|%2f))?[^/@%.-][^/%]*)(?:\/([^/%]+))?$/i;
const npmQuestion = /^-\/(?:v1\/search|ping|package\/(?:@[^/%.][^/%]*(?:\/|%2f))?[^/@%.-][^/%]*\/dist-tags)$/i;

/** The package, and whether it is one version of it, that a path below a registry names; undefined for none. */
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

/** As npm's registry and those after it have tarballs, below whatever path, or as GitHub's has them. */
function isTarball(file: URL, name?: string): boolean {
  const path = plainPath(file);
  if (path === undefined) return false;
  const found =
    tarballIn(path)?.replace(/\/-\/.*$/, '') ??
    /^\/download\/(@[^/]+\/[^/]+)\/[^/]+\/[0-9a-f]{32,128}$/.exec(path)?.[1];
  return found !== undefined && (name === undefined || found === name);
}

const distribution = /^[a-z0-9].*\.(?:whl|tar\.gz|tgz|tar\.bz2|tar\.xz|zip|egg)(?:\.metadata)?$/;

/** A file that pip installs from begins with the name of its project, which is spelled in many ways (PEP 503). */
function isDistribution(file: URL, project?: string): boolean {
  const name = plainPath(file)?.replace(/^.*\//s, '').toLowerCase();
  if (name === undefined || !distribution.test(name)) return false;
  return project === undefined || spelledAlike(name).startsWith(`${spelledAlike(project)}-`);
}

function spelledAlike(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

/** A path as its server reads it; undefined for one that two readers may read in two ways. */
function plainPath(url: URL): string | undefined {
  try {
    const path = decodeURIComponent(url.pathname);
    return /[\\%?#\p{Cc}]|\/\.{0,2}\//u.test(path) ? undefined : path;
  } catch {
    return undefined;
  }
}
