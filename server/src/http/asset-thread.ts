import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { gzip } from 'node:zlib';
import type { PreparedAsset } from './asset.ts';
import { pagePath, scriptPath } from './asset-paths.ts';

/** Builds one asset in a thread of its own: this takes a few hundred milliseconds. */

interface Asset {
  /** Its media type. */
  type: string;
  content: string;
  /** Added to the headers of every response. */
  headers?: Record<string, string>;
}

const makers: Readonly<Record<string, () => Promise<Asset>>> = {
  '/openapi.json': async () => ({ type: 'application/json; charset=utf-8', content: await readDocument() }),
  async '/openapi.yaml'() {
    const { stringify } = await import('yaml');
    return { type: 'application/yaml; charset=utf-8', content: stringify(JSON.parse(await readDocument())) };
  },
  async [pagePath]() {
    const content = await ofReference(`${pagePath}/`);
    return { type: 'text/html; charset=utf-8', content, headers: { 'content-security-policy': policyOf(content) } };
  },
  [scriptPath]: async () => ({ type: 'text/javascript; charset=utf-8', content: await ofReference(scriptPath) }),
};

/** Reads the document that `npm run openapi` wrote. */
function readDocument(): Promise<string> {
  return readFile(new URL('../../../client/openapi.json', import.meta.url), 'utf8');
}

/** Returns what the reference package serves at a path; it offers its page and script in no other way. */
async function ofReference(path: string): Promise<string> {
  const [{ default: Fastify }, { default: scalar }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference'),
  ]);
  const server = Fastify();
  await server.register(scalar, {
    routePrefix: pagePath,
    configuration: {
      url: '/openapi.json',
      cdn: scriptPath,
      pageTitle: 'Guildhall API',
      telemetry: false,
      withDefaultFonts: false,
      hideClientButton: true,
      // Removes links to third-party servers.
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  const answer = await server.inject(path);
  await server.close();
  if (answer.statusCode !== 200)
    throw new Error(`The reference page does not have ${path} (status ${answer.statusCode}).`);
  return answer.body;
}

/** Allows the page its own scripts and this server only. Its script creates styles at run time. */
function policyOf(html: string): string {
  const scripts = [...html.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(([, text = '']) => text);
  const hashes = scripts
    .filter((text) => text.trim() !== '')
    .map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return `default-src 'none'; script-src 'self' ${hashes.join(' ')}; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;
}

async function prepare(path: string): Promise<PreparedAsset> {
  const make = makers[path];
  if (make === undefined) throw new Error(`${path} does not exist.`);
  const { type, content, headers = {} } = await make();
  const bytes = Buffer.from(content);
  // Weak, as it stands for both encodings.
  const tag = `W/"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { headers, type, tag, bytes, compressed: await promisify(gzip)(bytes) };
}

parentPort?.postMessage(await prepare(String(workerData)));
