import type { Grants } from './grants.ts';
import type { OpenApiJudge } from './openapi.ts';
import type { Answer, FakeDelivery, Grant, Repository } from './state.ts';

export interface World {
  /** The web address, without a trailing slash. */
  readonly url: string;
  /** The address of another server, which has the logs of jobs. */
  readonly logsUrl: string;
  readonly judge: OpenApiJudge;
  readonly grants: Grants;
  readonly repositories: Repository[];
  /** The configuration of the App's webhook, with its secret. */
  readonly appHook: Record<string, unknown>;
  /** Codes of manifests that can be converted. */
  readonly codes: Set<string>;
  /** Of the App's webhook, the oldest first. */
  readonly deliveries: FakeDelivery[];
  readonly now: () => Date;
  /** Returns ids that are unique in the fake. */
  readonly nextId: () => number;
}

export interface RouteRequest {
  readonly world: World;
  readonly grant: Grant;
  /** The parts of the path that the pattern captures. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Route {
  readonly method: string;
  /** Matches the path below the API, or below the repository. */
  readonly pattern: RegExp;
  readonly handle: (request: RouteRequest) => Answer | Promise<Answer>;
}

/** An operation in a repository, with the permission that it requires. */
export interface RepositoryRoute {
  readonly method: string;
  readonly pattern: RegExp;
  readonly needs: readonly [permission: string, level: 'read' | 'write'];
  readonly handle: (request: RouteRequest & { repository: Repository }) => Answer | Promise<Answer>;
}

/** Returns one page of a list, and the `Link` header if there is a next one. */
export function pageOf<T>(
  items: readonly T[],
  query: URLSearchParams,
  url: string,
): { page: T[]; headers: Record<string, string> } {
  const size = Math.min(100, Number(query.get('per_page') ?? 30));
  const number = Number(query.get('page') ?? 1);
  const hasNext = items.length > number * size;
  const next = `<${url}?page=${number + 1}>; rel="next", <${url}?page=${Math.ceil(items.length / size)}>; rel="last"`;
  return { page: items.slice((number - 1) * size, number * size), headers: hasNext ? { link: next } : {} };
}
