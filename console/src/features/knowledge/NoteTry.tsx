import { useQueries, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { useSettled } from '../../lib/useSettled.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { Outcome } from './Outcome.tsx';
import { keptPrompts, keepPrompts, mostKept, outcomeOf, type KeptPrompt } from './kept.ts';
import { tryQuery } from './queries.ts';
import { TryFields } from './TryFields.tsx';

/**
 * What sessions would get, beside the note that is edited. Prompts can be kept: after each change of the note they show
 * which of them win or lose it.
 */
export function NoteTry({ org, noteId }: { org: string; noteId: string }) {
  const [prompt, setPrompt] = useState('');
  const [repo, setRepo] = useState('');
  const [kept, setKept] = useState(() => keptPrompts(org, noteId));
  const settled = useSettled(prompt, 300);
  const query = useQuery(tryQuery(org, settled, repo));
  const keep = (next: KeptPrompt[]) => {
    setKept(next);
    keepPrompts(org, noteId, next);
  };
  const isTried = settled.trim() !== '' && query.data !== undefined;
  const isKept = kept.some((one) => one.prompt === settled && one.repo === repo);
  return (
    <aside aria-label="Try" className="flex flex-col gap-4 border-line px-4 py-4 sm:px-6 lg:border-l">
      <Section title="What would a session get?">
        <TryFields org={org} prompt={prompt} repo={repo} setPrompt={setPrompt} setRepo={setRepo} />
        {query.isError && <Failed error={query.error} retry={() => void query.refetch()} />}
        {isTried && <Outcome org={org} result={query.data} noteId={noteId} />}
        {isTried && !isKept && kept.length < mostKept && (
          <p>
            <Button onClick={() => keep([...kept, { prompt: settled, repo }])}>Keep this prompt for the note</Button>
          </p>
        )}
      </Section>
      {kept.length > 0 && <Kept org={org} noteId={noteId} kept={kept} keep={keep} />}
    </aside>
  );
}

interface KeptProps {
  org: string;
  noteId: string;
  kept: KeptPrompt[];
  keep: (next: KeptPrompt[]) => void;
}

function Kept({ org, noteId, kept, keep }: KeptProps) {
  const results = useQueries({ queries: kept.map((one) => tryQuery(org, one.prompt, one.repo)) });
  return (
    <Section title="Kept prompts">
      <ul>
        {kept.map((one, at) => {
          const outcome = outcomeOf(results[at]?.data, noteId);
          return (
            <li key={`${one.repo} ${one.prompt}`} className="flex items-start gap-2 border-b border-line py-1">
              <div className="min-w-0 flex-1">
                <p className="line-clamp-2 break-words">{one.prompt.slice(0, 300)}</p>
                <p className="text-meta text-ink-3">
                  {one.repo !== '' && <>{one.repo} · </>}
                  {outcome?.reason}
                </p>
              </div>
              {outcome !== undefined && (
                <Chip tone={outcome.isGiven ? 'run' : 'plain'}>{outcome.isGiven ? 'gets it' : 'does not get it'}</Chip>
              )}
              <button
                type="button"
                aria-label={`Forget ${one.prompt.slice(0, 40)}`}
                onClick={() => keep(kept.filter((other) => other !== one))}
                className="grid size-6 place-items-center rounded-control text-ink-3 hover:bg-sunken pointer-coarse:size-11"
              >
                <X size={16} strokeWidth={1.5} aria-hidden />
              </button>
            </li>
          );
        })}
      </ul>
      <p className="text-meta text-ink-3">They are kept in this browser.</p>
    </Section>
  );
}
