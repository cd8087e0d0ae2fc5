import { Facts } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { Markdown } from '../sessions/timeline/Markdown.tsx';
import type { Note } from './queries.ts';
import { givenTo } from './words.ts';

/** A note for those who may not change it. */
export function NoteReader({ note }: { note: Note }) {
  const { trigger, body, use_count: uses, last_used_at: usedAt, updated_at: updatedAt } = note;
  return (
    <>
      <Facts
        facts={[
          ['When', trigger],
          ['For', givenTo(note)],
          ['Used', usedAt === null ? 'never' : `${uses} times`],
          ['Changed', <Time key="changed" at={updatedAt} />],
        ]}
      />
      <Markdown text={body} />
    </>
  );
}
