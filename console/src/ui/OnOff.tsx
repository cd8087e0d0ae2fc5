import { Chip } from './Chip.tsx';
import { FilterSelect } from './Filters.tsx';

const states = [
  ['on', 'On'],
  ['off', 'Off'],
] as const;

/** Shows only what is on, or only what is off. */
export function OnFilter({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (on: string | undefined) => void;
}) {
  return <FilterSelect label="State" value={value} options={states} onChange={onChange} />;
}

/** Says that something is on or off. */
export function OnChip({ isOn }: { isOn: boolean }) {
  return <Chip tone={isOn ? 'run' : 'plain'}>{isOn ? 'On' : 'Off'}</Chip>;
}
