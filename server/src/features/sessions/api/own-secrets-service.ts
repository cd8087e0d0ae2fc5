import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import type { AppError } from '../../../lib/errors.ts';
import { fieldError } from '../../../lib/field-error.ts';
import { programsOfOthers } from '../../mcp-servers/public.ts';
import { commandOfOthers, repositoryById } from '../../repositories/service.ts';
import type { PreparedSecrets } from '../../secrets/session-input.ts';
import { skillsOfOthers } from '../../skills/public.ts';
import type { CreateSession } from '../schemas/session-schemas.ts';

const remedy = 'Ask an administrator to write it again, or send `secret_ids` without your own.';

/**
 * Keeps the creator's own secrets and content that another member wrote out of the same sandbox. What a session gets by
 * default yields; what a request names must be given. Throws 400 `invalid_request` if both cannot be.
 */
export async function refuseOthersPrograms(
  ctx: Pick<Context, 'db'>,
  { organization: { id: orgId }, principal }: Actor,
  {
    input: { secret_ids: secretIds, mcp_server_ids: serverIds, skill_ids: skillIds },
    repositoryIds,
    secrets: { ownKeys, othersKeys },
  }: {
    readonly input: Pick<CreateSession, 'secret_ids' | 'mcp_server_ids' | 'skill_ids'>;
    readonly repositoryIds: readonly string[];
    readonly secrets: Pick<PreparedSecrets, 'ownKeys' | 'othersKeys'>;
  },
): Promise<void> {
  if (ownKeys.length === 0) return;
  const owner = `${principal.type}:${principal.id}`;
  const own = `your own ${ownKeys.join(', ')}`;
  for (const id of repositoryIds) {
    const row = await repositoryById(ctx, orgId, id);
    const command = row === undefined ? '' : commandOfOthers(row, owner);
    if (command === '') continue;
    // Own secrets are omitted, so that everything else can be given.
    if (!Array.isArray(secretIds)) return;
    throw refused('secret_ids', `${own} cannot be where ${command} runs, because another member wrote that last.`);
  }
  if (Array.isArray(secretIds) && othersKeys.length > 0)
    throw refused(
      'secret_ids',
      `${othersKeys.join(', ')} cannot be in one sandbox with ${own}, because another member wrote them last.`,
    );
  const [slug] = await programsOfOthers(ctx, orgId, serverIds ?? [], owner);
  if (slug !== undefined)
    throw refused(
      'mcp_server_ids',
      `${slug} is a command that another member wrote last, so it cannot run beside ${own}.`,
    );
  const [name] = await skillsOfOthers(ctx, orgId, skillIds ?? [], owner);
  if (name !== undefined)
    throw refused('skill_ids', `${name} has programs that another member wrote last, so it cannot be beside ${own}.`);
}

function refused(field: string, why: string): AppError {
  return fieldError(`/${field}`, `: ${why} ${remedy}`);
}
