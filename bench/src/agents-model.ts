import { createServer } from 'node:http';
import { startScriptedModel } from '@guildhall/scripted-model';

/**
 * The scripted model in a process of its own, so that its time is not the bench's nor the server's. `requests_url`
 * answers the body of the request that came last, to be sent once more straight from the bench.
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
