import { useState } from 'react';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { useConfirm } from '../../ui/Confirm.tsx';
import { LongText } from '../../ui/LongText.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { Time } from '../../ui/Time.tsx';
import { useCan } from '../shell/useCan.ts';
import { EditMemory } from './MemoryForms.tsx';
import { memoryPath, type MemoryItem } from './queries.ts';
import { sizeOf, sizeWords } from './size.ts';

/** A memory note, or the form that changes it. */
export function MemoryCard({ org, item }: { org: string; item: MemoryItem }) {
  const { memory_id: id, title, content, revision, updated_at: at } = item;
  const { materialized_revision: given, materialized_at: givenAt } = item;
  const [isEdited, setEdited] = useState(false);
  const canWrite = useCan(org, 'memory:write');
  const ask = useConfirm();
  const remove = useAction({
    call: () => unwrap(apiOf(org).DELETE(`${memoryPath}/{memoryId}`, { params: { path: { memoryId: id } } })),
    touches: [keys.all(org, 'memory')],
    says: `“${title}” is deleted.`,
  });
  const confirm = async () => {
    const text = 'Sessions that start from now on do not get it. This cannot be undone.';
    if (await ask({ title: `Delete “${title}”?`, text, action: 'Delete the note' })) remove.mutate();
  };
  if (isEdited)
    return (
      <li className="border-b border-line pb-4">
        <EditMemory org={org} item={item} close={() => setEdited(false)} />
      </li>
    );
  return (
    <li className="flex flex-col gap-2 border-b border-line pb-4">
      <div className="flex items-start gap-2">
        <h2 className="min-w-0 flex-1 text-read font-medium break-words">{title}</h2>
        {canWrite && (
          <Menu
            label={`More about ${title}`}
            items={[
              { label: 'Edit', select: () => setEdited(true) },
              { label: 'Delete …', danger: true, select: () => void confirm() },
            ]}
          />
        )}
      </div>
      <p className="text-meta text-ink-3">
        Revision {revision}, <Time at={at} /> · {sizeWords(sizeOf(content))} ·{' '}
        {given === null || givenAt === null ? (
          'no session had it yet'
        ) : (
          <>
            sessions had revision {given}, <Time at={givenAt} />
          </>
        )}
      </p>
      <LongText label="Text of the note" text={content} />
    </li>
  );
}
