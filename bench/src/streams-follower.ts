import { get, type IncomingMessage } from 'node:http';

/** A client of an organization's stream. */
export interface Follower {
  isBlind: boolean;
  /** The number after which it follows. */
  begin: number;
  events: { seq: number; type: string; ms: number }[];
  leave(): void;
}

/** Opens a stream, and resolves once it follows. */
export async function followOrganization(url: string, key: string, isBlind: boolean): Promise<Follower> {
  const opened = Promise.withResolvers<IncomingMessage>();
  const headers = { authorization: `Bearer ${key}` };
  const request = get(`${url}/v3/organizations/default/events/stream`, { headers, agent: false }, opened.resolve);
  request.on('error', opened.reject);
  const response = await opened.promise;
  if (response.statusCode !== 200) throw new Error(`the stream answered ${response.statusCode}`);
  response.on('error', () => undefined);
  const connected = Promise.withResolvers<void>();
  const follower: Follower = { isBlind, begin: 0, events: [], leave: () => void request.destroy() };
  let rest = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      if (!block.startsWith(':')) follower.events.push(read(block));
      if (!block.startsWith(': connected')) continue;
      follower.begin = Number(/^id: (\d+)$/m.exec(block)?.[1]);
      connected.resolve();
    }
  });
  await connected.promise;
  return follower;
}

function read(block: string): Follower['events'][number] {
  const at = /"at":"([^"]+)"/.exec(block)?.[1] ?? '';
  return {
    seq: Number(/^id: (\d+)$/m.exec(block)?.[1]),
    type: /^event: (.+)$/m.exec(block)?.[1] ?? '',
    ms: Date.now() - Date.parse(at),
  };
}
