import type { SchemaField } from './shape.ts';

/** Returns the fields that follow one another with the same heading. */
export function groupsOf(fields: readonly SchemaField[]): SchemaField[][] {
  const groups: SchemaField[][] = [];
  for (const field of fields) {
    const last = groups.at(-1);
    if (last !== undefined && last[0]?.group === field.group) last.push(field);
    else groups.push([field]);
  }
  return groups;
}
