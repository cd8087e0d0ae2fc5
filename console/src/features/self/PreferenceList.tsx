import { Body, Section } from '../../ui/Page.tsx';
import { LettersSwitch } from '../shell/Keys.tsx';
import { usePreferences } from '../shell/preferences.ts';

const themeWords = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

const densityWords = [
  ['normal', 'Normal'],
  ['dense', 'Dense'],
] as const;

/** How the person likes the console, in every browser. */
export function PreferenceList({ org }: { org: string }) {
  const { preferences, change } = usePreferences(org);
  return (
    <Body>
      <p className="text-ink-2">These follow you to every browser in which you sign in.</p>
      <Section title="Theme">
        <Choice label="Theme" options={themeWords} value={preferences.theme} onChange={(theme) => change({ theme })} />
      </Section>
      <Section title="Rows of tables">
        <Choice
          label="Rows of tables"
          options={densityWords}
          value={preferences.density}
          onChange={(density) => change({ density })}
        />
      </Section>
      <Section title="Keys">
        <LettersSwitch org={org} />
      </Section>
    </Body>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  options: readonly (readonly [Value, string])[];
  value: Value;
  onChange: (value: Value) => void;
}

function Choice<Value extends string>({ label, options, value, onChange }: ChoiceProps<Value>) {
  return (
    <div role="radiogroup" aria-label={label} className="flex flex-wrap gap-x-6">
      {options.map(([id, word]) => (
        <label key={id} className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
          <input
            type="radio"
            name={label}
            checked={id === value}
            onChange={() => onChange(id)}
            className="size-4 accent-accent"
          />
          {word}
        </label>
      ))}
    </div>
  );
}
