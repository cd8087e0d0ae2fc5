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

/** Returns where a result is: the route, and the path in it. */
export function placeOf(org: string, { type, id, repository_id: repository, number }: Found) {
  const at = (route: string, path: string) => ({ route: `/$org/${route}`, path: `/${org}/${path}` });
  switch (type) {
    case 'session':
      return at('sessions/$id', `sessions/${id}`);
    case 'change_request':
      return at(
        'repositories/$repository/change-requests/$number',
        `repositories/${repository}/change-requests/${number ?? ''}`,
      );
    case 'repository':
      return at('repositories/$id', `repositories/${id}`);
    case 'note':
      return at('knowledge/$noteId', `knowledge/${id}`);
    case 'automation':
      return at('automations/$id', `automations/${id}`);
    case 'member':
      return at('members', 'members');
  }
}

/** Returns true if a label has every word of a text, or one that begins with it. */
export function fits(label: string, text: string): boolean {
  const words = label.toLowerCase().split(/\s+/);
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}
