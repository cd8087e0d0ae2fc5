import { readFileSync } from 'node:fs';
import type { Context } from '../../app/context.ts';
import { ensureAgent } from '../agents/service.ts';
import { lockLinters } from './store.ts';

const program = readFileSync(new URL('linters.mjs', import.meta.url), 'utf8');
const end = 'GUILDHALL_LINTERS';

const linters = {
  name: 'Linters',
  description:
    "Reviews a change request without a model: reports what the repository's linters say about the change and did not say before it. Guildhall keeps this agent current; to change it, create another one.",
  runtime: 'script',
  runtime_config: {
    steps: [{ run: `cat > /tmp/guildhall-linters.mjs <<'${end}'\n${program}${end}\nnode /tmp/guildhall-linters.mjs` }],
    summary: 'The linters ran on the base and on the head of the change.',
  },
} as const;

/** Returns the id of the organization's agent that runs linters; creates or updates it first where needed. */
export async function lintersAgent(ctx: Pick<Context, 'db' | 'clock'>, orgId: string): Promise<string> {
  return ctx.db.transaction(async (trx) => {
    await lockLinters(trx, orgId);
    return ensureAgent(trx, orgId, linters, ctx.clock.now());
  });
}
