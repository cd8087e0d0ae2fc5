import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { shownBytes } from '../../lib/bytes.ts';
import { kinds } from './kinds.ts';
import type { StorageUse } from './schemas.ts';
import { listUse } from './store.ts';

type UseContext = Pick<Context, 'db' | 'config'>;
type OrganizationUse = StorageUse & { slug: string };

const nothing = {
  repositories: 0,
  checkpoints: 0,
  artifacts: 0,
  attachments: 0,
  wikis: 0,
} satisfies StorageUse['by_kind'];

/** Returns the storage of the caller's organization by kind, and its limit. */
export async function getStorage(ctx: UseContext, caller: Actor): Promise<StorageUse> {
  const [use] = await usesOf(ctx, caller.organization.id);
  return use ?? { used_bytes: 0, max_bytes: ctx.config.storageMax, by_kind: nothing };
}

/** Describes the storage of each organization for the operator, largest first: lines for people, or JSON. */
export async function describeStorage(ctx: UseContext, json: boolean): Promise<string> {
  const uses = await usesOf(ctx);
  if (json) return JSON.stringify(uses);
  const { storageMax } = ctx.config;
  const allowed = storageMax === 0 ? 'any number of bytes' : shownBytes(storageMax);
  const heads = [''.padEnd(40), 'all', storageMax === 0 ? '' : 'of it', ...kinds];
  return [
    `Each organization may keep ${allowed} (GUILDHALL_STORAGE_MAX).`,
    lineOf(heads),
    ...uses.map(({ slug, used_bytes: used, by_kind }) =>
      lineOf([
        slug.padEnd(40),
        shownBytes(used),
        storageMax === 0 ? '' : `${Math.floor((100 * used) / storageMax)} %`,
        ...kinds.map((kind) => shownBytes(by_kind[kind])),
      ]),
    ),
  ].join('\n');
}

function lineOf(cells: readonly string[]): string {
  return `  ${cells.map((cell) => cell.padStart(12)).join(' ')}`.trimEnd();
}

async function usesOf({ db, config }: UseContext, orgId?: string): Promise<OrganizationUse[]> {
  const rows = await listUse(db.kysely, orgId);
  return rows.map(({ slug, used_bytes, by_kind }) => ({
    slug,
    used_bytes,
    max_bytes: config.storageMax,
    by_kind: { ...nothing, ...by_kind },
  }));
}
