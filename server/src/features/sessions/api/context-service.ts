import { defaultRuntime } from '../../../adapters/agent/drivers.ts';
import { Type, type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { GivenNote } from '../../knowledge/given.ts';
import { agentVersion } from '../../agents/service.ts';
import { usesOfSession } from '../../secrets/public.ts';
import {
  GivenBrowser,
  GivenMemory,
  GivenServer,
  GivenSetting,
  GivenSkill,
  type SessionContext,
} from '../schemas/context-schemas.ts';
import { insertContext, readNewestContext, readRunContext, type StoredContext } from '../store/context-store.ts';
import { LeaseLost, type Run, type RunContext } from '../run/run-service.ts';
import { requireSession } from './service.ts';
import type { SessionRow } from '../store/session-store.ts';

/**
 * Returns the recorded context of a session. A user's own content is shown only to that user and to the session itself.
 */
export async function getSessionContext(
  ctx: Pick<Context, 'db' | 'clock' | 'baseUrl'>,
  caller: Actor,
  id: string,
): Promise<SessionContext> {
  const orgId = caller.organization.id;
  const session = await requireSession(ctx, orgId, id);
  const [stored, agent, secrets] = await Promise.all([
    readNewestContext(ctx.db.kysely, id),
    agentVersion(ctx, orgId, session.agent_id, session.agent_version),
    usesOfSession(ctx, orgId, id),
  ]);
  const given = Object(stored?.given ?? {});
  const isOwn = isOwnTo(caller, session);
  const chosen = Array.isArray(session.options['secret_ids']);
  return {
    session_id: id,
    turn: stored?.turn ?? 0,
    created_at: stored?.created_at ?? null,
    knowledge: listOf(GivenNote, given.knowledge).filter(({ scope }) => scope !== 'user' || isOwn),
    memory: listOf(GivenMemory, given.memory),
    skills: listOf(GivenSkill, given.skills),
    mcp_servers: listOf(GivenServer, given.mcp_servers),
    browser: listOf(GivenBrowser, given.browser)[0] ?? { available: false, problem: '' },
    // Secrets that are missing from the agent's sandbox would reveal the names of the creator's own.
    secrets: secrets
      .filter(({ scope }) => scope !== 'user' || isOwn)
      .map(({ key: name, sandboxes, ...secret }) => ({
        name,
        ...secret,
        reason: secretReason(secret.scope, { chosen, inChecksAlone: isOwn && sandboxes === 'checks' }),
      })),
    settings: listOf(GivenSetting, given.settings),
    agent: {
      id: session.agent_id,
      name: agent?.name ?? '',
      version: session.agent_version,
      runtime: agent?.runtime ?? defaultRuntime,
      model: session.model,
      mode: session.mode,
    },
  };
}

function isOwnTo({ principal }: Actor, { id, created_by_type, created_by_id }: SessionRow): boolean {
  if (principal.type === 'session') return principal.id === id;
  return principal.type === created_by_type && principal.id === created_by_id;
}

/** Returns the recorded items of a kind; hides those that an earlier version wrote in another shape. */
function listOf<T extends TSchema>(item: T, value: unknown): Static<T>[] {
  const known = Type.Array(item);
  return Value.Check(known, value) ? value : [];
}

const scopeReasons = {
  organization: 'applies to every session of the organization',
  repository: 'belongs to a repository of the session',
  user: "belongs to the session's creator, the only user who may message it",
  session: 'was sent with the session, for it only',
} as const;

function secretReason(
  scope: keyof typeof scopeReasons,
  { chosen, inChecksAlone }: { readonly chosen: boolean; readonly inChecksAlone: boolean },
): string {
  const why =
    chosen && scope !== 'session' ? `was chosen for the session; ${scopeReasons[scope]}` : scopeReasons[scope];
  return inChecksAlone
    ? `${why}; is only where checks run, because the agent's sandbox has secrets that belong to the creator`
    : why;
}

/** The ids in a session's last context that a request can name; empty before the first. */
export interface GivenIds {
  readonly knowledge_ids: readonly string[];
  /** Without skills stored in a repository. */
  readonly skill_ids: readonly string[];
  readonly mcp_server_ids: readonly string[];
}

export async function givenIds(ctx: Pick<Context, 'db'>, id: string): Promise<GivenIds> {
  const given = Object((await readNewestContext(ctx.db.kysely, id))?.given ?? {});
  return {
    knowledge_ids: listOf(GivenNote, given.knowledge).map(({ note_id: noteId }) => noteId),
    skill_ids: listOf(GivenSkill, given.skills).flatMap((skill) => (skill.source === 'repository' ? [] : [skill.id])),
    mcp_server_ids: listOf(GivenServer, given.mcp_servers).map((server) => server.id),
  };
}

/** Returns the last context of a session, for its run. Throws {@link LeaseLost}. */
export async function contextOfRun(ctx: Pick<RunContext, 'db'>, run: Run): Promise<StoredContext> {
  const stored = await readRunContext(ctx.db, run.id, run.fence);
  if (stored === undefined) throw new LeaseLost(run.id);
  return stored;
}

/**
 * Records the context of a session, by kind. It keeps this context, even in a replaced sandbox, until a turn begins in
 * a fresh one. Throws {@link LeaseLost}.
 */
export async function recordContext(
  ctx: Pick<RunContext, 'db'>,
  run: Run,
  given: Readonly<Record<string, readonly unknown[]>>,
): Promise<void> {
  if (!(await insertContext(ctx.db, run.id, run.fence, given))) throw new LeaseLost(run.id);
}
