import { useId } from 'react';
import { LongTextField, NumberField, SelectField, TextField } from '../../forms/Form.tsx';
import type { Schemas } from '../../lib/api.ts';
import type { Group } from './queries.ts';

export interface GroupValues {
  name: string;
  description: string;
  limits: Group['limits'];
}

export const noLimits: GroupValues = {
  name: '',
  description: '',
  limits: {
    per_day: { cost_usd: null, tokens: null, sessions: null, sandbox_minutes: null },
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    on_exceed: 'block',
  },
};

export function bodyOf({ name, description, limits }: GroupValues): Schemas['CreateGroupRequest'] {
  return { name: name.trim(), description, limits };
}

const zones = Intl.supportedValuesOf('timeZone');

const onExceed = [
  ['block', 'is refused'],
  ['queue', 'waits until there is room again'],
] as const;

/** The fields of a group and its limits. */
export function GroupFields() {
  const list = useId();
  return (
    <>
      <TextField name="name" label="Name" maxLength={200} />
      <LongTextField name="description" label="Description" rows={2} maxLength={2_000} />
      <fieldset className="flex flex-col gap-4">
        <legend className="pb-2 font-medium">Limits for the sessions of all members together, per day</legend>
        <div className="grid gap-4 sm:grid-cols-2">
          <NumberField
            name="limits.per_day.cost_usd"
            label="Cost in US dollars"
            min={0}
            step="any"
            placeholder="unlimited"
          />
          <NumberField name="limits.per_day.tokens" label="Tokens" min={0} placeholder="unlimited" />
          <NumberField name="limits.per_day.sessions" label="Sessions" min={0} placeholder="unlimited" />
          <NumberField
            name="limits.per_day.sandbox_minutes"
            label="Sandbox minutes"
            min={0}
            step="any"
            placeholder="unlimited"
          />
          <TextField
            name="limits.timezone"
            label="Time zone"
            hint="The day begins at its midnight: UTC, Europe/Berlin …"
            list={list}
          />
          <SelectField name="limits.on_exceed" label="Beyond a limit, a new session" options={onExceed} />
        </div>
        <datalist id={list}>
          {zones.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </fieldset>
    </>
  );
}
