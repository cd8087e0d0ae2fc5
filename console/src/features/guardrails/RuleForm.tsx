import { useQuery } from '@tanstack/react-query';
import { useFormContext } from 'react-hook-form';
import { CheckField, Form, LongTextField, NumberField, SelectField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { Section } from '../../ui/Page.tsx';
import {
  origins,
  ruleGroups,
  ruleValue,
  scans,
  sourceWord,
  type Effective,
  type Rule,
  type RuleInfo,
} from './rules.ts';
import { ownRulesQuery } from './queries.ts';
import { inheritedOf, requestOf, valuesOf, type RuleValues } from './values.ts';

const path = '/v3/organizations/{orgId}/guardrails';

interface Props {
  org: string;
  /** Those that hold here. */
  rules: Effective;
  /** Those of the organization, which a repository inherits. */
  organization: Effective;
}

/** Sets rules here, or leaves them to where they are inherited from. */
export function RuleForm({ org, rules, organization }: Props) {
  const here = rules.repository_id === '' ? 'organization' : 'repository';
  const { data: own } = useQuery(ownRulesQuery(org, rules.repository_id));
  const form = useApiForm<RuleValues, unknown>({
    values: valuesOf(rules, here),
    etag: own?.etag ?? '',
    // The rules that hold are read by another request, perhaps a moment later.
    seen: own?.set_keys.map((key) => [key, own[key]]),
    text: { name: 'rules.json', of: (input) => JSON.stringify(requestOf(input), null, 2) },
    fieldOf: (at) => at.split('.')[0] ?? at,
    call: (input, header) => {
      const body = requestOf(input);
      if (here === 'organization') return unwrap(apiOf(org).PUT(`${path}/default`, { params: { header }, body }));
      const params = { path: { repoId: rules.repository_id }, header };
      return unwrap(apiOf(org).PUT(`${path}/{repoId}`, { params, body }));
    },
    touches: [keys.lists(org, 'guardrails')],
    says: 'The rules are saved. Running sessions have them from their next check on.',
  });
  const inherited = inheritedOf(here, organization);
  return (
    <Form of={form} action="Save the rules">
      {ruleGroups.map(({ title, rules: infos }) => (
        <Section key={title} title={title}>
          {infos.map((info) => (
            <RuleRow
              key={info.rule}
              info={info}
              inherited={ruleValue(info, inherited)}
              source={here === 'organization' ? sourceWord('platform') : sourceWord(organization.sources[info.rule])}
            />
          ))}
        </Section>
      ))}
    </Form>
  );
}

function RuleRow({ info, inherited, source }: { info: RuleInfo; inherited: string; source: string }) {
  const { watch, register } = useFormContext<RuleValues>();
  const isOwn = watch(`own.${info.rule}`);
  return (
    <div className="grid items-start gap-x-4 gap-y-1 border-b border-line pb-3 sm:grid-cols-[240px_minmax(0,1fr)]">
      <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
        <input
          type="checkbox"
          className="size-4 shrink-0 accent-accent"
          aria-label={`Set here: ${info.label}`}
          {...register(`own.${info.rule}`)}
        />
        {info.label}
      </label>
      {isOwn ? (
        // The row has the label already, for those who see it.
        <div className="[&_label[for]]:sr-only [&_legend]:sr-only">
          <RuleField info={info} />
        </div>
      ) : (
        <p className="min-w-0 self-center break-words">
          <span className="mono">{inherited}</span> <span className="text-ink-3">· {source}</span>
        </p>
      )}
    </div>
  );
}

function RuleField({ info: { rule, kind, label, hint } }: { info: RuleInfo }) {
  if (kind === 'patterns') return <LongTextField name={rule} label={label} hint={hint} mono rows={3} />;
  if (kind === 'yes')
    return (
      <div role="group" aria-label={label}>
        <CheckField name={rule} label="Yes" hint={hint} />
      </div>
    );
  if (kind === 'scan') return <SelectField name={rule} label={label} hint={hint} options={scans} />;
  if (kind === 'origins') return <OriginsField rule={rule} label={label} hint={hint} />;
  return (
    <NumberField name={rule} label={label} hint={hint} min={0} max={1_000_000} step={kind === 'cost' ? 'any' : 1} />
  );
}

function OriginsField({ rule, label, hint }: { rule: Rule; label: string; hint: string }) {
  const { register } = useFormContext();
  return (
    <fieldset>
      <legend className="font-medium">{label}</legend>
      <div className="flex flex-wrap gap-x-4">
        {origins.map(([id, word]) => (
          <label key={id} className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
            <input type="checkbox" value={id} className="size-4 accent-accent" {...register(rule)} />
            {word}
          </label>
        ))}
      </div>
      <p className="text-meta text-ink-3">{hint}</p>
    </fieldset>
  );
}
