import type { SchemaField } from '../../forms/schema/shape.ts';
import { shown } from '../../forms/schema/words.ts';
import type { Schemas } from '../../lib/api.ts';
import { isSame } from '../../lib/same.ts';

export type SettingsRecord = Schemas['SettingsNamespace'];

/** The values that somebody chose, by key; all others have their defaults. */
export type Chosen = Readonly<Record<string, unknown>>;

/** Returns the chosen values of settings. */
export function chosenOf({ value, set_keys: keys }: Pick<SettingsRecord, 'value' | 'set_keys'>): Chosen {
  return Object.fromEntries(keys.map((key) => [key, value[key]]));
}

/** Returns the value in effect of a field. */
export function valueOf(field: SchemaField, chosen: Chosen): unknown {
  return Object.hasOwn(chosen, field.key) ? chosen[field.key] : field.byDefault;
}

/** Returns the chosen values with another one; undefined goes back to the default. */
export function withValue(chosen: Chosen, key: string, value: unknown): Chosen {
  const others = Object.entries(chosen).filter(([name]) => name !== key);
  return Object.fromEntries(value === undefined ? others : [...others, [key, value]]);
}

/** Returns the fields that two drafts choose differently. */
export function changedFields(fields: readonly SchemaField[], before: Chosen, after: Chosen): SchemaField[] {
  return fields.filter(
    ({ key }) => Object.hasOwn(before, key) !== Object.hasOwn(after, key) || !isSame(before[key], after[key]),
  );
}

/** Returns what a change of a field is, in words: `2 cores → 4 cores`, `+ api.example.com`, `back to the default`. */
export function changeText(field: SchemaField, before: Chosen, after: Chosen): string {
  const [old, next] = [valueOf(field, before), valueOf(field, after)];
  const isReset = !Object.hasOwn(after, field.key);
  const change = isSame(old, next) ? '' : differenceText(field, old, next);
  if (isReset) return change === '' ? 'back to the default' : `back to the default, ${change}`;
  return change === '' ? `stays ${clip(shown(field, next))} if the default changes` : change;
}

function differenceText(field: SchemaField, old: unknown, next: unknown): string {
  if (field.shape.kind === 'texts' && Array.isArray(old) && Array.isArray(next)) {
    const added = next.filter((item) => !old.includes(item)).map((item) => `+ ${String(item)}`);
    const removed = old.filter((item) => !next.includes(item)).map((item) => `− ${String(item)}`);
    if (added.length + removed.length > 0) return clip([...added, ...removed].join(' '));
  }
  return `${clip(shown(field, old))} → ${clip(shown(field, next))}`;
}

/** Returns the chosen values of somebody else, with the own changes since `before` on top of them. */
export function merged(fields: readonly SchemaField[], before: Chosen, theirs: Chosen, mine: Chosen): Chosen {
  return changedFields(fields, before, mine).reduce(
    (chosen, { key }) => withValue(chosen, key, Object.hasOwn(mine, key) ? mine[key] : undefined),
    theirs,
  );
}

function clip(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
