import type { Schemas } from '../../lib/api.ts';

export type Found = Schemas['SearchResult'];

export const typeTitles: Record<Found['type'], string> = {
  session: 'Sessions',
  change_request: 'Change requests',
  repository: 'Repositories',
  note: 'Knowledge',
  automation: 'Automations',
  member: 'Members',
};

/** Returns the path of the page of a result. */
export function placeOf(org: string, { type, id, repository_id: repository, number }: Found): string {
  switch (type) {
    case 'session':
      return `/${org}/sessions/${id}`;
    case 'change_request':
      return `/${org}/repositories/${repository}/change-requests/${number ?? ''}`;
    case 'repository':
      return `/${org}/repositories/${id}`;
    case 'note':
      return `/${org}/knowledge/${id}`;
    case 'automation':
      return `/${org}/automations/${id}`;
    case 'member':
      return `/${org}/members/${id}`;
  }
}

/** Returns the address of the section that a route belongs to: a change request is below its repository, but not in it. */
export function sectionOf(route: string): string {
  const [, org = '', first = '', , third] = route.split('/');
  return `/${org}/${third === 'change-requests' ? third : first}`;
}

/** Returns true if a label has every word of a text, or one that begins with it. */
export function fits(label: string, text: string): boolean {
  const words = label.toLowerCase().split(/\s+/);
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}
