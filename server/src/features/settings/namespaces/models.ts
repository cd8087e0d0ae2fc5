import { grantOf, type Caller } from '../../../caller.ts';
import { AppError } from '../../../lib/errors.ts';
import { problemOfUrl } from '../../../lib/model-endpoints.ts';
import { isEnvironmentProvider, parseModelName, resolveModel } from '../../../lib/models.ts';
import type { SchemaProblem } from '../../../lib/schema-problems.ts';
import { modelsIn, unknownProvider } from '../models.ts';
import { recordPrices } from '../price-service.ts';
import { secretExists } from '../store.ts';
import { defineNamespace, type Organization } from './define.ts';
import { ModelsValue, type ModelSettings, type OwnProvider } from './model-value.ts';

export const models = defineNamespace({
  title: 'Models',
  value: ModelsValue,
  enforced: true,
  example: {
    providers: [{ name: 'house', kind: 'openai_compatible', base_url: 'https://models.example.com/v1' }],
    allowed: ['house/*'],
    prices: { 'house/coder': { input_per_mtok: 0.5, output_per_mtok: 2 } },
  },
  problems: ({ providers }) => [...repeatedNames(providers), ...providers.flatMap(problemsOfAddress)],
  missing: async (organization, value) => [
    ...(await missingSecrets(organization, value.providers)),
    ...missingProviders(organization, value),
  ],
  changed: ({ trx, orgId, now }, before, after) =>
    recordPrices(trx, orgId, { before: before.prices, after: after.prices }, now),
  authorize: (caller, before, after) => requireSecretsScope(caller, before.providers, after.providers),
  secrets: ({ providers }) => providers.map(({ secret }) => secret),
});

function repeatedNames(providers: readonly OwnProvider[]): SchemaProblem[] {
  const names = providers.map(({ name }) => name);
  return names.flatMap((name, at) =>
    names.indexOf(name) < at
      ? [{ path: `/providers/${at}/name`, message: 'is already the name of another provider' }]
      : [],
  );
}

function problemsOfAddress({ kind, base_url: url }: OwnProvider, at: number): SchemaProblem[] {
  const path = `/providers/${at}/base_url`;
  if (url === '')
    return kind === 'openai_compatible' ? [{ path, message: 'is required with the kind openai_compatible' }] : [];
  const problem = problemOfUrl(url);
  return problem === '' ? [] : [{ path, message: problem }];
}

/** Sending a secret to a new address reveals it there, so the change needs `secrets:write`. Throws 403 `forbidden`. */
function requireSecretsScope(caller: Caller, before: readonly OwnProvider[], after: readonly OwnProvider[]): void {
  if (caller.scopes.has('secrets:write')) return;
  const isThere = ({ secret, base_url: url }: OwnProvider): boolean =>
    before.some((other) => other.secret === secret && other.base_url === url);
  const added = after.find((provider) => provider.secret !== '' && provider.base_url !== '' && !isThere(provider));
  if (added === undefined) return;
  throw new AppError(
    'forbidden',
    `${grantOf(caller)} needs the scope secrets:write to send the secret ${added.secret} to ${added.base_url}.`,
  );
}

async function missingSecrets(
  { trx, orgId }: Organization,
  providers: readonly OwnProvider[],
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

/** A pattern may name an operator's provider that is not configured yet, or leave the provider open. */
function missingProviders({ config }: Organization, value: ModelSettings): SchemaProblem[] {
  const all = modelsIn(config.models, value);
  const problem = value.default === '' ? '' : unknownProvider(config, all, value.default);
  const known = all.providers.map(({ name }) => name).join(', ');
  const advice =
    known === ''
      ? 'but none is configured. Add it to providers, or omit the entry'
      : `which is not configured. Configured providers: ${known}`;
  const patterns = (['allowed', 'pro_only'] as const).flatMap((key) =>
    value[key].flatMap((pattern, at) => {
      const provider = parseModelName(pattern)?.provider ?? '*';
      const isKnown = provider.includes('*') || isEnvironmentProvider(provider) || resolveModel(all, pattern).ok;
      if (isKnown) return [];
      return [{ path: `/${key}/${at}`, message: `names the provider ${provider}, ${advice}` }];
    }),
  );
  return [
    ...(problem === '' ? [] : [{ path: '/default', message: `cannot be used: ${problem.replace(/\.$/, '')}` }]),
    ...patterns,
  ];
}
