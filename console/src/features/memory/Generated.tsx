import { useQuery } from '@tanstack/react-query';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { useConfirm } from '../../ui/Confirm.tsx';
import { LongText } from '../../ui/LongText.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { useCan } from '../shell/useCan.ts';
import { generatedPath, generatedQuery, type Place } from './queries.ts';

const mostShown = 50;

/** What agents remembered about a repository themselves; people can only delete it. */
export function Generated({ org, place }: { org: string; place: Place }) {
  const query = useQuery(generatedQuery(org, place));
  const canWrite = useCan(org, 'memory:write');
  const ask = useConfirm();
  const remove = useAction({
    call: () => unwrap(apiOf(org).DELETE(generatedPath, { params: { query: place } })),
    touches: [keys.all(org, 'memory')],
    says: 'What agents had remembered is deleted.',
  });
  const confirm = async () => {
    const text = `Agents start without what they remembered about ${place.repo}. This cannot be undone.`;
    if (await ask({ title: 'Delete what agents remember?', text, action: 'Delete it' })) remove.mutate();
  };
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return null;
  const { items } = query.data;
  return (
    <Section
      title="Written by agents"
      actions={canWrite && items.length > 0 && <Button onClick={() => void confirm()}>Delete …</Button>}
    >
      <p className="max-w-[72ch] text-ink-2">
        {items.length === 0
          ? 'Agents have remembered nothing about this repository.'
          : 'Agents wrote this for themselves. People can read and delete it, not change it.'}
      </p>
      <ul>
        {items.slice(0, mostShown).map(({ agent, path, content, updated_at: at }) => (
          <li key={`${agent} ${path}`}>
            <details className="border-b border-line py-1">
              <summary className="min-h-6 cursor-pointer break-all pointer-coarse:min-h-11">
                <code>{path}</code>{' '}
                <span className="text-ink-3">
                  {agent}, <Time at={at} />
                </span>
              </summary>
              <LongText label="Text of the file" text={content} />
            </details>
          </li>
        ))}
      </ul>
      {items.length > mostShown && <p className="text-ink-2">And {items.length - mostShown} more files.</p>}
    </Section>
  );
}
