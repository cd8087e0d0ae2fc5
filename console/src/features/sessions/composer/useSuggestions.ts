import { useQuery } from '@tanstack/react-query';
import { useSettled } from '../../../lib/useSettled.ts';
import { useCan } from '../../shell/useCan.ts';
import { filesQuery, notesQuery, skillsQuery, useRepository } from './queries.ts';
import type { Mention } from './mention.ts';

/** Something that can be named. */
export interface Suggestion {
  /** Part of the id of its element. */
  key: string;
  name: string;
  detail: string;
}

interface Options {
  org: string;
  mention: Mention | undefined;
  repo: string;
  at: string;
}

/** Returns the files, the notes or the skills that fit what is being named. */
export function useSuggestions({ org, mention, repo, at }: Options): Suggestion[] {
  const typed = mention?.query ?? '';
  const query = useSettled(typed, 120);
  const repository = useRepository(org, repo);
  const canReadNotes = useCan(org, 'knowledge:read');
  const canReadSkills = useCan(org, 'plugins:read');
  const files = useQuery({
    ...filesQuery(org, repository?.id ?? '', at, query),
    enabled: mention?.kind === 'file' && repository !== undefined,
  });
  const notes = useQuery({ ...notesQuery(org, query), enabled: mention?.kind === 'note' && canReadNotes });
  const skills = useQuery({ ...skillsQuery(org), enabled: mention?.kind === 'skill' && canReadSkills });
  if (mention?.kind === 'file' && repository !== undefined)
    return fitting(
      (files.data ?? []).map(({ path }) => ({ name: path, detail: '' })),
      typed,
    );
  if (mention?.kind === 'note')
    return fitting(
      (notes.data ?? []).map(({ name, trigger }) => ({ name, detail: trigger })),
      typed,
    );
  if (mention?.kind === 'skill')
    return fitting(
      (skills.data ?? []).map(({ name, description }) => ({ name, detail: description })),
      typed,
    ).slice(0, 8);
  return [];
}

/** What was found for an earlier text stays only as far as it fits the current one: Enter must not choose another. */
function fitting(found: readonly Omit<Suggestion, 'key'>[], typed: string): Suggestion[] {
  const part = typed.toLowerCase();
  return found
    .filter(({ name, detail }) => `${name} ${detail}`.toLowerCase().includes(part))
    .map((one, index) => ({ ...one, key: `${index}` }));
}
