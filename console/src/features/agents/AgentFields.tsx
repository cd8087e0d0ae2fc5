import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { LongTextField, NumberField, TextField } from '../../forms/Form.tsx';
import { Field, fieldClass } from '../../ui/Field.tsx';
import { modelNamesQuery, runtimesQuery } from './queries.ts';
import { templateOf } from './runtime.ts';
import type { AgentValues } from './values.ts';

/** The fields of an agent. `said` is the problem that the page shows already. */
export function AgentFields({ org, said = '' }: { org: string; said?: string }) {
  const { control } = useFormContext<AgentValues>();
  const runtime = useWatch({ control, name: 'runtime' });
  const { data: models = [] } = useQuery(modelNamesQuery(org));
  const names = useId();
  const isScript = runtime === 'script';
  return (
    <>
      <TextField name="name" label="Name" maxLength={200} />
      <TextField name="description" label="Description" hint="For people." maxLength={2_000} />
      <RuntimeField org={org} said={said} />
      {runtime !== 'builtin' && (
        <LongTextField
          name="runtime_config"
          label="Configuration"
          hint={
            isScript
              ? 'JSON: steps with run and allow_failure, a summary, and a check.'
              : 'JSON: the preset, and optionally command and args.'
          }
          rows={4}
          mono
        />
      )}
      {!isScript && (
        <>
          <LongTextField
            name="system_prompt"
            label="Prompt"
            hint="Added to what the agent is told in every session."
            rows={10}
            maxLength={100_000}
            mono
          />
          <TextField
            name="model"
            label="Model"
            hint="Empty: the organization’s default."
            placeholder="provider/model"
            list={names}
            mono
          />
          <datalist id={names}>
            {models.map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
          <div className="grid gap-4 sm:grid-cols-2">
            <NumberField
              name="max_tokens"
              label="Tokens of one response, at most"
              hint="Empty: the model’s own limit. Once set, it can be changed, and not emptied."
              min={1}
              max={1_000_000}
              step={1}
            />
            <NumberField
              name="temperature"
              label="Temperature"
              hint="0 to 2. Empty: the model’s own. Once set, it can be changed, and not emptied."
              min={0}
              max={2}
              step="any"
            />
          </div>
        </>
      )}
    </>
  );
}

/** The choice of the program; one that cannot start says why. */
function RuntimeField({ org, said }: { org: string; said: string }) {
  const { register, setValue, control, getFieldState, formState } = useFormContext<AgentValues>();
  const { data: runtimes = [] } = useQuery(runtimesQuery(org));
  const chosen = useWatch({ control, name: 'runtime' });
  const problem = runtimes.find(({ id }) => id === chosen)?.problem ?? '';
  const isKnown = runtimes.some(({ id }) => id === chosen);
  const options = {
    onChange: ({ target }: { target: { value: string } }) =>
      setValue('runtime_config', templateOf(target.value), { shouldDirty: true }),
  };
  return (
    <Field
      label="Program"
      {...(problem === '' || problem === said ? {} : { hint: problem })}
      problem={getFieldState('runtime', formState).error?.message}
    >
      {(attributes) => (
        // The programs arrive later: without the value, the browser would show the first of them.
        <select {...attributes} className={fieldClass} value={chosen} {...register('runtime', options)}>
          {!isKnown && <option value={chosen}>{chosen}</option>}
          {runtimes.map(({ id, name, installed }) => (
            <option key={id} value={id}>
              {name}
              {!installed && ' (cannot start here)'}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
