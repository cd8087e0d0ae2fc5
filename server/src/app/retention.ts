import type { Config } from '../config/config.ts';
import type { RetentionContext } from '../features/define.ts';
import { features } from '../features/index.ts';
import { organizationSlug } from '../db/organization-slug.ts';
import { cacheRetention } from './cache-retention.ts';
import { runRetention } from '../jobs/retention.ts';
import { shownBytes } from '../lib/bytes.ts';

/** Like {@link RetentionContext}, for all kinds. */
type OperatorContext = RetentionContext & { config: Pick<Config, 'data'> };

interface Line {
  /** The slug; the id of an organization that no longer exists. */
  organization: string;
  kind: string;
  count: number;
  bytes: number;
}

interface Options {
  /** `''` for all organizations. */
  orgId: string;
  isDryRun: boolean;
  json: boolean;
}

/**
 * Removes everything that the nightly jobs and this machine's worker would remove, or with `isDryRun` nothing. Describes it for the operator, by
 * organization and kind: lines for people, or JSON.
 */
export async function describeRetention(ctx: OperatorContext, { orgId, isDryRun, json }: Options): Promise<string> {
  const { signal } = new AbortController();
  const found: { orgId: string; kind: string; count: number; bytes: number }[] = [];
  const kinds = [...features.flatMap((feature) => feature.retention ?? []), cacheRetention(ctx.config)];
  for (const retention of kinds)
    for (const [id, removed] of await runRetention(retention, ctx, { orgId, isDryRun, signal }))
      found.push({ orgId: id, kind: retention.kind, ...removed });
  const slugs = new Map<string, string>();
  for (const { orgId: id } of found)
    if (!slugs.has(id)) slugs.set(id, (await organizationSlug(ctx.db.kysely, id)) || id);
  const lines = found
    .map(({ orgId: id, ...removed }): Line => ({ organization: slugs.get(id) ?? id, ...removed }))
    .toSorted((a, b) => (a.organization < b.organization ? -1 : Number(a.organization > b.organization)));
  return json ? JSON.stringify({ dry_run: isDryRun, removed: lines }) : described(lines, isDryRun);
}

function described(lines: readonly Line[], isDryRun: boolean): string {
  if (lines.length === 0) return isDryRun ? 'There is nothing to remove.' : 'There was nothing to remove.';
  const head = isDryRun
    ? 'This would be removed. `retention apply` removes it now; the server does so each night.'
    : 'This was removed.';
  return [head, lineOf(['organization', 'kind', 'number', 'size']), ...lines.map(cellsOf).map(lineOf)].join('\n');
}

function cellsOf({ organization, kind, count, bytes }: Line): string[] {
  return [organization, kind, count.toLocaleString('en-US'), shownBytes(bytes)];
}

function lineOf([organization = '', kind = '', count = '', size = '']: readonly string[]): string {
  return `  ${organization.padEnd(40)} ${kind.padEnd(18)} ${count.padStart(12)} ${size.padStart(12)}`;
}
