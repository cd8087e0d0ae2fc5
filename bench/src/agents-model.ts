import { createServer } from 'node:http';
import { startScriptedModel } from '@guildhall/scripted-model';

/**
 * Runs the scripted model in a separate process, so that its time does not count as the bench's or the server's.
 * `requests_url` serves the body of the last request, to be repeated directly from the bench.
 */
const model = await startScriptedModel({ keepRequests: 1 });
const requests = createServer((_, response) => response.end(JSON.stringify(model.requests.at(-1)?.body ?? null)));
requests.listen(0, '127.0.0.1', () => {
  const address = requests.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const ready = { event: 'ready', url: model.url, requests_url: `http://127.0.0.1:${port}` };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
