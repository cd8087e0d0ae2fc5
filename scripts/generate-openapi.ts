import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapiTypes, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { createApi } from '../server/src/app/api.ts';
import { readConfig, type Config } from '../server/src/config/config.ts';
import { createContext } from '../server/src/app/context.ts';
import { startEmbedded } from '../server/src/db/embedded/start.ts';
import { describeApi } from '../server/src/http/openapi.ts';
import { createLog } from '../server/src/lib/log.ts';
import { operationsPage } from '../server/test/matrix/operations-table.ts';

/**
 * Writes the OpenAPI document that the server serves, the client's types, and the page about its operations. `--check`
 * writes nothing, and ends with 1 if a file is outdated.
 */
const log = createLog('error');
const client = join(import.meta.dirname, '../client');
const document = await servedDocument();
// A field with a default may be omitted.
const types = astToString(
  await openapiTypes(JSON.stringify(document), {
    defaultNonNullable: false,
    // The client sends a form with the files.
    transform: ({ format }) => (format === 'binary' ? ts.factory.createTypeReferenceNode('Blob') : undefined),
  }),
);
const files = {
  [join(client, 'openapi.json')]: `${JSON.stringify(document, null, 2)}\n`,
  [join(client, 'src/schema.gen.ts')]:
    `/** Generated from openapi.json by \`npm run openapi\`; do not edit. */\n${types}`,
  [join(client, '../docs/api-operations.md')]: operationsPage(document),
};
for (const [path, text] of Object.entries(files)) {
  if (!process.argv.includes('--check')) {
    await writeFile(path, text);
  } else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
    console.error(`${path} is outdated. Run npm run openapi.`);
    process.exitCode = 1;
  }
}

/** Returns the document with paths and components sorted by name, so that the order of imports does not matter. */
async function servedDocument(): Promise<Record<string, unknown>> {
  const data = await mkdtemp(join(tmpdir(), 'guildhall-openapi-'));
  const server = await startEmbedded({ dataDir: join(data, 'database'), log, disposable: true });
  try {
    const config = readConfig(['--data', data], { DATABASE_URL: server.connectionString });
    const { paths, components, ...rest } = await answerOf(config);
    const named = Object.entries(components ?? {}).map(([kind, entries]) => [kind, byName(entries)]);
    return { ...rest, paths: byName(paths ?? {}), components: Object.fromEntries(named) };
  } finally {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  }
}

async function answerOf(config: Config): Promise<Record<string, Record<string, object>>> {
  const closing = new AbortController();
  const { context, close } = await createContext(config, {
    log,
    connectionString: config.databaseUrl,
    closing: closing.signal,
    baseUrl: () => '',
  });
  try {
    const app = await createApi(context, () => undefined, describeApi);
    await app.ready();
    const served = JSON.stringify(app.swagger());
    await app.close();
    return JSON.parse(served);
  } finally {
    closing.abort();
    await close();
  }
}

function byName(entries: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}
