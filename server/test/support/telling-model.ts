import { createServer, type IncomingHttpHeaders } from 'node:http';

export interface TellingModel {
  url: string;
  requests: { url: string; headers: IncomingHttpHeaders; body: string }[];
  close(): Promise<void>;
}

interface Step {
  text: string;
  calls: { name: string; input: unknown }[];
}

/**
 * Starts a model that knows forbidden values: it says them, in pieces, plans with them, writes them and repeats them at
 * its end. Its answers depend on the number of its turns in the conversation, so that calls can be repeated.
 */
export async function startTellingModel(values: readonly string[]): Promise<TellingModel> {
  const requests: TellingModel['requests'] = [];
  const said = values
    .map((value) => `${value} ${Buffer.from(`a${value}`).toString('base64')} ${encodeURIComponent(value)}`)
    .join('\n');
  const short = values.filter((value) => value.length < 200).join(' ');
  const steps: Step[] = [
    {
      text: `I will tell: ${said}`,
      calls: [
        {
          name: 'shell',
          input: {
            command:
              'echo the-search-looks-here; env; cat "$KEY_FILE" "$BIG_FILE"; env | base64; cat "$KEY_FILE" > notes; printf %s "$ORG_TOKEN" | tee -a notes >> src/app.js; echo 42 > answer',
          },
        },
        { name: 'plan', input: { entries: [{ content: short.slice(0, 900), status: 'pending' }] } },
      ],
    },
    {
      text: '',
      calls: [
        { name: 'read', input: { path: 'notes' } },
        { name: 'search', input: { pattern: 'tok_' } },
        { name: 'shell', input: { command: `echo '${short.replaceAll("'", `'\\''`)}'; exit 3` } },
      ],
    },
    {
      text: '',
      calls: [
        { name: 'edit', input: { path: 'src/app.js', old_text: 'no such text', new_text: 'x' } },
        { name: 'set_check', input: { command: `grep -q 42 answer # ${short.slice(0, 300)}` } },
      ],
    },
    { text: `Done, and it is ${said}`, calls: [] },
    { text: '', calls: [{ name: 'shell', input: { command: 'rm notes; git checkout -q src/app.js' } }] },
    { text: `It was ${said}`, calls: [] },
  ];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      requests.push({ url: request.url ?? '', headers: request.headers, body });
      const turns = body.match(/"role":"assistant"/g)?.length ?? 0;
      const step = steps[Math.min(turns, steps.length - 1)] ?? { text: 'Done.', calls: [] };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const line of framesOf(step, turns)) response.write(`data: ${line}\n\n`);
      response.end('data: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function framesOf({ text, calls }: Step, turn: number): string[] {
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    JSON.stringify({
      id: `c${turn}`,
      object: 'chat.completion.chunk',
      created: 1,
      model: 'parrot',
      choices: [{ index: 0, delta, finish_reason }],
    });
  const frames = [chunk({ role: 'assistant', content: '' })];
  for (const piece of text.match(/[\s\S]{1,7}/g) ?? []) frames.push(chunk({ content: piece }));
  for (const [index, { name, input }] of calls.entries()) {
    const call = {
      index,
      id: `call_${turn}_${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    };
    frames.push(chunk({ tool_calls: [call] }));
  }
  frames.push(chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'));
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  frames.push(
    JSON.stringify({
      id: `c${turn}`,
      object: 'chat.completion.chunk',
      created: 1,
      model: 'parrot',
      choices: [],
      usage,
    }),
  );
  return frames;
}
