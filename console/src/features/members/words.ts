import type { Member } from './queries.ts';

type Permission = Member['permission'];

/** Each permission with what it allows. */
export const permissions: readonly (readonly [Permission, string, string])[] = [
  ['admin', 'Administrator', 'may do everything'],
  ['member', 'Member', 'does everything but administer the organization'],
  ['viewer', 'Viewer', 'only reads'],
];

export const permissionOptions = permissions.map(([id, word, meaning]) => [id, `${word}: ${meaning}`] as const);

export const roleOptions = [
  ['regular', 'Regular'],
  ['pro', 'Pro: may also use the models that are reserved for it'],
] as const;

export function permissionWord(permission: string): string {
  return permissions.find(([id]) => id === permission)?.[1] ?? permission;
}

/** Returns the addresses in a text, which commas, semicolons, spaces or lines part. */
export function addressesIn(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((part) => part !== ''))];
}
