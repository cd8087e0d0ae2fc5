import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from 'kysely';
import { grantOf, type Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { isEnvironmentProvider, parseModelName, resolveModel } from '../../lib/models.ts';
import type { SchemaProblem } from '../../lib/schema-problems.ts';
import { mutate } from '../../mutation/mutate.ts';
import { aboveMaxima } from './maxima.ts';
import { modelsIn, unknownProvider } from './models.ts';
import type { Namespace, Setting } from './namespaces.ts';
import { namespaceCalled, settingsOf, shownAs } from './service.ts';
import { agentExists, deleteSetting, lockSettings, secretExists, writeSetting } from './store.ts';
import { checkPut, inEffect, invalid } from './value.ts';

type ReplaceContext = Pick<Context, 'db' | 'clock' | 'config'>;

/**
 * Replaces a namespace's value; what it leaves out has its default. Throws 400 `invalid_request` naming the path, and 403
 * where the caller may not send a secret where the value says.
 */
export async function replaceSettings(
  ctx: ReplaceContext,
  caller: Caller,
  name: string,
  put: Record<string, unknown> | undefined,
) {
  const orgId = caller.organization.id;
  const namespace = namespaceCalled(name);
  if (put === undefined) throw invalid([{ path: '', message: 'must be a JSON object' }]);
  const value = checkPut(namespace, put);
  const above = namespace === 'sandbox' ? aboveMaxima(put, ctx.config.sandboxMax) : [];
  if (above.length > 0) throw invalid(above);
  return mutate(ctx, caller, async (trx, audit) => {
    await lockSettings(trx, orgId);
    const missing = await whatIsMissing(ctx, trx, orgId, value);
    if (missing.length > 0) throw invalid(missing);
    const before = await settingsOf(trx, orgId, namespace);
    if ('providers' in value && 'providers' in before) requireSecretsScope(caller, before.providers, value.providers);
    await writeSetting(trx, { org_id: orgId, namespace, value: JSON.stringify(put), updated_at: ctx.clock.now() });
    audit({
      action: 'settings.replace',
      resource: { type: 'settings', id: namespace },
      changes: difference(before, value),
    });
    return shownAs(ctx, namespace, value);
  });
}

/** Back to the default; harmless where nothing was put. */
export async function resetSettings(ctx: ReplaceContext, caller: Caller, name: string): Promise<null> {
  const orgId = caller.organization.id;
  const namespace = namespaceCalled(name);
  return mutate(ctx, caller, async (trx, audit) => {
    await lockSettings(trx, orgId);
    const before = await settingsOf(trx, orgId, namespace);
    await deleteSetting(trx, orgId, namespace);
    audit({
      action: 'settings.reset',
      resource: { type: 'settings', id: namespace },
      changes: difference(before, inEffect(namespace, undefined)),
    });
    return null;
  });
}

type Provider = Setting<'models'>['providers'][number];

/**
 * Whoever leads a secret to another address learns it there, so that takes the right to write secrets. Throws 403
 * `forbidden`.
 */
function requireSecretsScope(caller: Caller, before: readonly Provider[], after: readonly Provider[]): void {
  if (caller.scopes.has('secrets:write')) return;
  const isThere = ({ secret, base_url: url }: Provider): boolean =>
    before.some((other) => other.secret === secret && other.base_url === url);
  const led = after.find((provider) => provider.secret !== '' && provider.base_url !== '' && !isThere(provider));
  if (led === undefined) return;
  throw new AppError(
    'forbidden',
    `${grantOf(caller)} lacks the scope secrets:write, which it takes to send the secret ${led.secret} to ${led.base_url}.`,
  );
}

/** What a value names that is not there. */
async function whatIsMissing(
  { config }: Pick<Context, 'config'>,
  trx: Transaction<DB>,
  orgId: string,
  value: Setting<Namespace>,
): Promise<SchemaProblem[]> {
  if ('providers' in value) return [...(await missingSecrets(trx, orgId, value)), ...missingProviders(config, value)];
  if (!('default_agent' in value) || value.default_agent === '') return [];
  if (await agentExists(trx, orgId, value.default_agent)) return [];
  return [{ path: '/default_agent', message: 'does not exist in this organization' }];
}

async function missingSecrets(
  trx: Transaction<DB>,
  orgId: string,
  { providers }: Setting<'models'>,
): Promise<SchemaProblem[]> {
  const problems: SchemaProblem[] = [];
  for (const [at, { secret }] of providers.entries())
    if (secret !== '' && !(await secretExists(trx, orgId, secret)))
      problems.push({
        path: `/providers/${at}/secret`,
        message: `does not exist in this organization. Create the secret ${secret} first`,
      });
  return problems;
}

/** A pattern may also name one of the operator's that is not configured yet, or leave open whose models it means. */
function missingProviders(config: Context['config'], value: Setting<'models'>): SchemaProblem[] {
  const models = modelsIn(config.models, value);
  const problem = value.default === '' ? '' : unknownProvider(config, models, value.default);
  const known = models.providers.map(({ name }) => name).join(', ');
  const patterns = (['allowed', 'pro_only'] as const).flatMap((key) =>
    value[key].flatMap((pattern, at) => {
      const provider = parseModelName(pattern)?.provider ?? '*';
      const isKnown = provider.includes('*') || isEnvironmentProvider(provider) || resolveModel(models, pattern).ok;
      if (isKnown) return [];
      return [
        {
          path: `/${key}/${at}`,
          message: `names the provider ${provider}, which is not configured. Configured are: ${known}`,
        },
      ];
    }),
  );
  return [
    ...(problem === '' ? [] : [{ path: '/default', message: `cannot be used: ${problem.replace(/\.$/, '')}` }]),
    ...patterns,
  ];
}

/** The fields that differ, and what they were and are. */
function difference(before: object, after: object): Record<string, unknown> {
  const earlier = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(after).filter(([key, value]) => !isDeepStrictEqual(earlier.get(key), value));
  return {
    fields: changed.map(([key]) => key),
    before: Object.fromEntries(changed.map(([key]) => [key, forRecord(key, earlier.get(key))])),
    after: Object.fromEntries(changed.map(([key, value]) => [key, forRecord(key, value)])),
  };
}

/** The path of a webhook's address is often its credential. */
function forRecord(key: string, value: unknown): unknown {
  if (key !== 'webhooks' || !Array.isArray(value)) return value;
  return value.map((hook) => ({ ...Object(hook), url: URL.parse(String(Object(hook).url))?.origin ?? '' }));
}
