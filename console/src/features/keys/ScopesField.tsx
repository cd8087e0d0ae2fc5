import { Controller, useFormContext } from 'react-hook-form';
import { cx } from '../../ui/cx.ts';
import { presetOf, presetsFor, scopeGroups, type Scope } from './scopes.ts';

/** The choice of scopes, by preset and one by one. Only those are offered that the person has. */
export function ScopesField({ own }: { own: readonly string[] }) {
  const { control, getFieldState, formState } = useFormContext<{ scopes: Scope[] }>();
  const problem = getFieldState('scopes', formState).error?.message;
  return (
    <Controller
      control={control}
      name="scopes"
      rules={{ validate: (chosen) => chosen.length > 0 || 'Choose at least one.' }}
      render={({ field: { value, onChange } }) => (
        <fieldset
          className="flex flex-col gap-3"
          aria-describedby={problem === undefined ? undefined : 'scopes-problem'}
        >
          <legend className="pb-2 font-medium">What the key may do</legend>
          <Presets own={own} value={value} onChange={onChange} />
          <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
            {scopeGroups.map(({ title, scopes }) => {
              const offered = scopes.filter(({ scope }) => own.includes(scope));
              return (
                offered.length > 0 && (
                  <div key={title} role="group" aria-label={title}>
                    <p className="text-meta text-ink-3">{title}</p>
                    {offered.map(({ scope, words }) => (
                      <label key={scope} className="flex min-h-6 items-start gap-2 py-0.5 pointer-coarse:min-h-11">
                        <input
                          type="checkbox"
                          checked={value.includes(scope)}
                          onChange={({ target }) =>
                            onChange(target.checked ? [...value, scope] : value.filter((one) => one !== scope))
                          }
                          className="mt-0.5 size-4 shrink-0 accent-accent"
                        />
                        <span>
                          <code>{scope}</code> <span className="text-ink-3">{words}</span>
                        </span>
                      </label>
                    ))}
                  </div>
                )
              );
            })}
          </div>
          {problem !== undefined && (
            <p id="scopes-problem" role="alert" className="text-meta text-bad">
              {problem}
            </p>
          )}
        </fieldset>
      )}
    />
  );
}

interface PresetsProps {
  own: readonly string[];
  value: readonly Scope[];
  onChange: (scopes: Scope[]) => void;
}

function Presets({ own, value, onChange }: PresetsProps) {
  const current = presetOf(value, own);
  return (
    <div role="group" aria-label="Presets" className="flex flex-wrap gap-2">
      {presetsFor(own).map(({ name, scopes }) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === current}
          onClick={() => onChange(scopes)}
          className={cx(
            'h-8 rounded-control border px-3 pointer-coarse:h-11',
            name === current ? 'border-accent bg-accent-soft font-medium' : 'border-line-strong hover:bg-sunken',
          )}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
