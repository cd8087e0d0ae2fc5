import { missingRef, withRemoteTree } from '../../git/fetch-commit.ts';
import { prepareRemote } from '../../git/remote.ts';
import type { Tree } from '../../git/tree.ts';
import { requireScope, type Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { notFound } from '../../lib/errors.ts';
import { fieldError, type FieldError } from '../../lib/field-error.ts';
import { mutate } from '../../mutation/mutate.ts';
import { refOf } from '../repositories/open-change-request.ts';
import { repositoryByName } from '../repositories/service.ts';
import { importTurns } from '../repositories/turns.ts';
import { assignmentsOf } from './assignments.ts';
import { limits, problemOfPath, type BundleFile, type BundleIssue } from './bundle.ts';
import { bundleOf } from './repository-skills.ts';
import { addSkill, changeSkill, requireDetail } from './revisions.ts';
import type { ImportSkill } from './schemas.ts';
import { lockSkill, lockSkills, readSkillByName } from './store.ts';
import { requireValid } from './validation.ts';
import { trimEndOf } from '../../lib/trim.ts';
import { builtInProvider } from '../../lib/providers.ts';

type ImportContext = Pick<Context, 'db' | 'clock' | 'importRemote' | 'closing' | 'sourceControl' | 'baseUrl'>;

const timeoutMs = 60_000;
/** Maximum number of entries below the given path. */
const maxEntries = 20_000;

/**
 * Imports a skill from a git repository at one commit. A second import from the same place creates a new revision. Throws 400
 * for an invalid ref, path or bundle, 403 `address_not_allowed`, 409 `conflict` for a name that is taken, 502 `upstream_error`
 * if the repository cannot be fetched.
 */
export async function importSkill(ctx: ImportContext, caller: Caller, input: ImportSkill) {
  const orgId = caller.organization.id;
  const path = directoryOf(input.path ?? '');
  const assignments = input.assignments === undefined ? undefined : assignmentsOf(input.assignments);
  const ref = input.ref ?? '';
  const { url, files, issues, commit } =
    (await fromOwnHost(ctx, caller, input.url, { ref, path })) ??
    (await importTurns.run(orgId, () => fromRemote(ctx, input.url, { ref, path })));
  const manifest = await requireValid(files, issues, '/path');
  const metadata = { ...manifest.metadata, import: { url, ref, path, commit } };
  return mutate(ctx, caller, async (trx, audit) => {
    await lockSkills(trx, orgId);
    const next = { files, manifest, metadata, whole: true };
    const there = await readSkillByName(trx, orgId, manifest.name);
    if (there === undefined || !isFrom(there.metadata['import'], url, path)) {
      const settings = { source: 'imported' as const, enabled: input.enabled ?? true, assignments: assignments ?? [] };
      return addSkill(ctx, trx, { caller, audit }, { ...next, ...settings });
    }
    const before = (await lockSkill(trx, orgId, there.id)) ?? there;
    const settings = { enabled: input.enabled, assignments };
    await changeSkill(ctx, trx, { caller, audit }, before, { settings, next });
    return requireDetail(trx, orgId, before.id);
  });
}

interface Place {
  ref: string;
  /** The skill's directory. */
  path: string;
}

async function fromRemote(ctx: ImportContext, address: string, { ref, path }: Place) {
  const remote = await ctx.importRemote(address, 'url');
  // Readers of the import source must not see the credentials it was fetched with.
  const { url } = prepareRemote(remote);
  const options = { directory: path, maxEntries, timeoutMs, signal: ctx.closing };
  return { url, ...(await withRemoteTree(remote, ref, options, (tree) => bundleIn(tree, path))) };
}

/**
 * Fetches from a repository of the built-in git host with the caller's own permission; undefined for another host's URL and
 * for a URL with credentials. Throws 403 without the scope, 404 `repository_not_found`.
 */
async function fromOwnHost(ctx: ImportContext, caller: Caller, url: string, { ref, path }: Place) {
  const root = `${ctx.baseUrl()}/git/`;
  if (!url.startsWith(root)) return undefined;
  const { organization } = caller;
  const [slug = '', ...rest] = url.slice(root.length).split('/');
  const name = trimEndOf(rest.join('/'), '/').replace(/\.git$/, '');
  requireScope(caller, 'repos:read');
  if (slug !== organization.slug && slug !== organization.id) throw notFound('repository', name);
  const repository = await repositoryByName(ctx, organization.id, { repo: name, provider: builtInProvider });
  const { readTree } = ctx.sourceControl.of(repository.provider);
  const wanted = ref === '' ? repository.default_branch : ref;
  const tree = await readTree?.(refOf(organization.id, repository), wanted, [path], maxEntries);
  if (tree === undefined) throw missingRef(ref);
  return { url, ...(await bundleIn(tree, path)) };
}

function isFrom(origin: unknown, url: string, path: string): boolean {
  return Object(origin).url === url && Object(origin).path === path;
}

/** Normalizes a directory of the repository: `./skills/pdf/` becomes `skills/pdf`. */
function directoryOf(text: string): string {
  const directory = trimEndOf(text.replace(/^(?:\.\/+)+/, ''), '/');
  const path = directory === '.' ? '' : directory;
  const problem = path === '' ? undefined : problemOfPath(path);
  if (problem !== undefined) throw fieldError('/path', `: ${problem}`);
  return path;
}

/** Returns the skill in a directory of a commit. */
async function bundleIn(
  tree: Tree,
  directory: string,
): Promise<{ files: BundleFile[]; issues: BundleIssue[]; commit: string }> {
  const { commit, files } = tree;
  const start = directory === '' ? '' : `${directory}/`;
  if (!files.some(({ path }) => path === `${start}SKILL.md`)) throw noSkill(tree, directory);
  const inside = (path: string): string => path.slice(start.length);
  const issues = files
    .filter(({ kind }) => kind === 'link' || kind === 'submodule')
    .map(({ path, kind }) => ({
      file: inside(path),
      line: 0,
      message: `This is a ${kind}; a skill can only contain regular files.`,
    }));
  if (files.length > limits.files)
    issues.push({ file: '', line: 0, message: `Limit exceeded: a skill can have at most ${limits.files} files.` });
  const size = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (size > limits.totalBytes)
    issues.push({
      file: '',
      line: 0,
      message: `Limit exceeded: a skill can have at most ${limits.totalBytes} bytes, and this one has ${size}.`,
    });
  if (issues.length > 0) return { files: [], issues, commit };
  return { files: bundleOf(directory, files, await tree.read(files, limits.totalBytes)), issues, commit };
}

/** Builds the error for a directory without a skill; names skills found elsewhere in the repository. */
function noSkill({ files }: Tree, directory: string): FieldError {
  const found = files.flatMap(({ path }) => (path.endsWith('/SKILL.md') ? [path.slice(0, -'/SKILL.md'.length)] : []));
  const hint = found.length === 0 ? '' : ` Skills exist at ${found.slice(0, 10).join(', ')}.`;
  const place = directory === '' ? "at the repository's root" : `in ${JSON.stringify(directory)}`;
  return fieldError('/path', `: no SKILL.md found ${place}.${hint}`, { details: { found: found.slice(0, 100) } });
}
