import autocannon from 'autocannon';

export interface Load {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  bytesPerAnswer: number;
}

/** Sends requests over `connections` for `seconds`. Throws if any response has another status than expected. */
export async function load(
  url: string,
  options: { key: string; seconds: number; connections: number; method?: 'GET' | 'POST'; body?: string },
): Promise<Load> {
  const { key, seconds, connections, method = 'GET', body } = options;
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const result = await autocannon({
    url,
    method,
    headers,
    connections,
    duration: seconds,
    ...(body === undefined ? {} : { body }),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} answers were not 2xx, ${result.errors} failed.`);
  return {
    requestsPerSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    bytesPerAnswer: Math.round(result.throughput.total / Math.max(1, result.requests.total)),
  };
}

/** Returns the median of several measurements of both, taken in turn so that both see the same machine. */
export async function compare(rounds: number, ours: () => Promise<Load>, peer: () => Promise<Load>) {
  const mine: Load[] = [];
  const theirs: Load[] = [];
  for (let round = 0; round < rounds; round += 1) {
    mine.push(await ours());
    theirs.push(await peer());
  }
  const a = middle(mine);
  const b = middle(theirs);
  return { ours: a, peer: b, ratio: a.requestsPerSecond / b.requestsPerSecond };
}

function middle(loads: Load[]): Load {
  const sorted = [...loads].sort((a, b) => a.requestsPerSecond - b.requestsPerSecond);
  const found = sorted[Math.floor(sorted.length / 2)];
  if (found === undefined) throw new Error('nothing was measured');
  return found;
}
