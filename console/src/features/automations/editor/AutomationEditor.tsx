import { useFormContext } from 'react-hook-form';
import { ChoiceField } from '../../../forms/ChoiceField.tsx';
import { Form, NumberField, TextField } from '../../../forms/Form.tsx';
import { useApiForm } from '../../../forms/useApiForm.ts';
import { apiOf, unwrap } from '../../../lib/api.ts';
import { keys } from '../../../lib/keys.ts';
import { Section } from '../../../ui/Page.tsx';
import { concurrencies, executors, missedRuns, runAs, type Automation } from '../words.ts';
import { Task } from './Task.tsx';
import { Triggers } from './Triggers.tsx';
import { TryIt } from './TryIt.tsx';
import { requestOf, type EditorValues } from './values.ts';

const path = '/v3/organizations/{orgId}/automations';

export interface EditorProps {
  org: string;
  /** The automation that is changed; undefined for a new one. */
  before?: Automation;
  values: EditorValues;
  /** Told when it is saved; the answer has the secret of a new webhook. */
  saved: (automation: Automation) => unknown;
}

/** Makes an automation, or changes one: when it runs, what its sessions are told, and what follows from failures. */
export function AutomationEditor({ org, before, values, saved }: EditorProps) {
  const form = useApiForm<EditorValues, Automation>({
    values,
    etag: before === undefined ? '' : `"${before.revision}"`,
    text: { name: 'automation.json', of: (input) => JSON.stringify(requestOf(input), null, 2) },
    fieldOf: (at) => (at.startsWith('action.tags') ? 'action.tags' : at),
    call: (input, header) => {
      const { enabled, ...body } = requestOf(input);
      return before === undefined
        ? unwrap(apiOf(org).POST(path, { body: { ...body, ...(enabled === undefined ? {} : { enabled }) } }))
        : unwrap(apiOf(org).PATCH(`${path}/{id}`, { params: { path: { id: before.id }, header }, body }));
    },
    touches: [keys.lists(org, 'automations')],
    says: before === undefined ? 'The automation is created.' : 'The automation is saved.',
    done: (automation) => saved(automation),
  });
  return (
    <>
      <Form
        of={form}
        action={before === undefined ? 'Create the automation' : 'Save'}
        needsChange={before !== undefined}
      >
        <div className="grid items-start gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,400px)]">
          <div className="flex min-w-0 flex-col gap-6">
            <TextField name="name" label="Name" maxLength={200} />
            <Section title="When it runs">
              <Triggers org={org} />
            </Section>
            <Section title="What it does">
              <Task org={org} />
            </Section>
            <Section title="How it behaves">
              <Behavior />
            </Section>
          </div>
          <div className="min-w-0 lg:sticky lg:top-4">
            <TryIt org={org} />
          </div>
        </div>
      </Form>
    </>
  );
}

function Behavior() {
  const isExternal = useFormContext<EditorValues>().watch('executor') === 'external';
  return (
    <>
      <ChoiceField name="concurrency" label="If a run comes due while another goes on" options={concurrencies} />
      <ChoiceField name="missed_runs" label="Times that passed while the platform was down" options={missedRuns} />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          name="retry.max_attempts"
          label="Attempts"
          min={1}
          max={20}
          hint="Of a run that fails or times out, with the first one."
        />
        <NumberField
          name="retry.backoff_seconds"
          label="Wait before the second attempt, in seconds"
          min={0}
          max={86_400}
          hint="It doubles with each further attempt."
        />
        <NumberField
          name="timeout_minutes"
          label="End an attempt after, in minutes"
          min={1}
          max={10_080}
          hint="From the start of its work; at most a week."
        />
        <NumberField
          name="pause_after_failures"
          label="Pause it after failures in a row"
          min={0}
          max={1_000}
          hint="0: never. Empty: as the settings of automations say."
        />
      </div>
      <ChoiceField name="executor" label="Who does the work" options={executors} />
      {!isExternal && <ChoiceField name="run_as" label="In whose name" options={runAs} />}
    </>
  );
}
