import type { Schemas } from '../../lib/api.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { serversPath, type ServerDetail } from './queries.ts';

/** Asks a worker to connect to the server, and shows its tools or why that failed. */
export function ServerTest({ org, server: { id, slug } }: { org: string; server: ServerDetail }) {
  const test = useAction({
    call: () => unwrap(apiOf(org).POST(`${serversPath}/{id}/test`, { params: { path: { id } } })),
    errors: 'here',
  });
  return (
    <Section
      title="Does it work?"
      actions={
        <Button onClick={() => test.mutate()} disabled={test.isPending}>
          {test.isPending ? 'Testing …' : test.data === undefined ? 'Test' : 'Test again'}
        </Button>
      }
    >
      <div role="status" className="flex flex-col gap-2">
        {test.isPending && <p className="text-ink-2">A worker connects to it. That takes at most 15 s.</p>}
        {!test.isPending && test.data !== undefined && <Result slug={slug} result={test.data} />}
        {!test.isPending && test.data === undefined && !test.isError && (
          <p className="text-ink-2">A test connects to it as a session would, and lists its tools.</p>
        )}
      </div>
      {test.isError && <Failed error={test.error} retry={() => test.mutate()} />}
    </Section>
  );
}

const mostShown = 200;

function Result({ slug, result }: { slug: string; result: Schemas['McpServerTest'] }) {
  const { ok, problem, latency_ms: latency, server, tools, tools_count: count } = result;
  if (!ok)
    return (
      <p className="max-w-[72ch] border-l-2 border-bad bg-bad-soft px-3 py-2 break-words">{problem.slice(0, 2_000)}</p>
    );
  return (
    <>
      <p>
        <Chip tone="ok">works</Chip> {server.name.slice(0, 100)} {server.version.slice(0, 40)} answered after {latency}{' '}
        ms, with {count === 1 ? '1 tool' : `${count} tools`}.
      </p>
      <ul>
        {tools.slice(0, mostShown).map(({ name, description }, at) => (
          <li key={at} className="border-b border-line py-1">
            <code className="break-all">
              {slug}__{name.slice(0, 200)}
            </code>
            <p className="line-clamp-3 max-w-[72ch] break-words text-ink-2">{description.slice(0, 500)}</p>
          </li>
        ))}
      </ul>
      {tools.length > mostShown && <p className="text-ink-2">And {tools.length - mostShown} more.</p>}
    </>
  );
}
