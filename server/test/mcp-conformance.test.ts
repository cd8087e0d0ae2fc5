import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as forward, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './support/api.ts';

/**
 * Scenarios of the protocol's own conformance suite that apply to every server. The others require the suite's own
 * tools, resources and prompts (`test_simple_text`, `test://static-text`), server-side logging and completion, or a
 * session id, none of which this server has.
 */
const scenarios = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

let api: TestApi;
let door: Server;
let directory: string;
beforeAll(async () => {
  api = await startTestApi();
  door = await openDoor(api);
  directory = await mkdtemp(join(tmpdir(), 'guildhall-conformance-'));
});
afterAll(async () => {
  door.close();
  await api.close();
  await rm(directory, { recursive: true, force: true });
});

/** Starts a proxy that adds a key to each request, because the suite supports no credentials. */
async function openDoor({ url, adminKey }: TestApi): Promise<Server> {
  const server = createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${adminKey}` };
    const onward = forward(`${url}${request.url ?? ''}`, { method: request.method ?? 'GET', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

test.each(scenarios)("the protocol's conformance suite: %s", async (scenario) => {
  const address = door.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [suite, 'server', '--url', `http://localhost:${port}/mcp`, '--scenario', scenario],
    { cwd: directory, timeout: 60_000 },
  );
  expect(stdout).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings/);
});
