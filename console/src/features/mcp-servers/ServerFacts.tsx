import { Facts } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { accesses, type ServerDetail } from './queries.ts';

const accessWords = new Map<string, string>(accesses);

/** What an MCP server is, and who gets its tools. */
export function ServerFacts({ server }: { server: ServerDetail }) {
  const { slug, description, url, command, args, access, repos, updated_at: at } = server;
  return (
    <>
      {description !== '' && <p className="max-w-[72ch] text-read">{description}</p>}
      <Facts
        facts={[
          ['Reached by', <code key="by">{url === '' ? [command, ...args].join(' ').slice(0, 1_000) : url}</code>],
          ['Its tools', <code key="tools">{slug}__…</code>],
          ['For', access === 'repositories' ? repos.join(', ') : accessWords.get(access)],
          ['Changed', <Time key="at" at={at} />],
        ]}
      />
    </>
  );
}
