import { isDeepStrictEqual } from 'node:util';
import type { Kysely } from 'kysely';
import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { notFound, type AppError } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { mayRunFor, type Writer } from '../../lib/writer.ts';
import { open } from '../secrets/envelope.ts';
import { filled, literalPart, namesIn } from './placeholders.ts';
import { listServers, listServerSecrets, readChosenServers, readServer } from './store.ts';

type ValueContext = Pick<Context, 'db' | 'keyRing'>;
const enabled = { enabled: [true] };
type ServerRow = Awaited<ReturnType<typeof listServers>>[number];

/** A repository of a session. */
interface RepositoryName {
  readonly provider: string;
  readonly repo: string;
}

/** An MCP server, ready to connect to. Never show `env`, `headers` and `secrets`. */
export interface ReadyServer {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  /** `''` for a command. */
  readonly url: string;
  /** `''` for a URL. */
  readonly command: string;
  readonly args: readonly string[];
  /** With secret values in place of placeholders. */
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** As stored, with placeholders. */
  readonly shownEnv: Readonly<Record<string, string>>;
  /** Values by name. */
  readonly secrets: ReadonlyMap<string, string>;
  /** The authors: of its connection, then of its secret values. */
  readonly writers: readonly Writer[];
  /** The reason why it is unusable, such as a secret without a value; `''` if it is usable. */
  readonly problem: string;
}

/** Tells if a command server would run beside secrets of `<type>:<id>` although someone else wrote it. */
export function isProgramOfOthers(
  { command, writers }: Pick<ReadyServer, 'command' | 'writers'>,
  owner: string,
): boolean {
  return command !== '' && !writers.every((writer) => mayRunFor(writer, owner));
}

/** Returns the target that a secret's value is bound to: the server's URL, or its command, arguments and variables. */
export function targetOf({ url, command, args, env }: Pick<ServerRow, 'url' | 'command' | 'args' | 'env'>): unknown[] {
  return [url, command, args, env];
}

/** Returns the current slugs of the servers for which {@link isProgramOfOthers} holds. */
export async function programsOfOthers(
  { db }: Pick<Context, 'db'>,
  orgId: string,
  ids: readonly string[],
  owner: string,
): Promise<string[]> {
  const rows = (await listServers(db.kysely, orgId)).filter(({ id }) => ids.includes(id));
  const sealed = await listServerSecrets(db.kysely, orgId, ids);
  return rows
    .filter((row) => isProgramOfOthers({ ...row, writers: writersOf(row, secretsOf(row, sealed)) }, owner))
    .map(({ slug }) => slug);
}

/** Returns the sealed secrets of a server. */
function secretsOf<T extends { server_id: string; name: string }>(
  { id, env, headers }: Pick<ServerRow, 'id' | 'env' | 'headers'>,
  sealed: readonly T[],
): T[] {
  const used = new Set([...Object.values(env), ...Object.values(headers)].flatMap(namesIn));
  return sealed.filter((secret) => secret.server_id === id && used.has(secret.name));
}

function writersOf(row: Pick<ServerRow, 'written_by'>, own: readonly { written_by: Writer }[]): Writer[] {
  return [row.written_by, ...own.map((secret) => secret.written_by)];
}

/** The purpose that binds the sealed value of a server's secret. */
export function secretPurpose(serverId: string, name: string): string {
  return `mcp server secret ${serverId} ${name}`;
}

/**
 * Returns the enabled servers of a session, by slug: with `ids` those of them that its repositories allow, without all that
 * apply. `reason` explains each.
 */
export async function serversForSession(
  ctx: ValueContext,
  session: {
    readonly orgId: string;
    readonly repositories: readonly RepositoryName[];
    readonly ids: readonly string[] | null;
  },
): Promise<(ReadyServer & { readonly reason: string })[]> {
  const { orgId, repositories, ids } = session;
  if (ids?.length === 0) return [];
  const rows = await listServers(ctx.db.kysely, orgId, enabled);
  const applying = rows.flatMap((row) => {
    const reason = reasonFor(row, repositories, ids);
    return reason === '' ? [] : [{ row, reason }];
  });
  const ready = await opened(
    ctx,
    orgId,
    applying.map(({ row }) => row),
  );
  return ready.map((server, at) => ({ ...server, reason: applying[at]?.reason ?? '' }));
}

/** Returns one server, ready to test; undefined if it does not exist. */
export async function serverToTry(ctx: ValueContext, orgId: string, id: string): Promise<ReadyServer | undefined> {
  const row = await readServer(ctx.db.kysely, orgId, id);
  return row === undefined ? undefined : (await opened(ctx, orgId, [row]))[0];
}

/** Explains why the session gets a server; `''` if it does not. */
function reasonFor(row: ServerRow, repositories: readonly RepositoryName[], ids: readonly string[] | null): string {
  const chosen = ids?.includes(row.id) === true;
  if (ids !== null && !chosen) return '';
  if (row.access === 'on_request') return chosen ? 'The session requested it.' : '';
  if (row.access === 'organization')
    return chosen ? 'The session requested it.' : 'Every session of the organization gets it.';
  const repository = repositories.find(({ provider, repo }) =>
    row.repositories.some((one) => isSame(one, provider, repo)),
  );
  return repository === undefined ? '' : `It applies to sessions on ${repository.repo}.`;
}

function isSame(one: RepositoryName, provider: string, repo: string): boolean {
  return one.provider === provider && one.repo.toLowerCase() === repo.toLowerCase();
}

/** Returns servers with their secret values inserted. */
async function opened(
  ctx: ValueContext,
  orgId: string,
  rows: readonly Omit<ServerRow, 'repositories'>[],
): Promise<ReadyServer[]> {
  const sealed = await listServerSecrets(
    ctx.db.kysely,
    orgId,
    rows.map(({ id }) => id),
  );
  return Promise.all(
    rows.map(async (row) => {
      const { id, slug, name, description, url, command, args } = row;
      const shape = { id, slug, name, description, url, command, args };
      const own = secretsOf(row, sealed);
      const [fitting, moved] = partition(own, ({ target }) => isDeepStrictEqual(target, targetOf(row)));
      const values = new Map(
        await Promise.all(
          fitting.map(async (secret) => {
            const value = await open(ctx, orgId, secretPurpose(id, secret.name), secret.sealed);
            return [secret.name, value.toString('utf8')] as const;
          }),
        ),
      );
      const env = filled(row.env, values);
      const headers = filled(row.headers, trimmed(values));
      return {
        ...shape,
        env: env.values,
        headers: headers.values,
        shownEnv: row.env,
        secrets: values,
        writers: writersOf(row, own),
        problem:
          moved.length > 0
            ? movedProblem(moved)
            : missingSecretsProblem(headers.values, [...new Set([...env.missing, ...headers.missing])]),
      };
    }),
  );
}

/** Trims values: a secret from a file ends with a line break, which a header must not contain. */
function trimmed(values: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...values].map(([name, value]) => [name, value.trim()]));
}

/** Refuses secrets that were set for an earlier target: a value goes only where it was set for. */
function movedProblem(secrets: readonly { readonly name: string }[]): string {
  const names = secrets.map(({ name }) => name);
  const [what, it] =
    names.length === 1 ? [`secret ${names.join()} was`, 'it'] : [`secrets ${names.join(', ')} were`, 'them'];
  return `Its ${what} set before its URL, command, arguments or variables changed. Set ${it} again.`;
}

function partition<T>(all: readonly T[], holds: (one: T) => boolean): [T[], T[]] {
  return [all.filter(holds), all.filter((one) => !holds(one))];
}

function missingSecretsProblem(headers: Readonly<Record<string, string>>, missing: readonly string[]): string {
  if (missing.length === 1) return `Its secret ${missing.join()} has no value. Set one.`;
  if (missing.length > 1) return `Its secrets ${missing.join(', ')} have no values. Set them.`;
  const unfit = Object.entries(headers).find(([, value]) => !/^[\t\x20-\x7e]*$/.test(value));
  return unfit === undefined
    ? ''
    : `With its secret inserted, the header ${unfit[0]} is not one line of printable ASCII. Set another value.`;
}

/**
 * Checks the servers that a new session requests. Throws 404 `mcp_server_not_found`, 400 for one that is disabled or for other
 * repositories, and 403 if a session's key requests one that its own session did not request.
 */
export async function requireServers(
  ctx: Pick<Context, 'db'>,
  caller: Actor,
  ids: readonly string[] | null | undefined,
  repositoryIds: readonly string[],
): Promise<void> {
  if (ids === null || ids === undefined || ids.length === 0) return;
  const { organization, principal } = caller;
  const rows = await listServers(ctx.db.kysely, organization.id);
  const parent =
    principal.type === 'session' ? await readChosenServers(ctx.db.kysely, organization.id, principal.id) : ids;
  for (const id of ids) {
    const row = rows.find((candidate) => candidate.id === id);
    if (row === undefined) throw notFound('mcp_server', id);
    const refuse = (problem: string): AppError => fieldError('/mcp_server_ids', `: ${row.slug} ${problem}.`);
    if (!row.enabled) throw refuse('is disabled');
    if (row.access === 'repositories' && !row.repositories.some((one) => repositoryIds.includes(one.id)))
      throw refuse('does not apply to any repository of this session');
    if (row.access === 'on_request' && !parent.includes(id))
      throw fieldError('/mcp_server_ids', `: the parent session does not have ${row.slug}.`, { code: 'forbidden' });
  }
}

/**
 * Returns the enabled servers by slug, as blueprints list them: without ids and times, and with `{"$secret": "NAME"}` for
 * secrets.
 */
export async function serverManifests(db: Kysely<DB>, orgId: string): Promise<Record<string, unknown>[]> {
  const rows = await listServers(db, orgId, enabled);
  return rows.map(({ slug, name, description, url, command, args, env, headers, access, repositories }) => ({
    slug,
    name,
    description,
    ...(url === '' ? { command, args, env: withReferences(env) } : { url, headers: withReferences(headers) }),
    access,
    repos: repositories.map(({ provider, repo }) => `${provider}:${repo}`),
  }));
}

/** Converts a value that is only a placeholder to a reference; longer values stay as they are. */
function withReferences(values: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const [name, ...more] = namesIn(value);
      const isReference = name !== undefined && more.length === 0 && literalPart(value) === ' ';
      return [key, isReference ? { $secret: name } : value];
    }),
  );
}
