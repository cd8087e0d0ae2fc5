import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Agent, request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';

/** Returns the processes that name a data directory in their command: the server's, and PostgreSQL. */
export function processesAt(directory: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes(directory));
}

/** Returns the processes that a supervising process started. */
export function childrenOf(supervisor: number): number[] {
  const children = read(`/proc/${supervisor}/task/${supervisor}/children`).trim().split(' ').map(Number);
  return children.filter((pid) => read(`/proc/${pid}/cmdline`).includes('main.ts'));
}

/** Returns the open connections of clients that a process has, each by the name of its socket. */
export function connectionsOf(pid: number, url: string): string[] {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
  const established = '01';
  const lines = read('/proc/net/tcp')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(`:${port}`) && state === established);
  const sockets = new Set(lines.map((fields) => `socket:[${fields[9]}]`));
  return readdirSync(`/proc/${pid}/fd`)
    .map((fd) => link(`/proc/${pid}/fd/${fd}`))
    .filter((name) => sockets.has(name));
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function link(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

export interface OwnAnswer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

/** Sends a request over a connection of its own, which another process gets each time. */
export function askAnew(
  url: string,
  options: { method?: string; headers?: OutgoingHttpHeaders; body?: object } = {},
): Promise<OwnAnswer> {
  const { method = 'GET', headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const agent = new Agent({ keepAlive: false });
    const sent = request(url, { agent, method, headers: { ...type, ...headers } });
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.once('error', reject);
    });
    sent.once('error', reject).end(body === undefined ? '' : JSON.stringify(body));
  });
}

/** A stream over a connection of its own. */
export interface OwnStream {
  text(): string;
  hasEnded(): boolean;
  close(): void;
}

export async function streamAnew(url: string, headers: OutgoingHttpHeaders): Promise<OwnStream> {
  const abort = new AbortController();
  let text = '';
  let hasEnded = false;
  await new Promise<void>((resolve, reject) => {
    const sent = request(url, { agent: new Agent({ keepAlive: false }), headers, signal: abort.signal });
    sent.once('response', (response) => {
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', () => undefined).once('close', () => (hasEnded = true));
      resolve();
    });
    sent.on('error', reject).end();
  });
  return { text: () => text, hasEnded: () => hasEnded, close: () => abort.abort() };
}
