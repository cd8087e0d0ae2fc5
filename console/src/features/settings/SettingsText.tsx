import { groupsOf } from '../../forms/schema/groups.ts';
import type { SchemaField } from '../../forms/schema/shape.ts';
import { shown } from '../../forms/schema/words.ts';
import { Facts } from '../../ui/Page.tsx';
import { valueOf, type Chosen } from './draft.ts';

/** The values of settings, for who may not change them. */
export function SettingsText({ fields, chosen }: { fields: readonly SchemaField[]; chosen: Chosen }) {
  return groupsOf(fields).map((group) => (
    <section key={group[0]?.key} aria-label={group[0]?.group || undefined} className="flex flex-col gap-2">
      {group[0]?.group !== '' && <h2 className="border-b border-line pb-1 text-read font-medium">{group[0]?.group}</h2>}
      <Facts facts={group.map((field) => [field.title, shown(field, valueOf(field, chosen))] as const)} />
    </section>
  ));
}
