import { ProviderError } from '../lib/errors.ts';

export interface BundleHeader {
  /** The only commit in the bundle. */
  commit: string;
  /** Commits that the repository must have already. */
  prerequisites: string[];
  /** The unread bytes of the pack file. */
  pack: AsyncGenerator<Uint8Array>;
}

const maxHeaderBytes = 64 * 1024;

/**
 * Reads a bundle's header (gitformat-bundle, versions 2 and 3): prerequisites, refs, and an empty line before the pack. Throws
 * ProviderError unless it has exactly one commit and no unsupported features (SHA-256, filters).
 */
export async function readBundleHeader(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<BundleHeader> {
  const iterator = iterate(source);
  let head: Buffer = Buffer.alloc(0);
  let end = -1;
  while (end < 0) {
    const next = await iterator.next();
    if (next.done === true || head.length > maxHeaderBytes) throw invalid('its header is not terminated');
    head = Buffer.concat([head, next.value]);
    end = head.indexOf('\n\n');
  }
  const [version, ...lines] = head.toString('utf8', 0, end).split('\n');
  if (version !== '# v2 git bundle' && version !== '# v3 git bundle') throw invalid('it is not a git bundle');
  const prerequisites: string[] = [];
  const commits = new Set<string>();
  for (const line of lines) {
    if (line === '@object-format=sha1') continue;
    const match = /^(-?)([0-9a-f]{40})(?: |$)/.exec(line);
    const [, minus, id = ''] = match ?? [];
    if (match === null) throw invalid('its header has an unknown line');
    if (minus === '-') prerequisites.push(id);
    else commits.add(id);
  }
  const [commit] = commits;
  if (commit === undefined || commits.size !== 1) throw invalid('it must contain exactly one commit');
  return { commit, prerequisites, pack: after(head.subarray(end + 2), iterator) };
}

async function* iterate(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* source;
}

async function* after(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  yield* rest;
}

function invalid(reason: string): ProviderError {
  return new ProviderError(`the bundle is not usable: ${reason}`, { retryable: false });
}
