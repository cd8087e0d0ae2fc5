import { Plus, X } from 'lucide-react';
import { useFieldArray, useFormContext } from 'react-hook-form';
import { SelectField, TextField } from '../../../forms/Form.tsx';
import { Button } from '../../../ui/Button.tsx';
import { cronWords, hasPayload, triggerTypes } from '../words.ts';
import { Conditions } from './Conditions.tsx';
import { NextTimes } from './NextTimes.tsx';
import { useValidation } from './useValidation.ts';
import { newTrigger, type EditorValues } from './values.ts';

/** Occasions that people name, and their cron expressions. */
const commonTimes = [
  ['0 * * * *', 'each hour'],
  ['30 2 * * *', 'each night'],
  ['0 7 * * 1-5', 'weekday mornings'],
  ['0 8 * * 1', 'Monday mornings'],
  ['0 6 1 * *', 'the first of a month'],
] as const;

/** The triggers; any of them starts a run. */
export function Triggers({ org }: { org: string }) {
  const { control } = useFormContext<EditorValues>();
  const { fields, append, remove } = useFieldArray({ control, name: 'triggers', keyName: 'key' });
  return (
    <>
      {fields.length === 0 && <p className="text-ink-3">Without a trigger it runs only when somebody runs it.</p>}
      <ol className="flex flex-col gap-4">
        {fields.map(({ key }, at) => (
          <li key={key} className="flex flex-col gap-3 border-l-2 border-line-strong pl-3">
            <Trigger org={org} at={at} remove={() => remove(at)} />
          </li>
        ))}
      </ol>
      {fields.length < 10 && (
        <div>
          <Button onClick={() => append(newTrigger())}>
            <Plus size={16} strokeWidth={1.5} aria-hidden /> {fields.length === 0 ? 'Trigger' : 'Another trigger'}
          </Button>
        </div>
      )}
    </>
  );
}

function Trigger({ org, at, remove }: { org: string; at: number; remove: () => void }) {
  const { watch } = useFormContext<EditorValues>();
  const { id, type } = watch(`triggers.${at}`);
  // The type of a stored trigger stays, or it would lose its id.
  const types = id === '' ? triggerTypes : triggerTypes.filter(([one]) => one === type);
  return (
    <>
      <div className="flex items-end gap-2">
        <div className="min-w-0 flex-1">
          <SelectField name={`triggers.${at}.type`} label={`Trigger ${at + 1}`} options={types} />
        </div>
        <Button look="bare" aria-label={`Remove trigger ${at + 1}`} className="px-2" onClick={remove}>
          <X size={16} strokeWidth={1.5} aria-hidden />
        </Button>
      </div>
      {type === 'schedule' && <Schedule org={org} at={at} />}
      {type === 'once' && (
        <TextField
          name={`triggers.${at}.at`}
          label="Time"
          type="datetime-local"
          hint="In the time zone of this browser."
        />
      )}
      {type === 'webhook' && id === '' && (
        <p className="text-ink-3">Its URL and its secret are shown when the automation is saved.</p>
      )}
      {hasPayload(type) && <Conditions at={at} type={type} />}
    </>
  );
}

function Schedule({ org, at }: { org: string; at: number }) {
  const { watch, setValue } = useFormContext<EditorValues>();
  const { cron, timezone } = watch(`triggers.${at}`);
  const { data, issueAt } = useValidation(org);
  const words = cronWords(cron);
  const problem = issueAt(`triggers.${at}.cron`) ?? issueAt(`triggers.${at}.timezone`);
  return (
    <>
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <div className="flex flex-col gap-1">
          <TextField
            name={`triggers.${at}.cron`}
            label="Cron expression"
            mono
            maxLength={200}
            placeholder="30 2 * * 1-5"
          />
          <p className="font-medium" aria-live="polite">
            {words}
          </p>
        </div>
        <TextField
          name={`triggers.${at}.timezone`}
          label="Time zone"
          maxLength={64}
          list="time-zones"
          hint="Minute, hour, day, month, weekday are of this zone."
        />
      </div>
      <datalist id="time-zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <p className="flex flex-wrap items-center gap-x-1 text-ink-3">
        Common:
        {commonTimes.map(([expression, word]) => (
          <Button
            key={expression}
            look="bare"
            className="h-6 px-1.5 font-normal"
            onClick={() => setValue(`triggers.${at}.cron`, expression, { shouldDirty: true })}
          >
            {word}
          </Button>
        ))}
      </p>
      {problem !== undefined ? (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      ) : (
        <NextTimes timezone={timezone} times={data?.triggers[at]?.next_times} />
      )}
    </>
  );
}
