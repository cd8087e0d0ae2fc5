import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { duration } from '../../lib/format.ts';
import { useCan } from '../shell/useCan.ts';
import { sessionQuery } from '../sessions/queries.ts';
import { stateOf } from '../sessions/state.ts';
import { StateLabel } from '../sessions/StateLabel.tsx';
import { AlteredTests } from '../../ui/diff/AlteredTests.tsx';
import { Money } from '../../ui/Money.tsx';
import { ProofLabel } from './ProofLabel.tsx';
import { proofOf, type Evidence } from './proof.ts';
import { diffQuery, type ChangeRequest, type Place } from './queries.ts';

/** The proof of a change, above all else: the check before, the check after, and tests that were altered. */
export function ProofStrip({ place, request }: { place: Place; request: ChangeRequest }) {
  const { evidence, head_sha: head, session_id: session } = request;
  const proof = proofOf(evidence);
  const { before, after } = proof;
  const { data: diff } = useQuery(diffQuery(place, head));
  return (
    <section aria-label="Proof" className="flex flex-col gap-2 border-y border-line bg-surface px-4 py-3 sm:px-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <ProofLabel evidence={evidence} />
        {before === undefined && after === undefined && (
          <span className="text-ink-2">No check ran. Read the change before you merge it.</span>
        )}
        {session !== '' && <FromSession org={place.org} id={session} proven={proof.word} />}
      </div>
      {(before !== undefined || after !== undefined) && (
        <div className="grid gap-2 md:grid-cols-2">
          {before !== undefined && <Run title="Before" run={before} />}
          {after !== undefined && <Run title={before === undefined ? 'Check' : 'After'} run={after} />}
        </div>
      )}
      <AlteredTests files={diff?.files ?? []} />
    </section>
  );
}

function Run({ title, run }: { title: string; run: Evidence }) {
  const { command, exit_code: exit, duration_ms: ms, output_tail: output, problem } = run;
  return (
    <details className="min-w-0 overflow-hidden rounded-control border border-line">
      <summary className="flex min-h-8 cursor-pointer flex-wrap items-baseline gap-x-2 px-3 py-1 pointer-coarse:min-h-11">
        <span className="text-ink-3">{title}</span>
        <code className="min-w-0 flex-1 truncate" title={command}>
          {command}
        </code>
        <span className="mono whitespace-nowrap text-ink-2">
          {exit === null ? 'did not end' : `exit ${exit}`} · {duration(ms)}
        </span>
      </summary>
      {problem !== undefined && <p className="px-3 py-1 text-wait">{problem}</p>}
      <pre className="max-h-80 overflow-auto bg-sunken px-3 py-2 break-words whitespace-pre-wrap">
        {output === '' ? 'No output.' : output}
      </pre>
    </details>
  );
}

/** The session that opened it, if the reader may see it; its state, unless the proof says the same. */
function FromSession({ org, id, proven }: { org: string; id: string; proven: string }) {
  const canRead = useCan(org, 'sessions:read');
  const { data: session } = useQuery({ ...sessionQuery(org, id), enabled: canRead });
  if (session === undefined) return null;
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 text-ink-2 sm:ml-auto">
      <span>from</span>
      <Link to="/$org/sessions/$id" params={{ org, id }} className="max-w-64 truncate font-medium underline">
        {session.title}
      </Link>
      {stateOf(session).word !== proven && <StateLabel session={session} />}
      <Money usd={session.usage.cost_usd} />
    </span>
  );
}
