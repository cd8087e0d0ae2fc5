import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';

let api: TestApi;
const held: ServerResponse[] = [];
let asked = Promise.withResolvers<void>();
/** A git server that responds only when told. */
const silent = createServer((_request, response) => {
  held.push(response);
  if (held.length === 4) asked.resolve();
});

beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.0/8' });
  await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  silent.closeAllConnections();
  silent.close();
  await api.close();
});

test('imports of all organizations together are no more than the process takes, and the others wait', async () => {
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const organizations = await Promise.all(['One', 'Two', 'Three', 'Four'].map((name) => api.createOrganization(name)));
  const imports = organizations.flatMap(({ slug, key }) =>
    ['a', 'b', 'c'].map((name) => {
      const body = {
        provider: 'local',
        repo: `acme/${name}`,
        import_url: `http://127.0.0.1:${port}/${slug}/${name}.git`,
      };
      return api.call('POST', `/v3/organizations/${slug}/repositories`, { key, body });
    }),
  );
  let most = 0;
  for (let round = 0; round < 3; round += 1) {
    await asked.promise;
    asked = Promise.withResolvers<void>();
    // Once another request is answered, every clone that could have started would have connected.
    await api.call('GET', '/v3/organizations/default/repositories');
    most = Math.max(most, held.length);
    for (const response of held.splice(0)) response.writeHead(404).end();
  }
  expect((await Promise.all(imports)).map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 502));
  expect(most).toBe(4);
});
