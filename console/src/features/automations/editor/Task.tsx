import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { useController, useFieldArray, useFormContext } from 'react-hook-form';
import { LongTextField, NumberField, SelectField, TextField } from '../../../forms/Form.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Field } from '../../../ui/Field.tsx';
import { AgentPicker } from '../../agents/AgentPicker.tsx';
import { repositoriesQuery } from '../../sessions/composer/queries.ts';
import type { EditorValues } from './values.ts';

const deliveries = [
  ['', 'As the settings say'],
  ['change_request', 'A change request'],
  ['draft', 'A draft of a change request'],
  ['branch', 'A branch'],
  ['none', 'Nothing'],
] as const;

/** What a run's session is told, where it works, and what comes of it. */
export function Task({ org }: { org: string }) {
  return (
    <>
      <LongTextField
        name="action.prompt_template"
        label="What the session is told"
        rows={5}
        maxLength={50_000}
        hint="{{payload.name}} refers to a field of what the trigger sends; {{automation.name}}, {{trigger.type}} and {{trigger.scheduled_at}} are replaced."
      />
      <Repositories org={org} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Agent org={org} />
        <SelectField name="action.deliver" label="Deliver" options={deliveries} />
        <NumberField
          name="action.budget.max_cost_usd"
          label="Limit of cost of a session, in US dollars"
          min={0.01}
          step="any"
          hint="Empty: only the organization's limits hold."
        />
        <NumberField
          name="action.budget.max_minutes"
          label="Limit of its work, in minutes"
          min={1}
          hint="Empty: no limit of its own."
        />
        <NumberField name="action.budget.max_turns" label="Limit of turns" min={1} hint="With the first one." />
        <NumberField name="action.budget.max_tokens" label="Limit of tokens" min={1} hint="Of all its calls." />
        <TextField name="action.tags" label="Tags" hint="Separated by commas." placeholder="nightly, deps" />
      </div>
    </>
  );
}

function Repositories({ org }: { org: string }) {
  const { control } = useFormContext<EditorValues>();
  const { fields, append, remove } = useFieldArray({ control, name: 'action.repositories' });
  const { data: repositories = [] } = useQuery(repositoriesQuery(org, ''));
  const names = useId();
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 font-medium">Repositories</legend>
      {fields.length === 0 && <p className="text-ink-3">None: an empty workspace, from which nothing is delivered.</p>}
      <datalist id={names}>
        {repositories.map(({ id, repo }) => (
          <option key={id} value={repo} />
        ))}
      </datalist>
      {fields.map(({ id }, at) => (
        <div key={id} className="grid grid-cols-[minmax(0,2fr)_minmax(0,1fr)_auto] items-start gap-2">
          <TextField
            name={`action.repositories.${at}.repo`}
            label="Repository"
            placeholder="owner/name"
            maxLength={200}
            list={names}
          />
          <TextField name={`action.repositories.${at}.ref`} label="Branch" placeholder="default" maxLength={240} />
          <Button
            look="bare"
            aria-label={`Remove repository ${at + 1}`}
            className="mt-6 px-2"
            onClick={() => remove(at)}
          >
            <X size={16} strokeWidth={1.5} aria-hidden />
          </Button>
        </div>
      ))}
      {fields.length < 10 && (
        <div>
          <Button look="bare" className="px-1" onClick={() => append({ provider: '', repo: '', ref: '' })}>
            <Plus size={16} strokeWidth={1.5} aria-hidden /> Repository
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function Agent({ org }: { org: string }) {
  const { field, fieldState } = useController<EditorValues, 'action.agent_id'>({ name: 'action.agent_id' });
  return (
    <Field label="Agent" problem={fieldState.error?.message}>
      {(named) => (
        <AgentPicker org={org} named={named} value={field.value} none="The default agent" onChange={field.onChange} />
      )}
    </Field>
  );
}
