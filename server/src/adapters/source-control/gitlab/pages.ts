import { Type, type Static, type TSchema } from 'typebox';
import { AnswerTooLarge } from '../connection.ts';
import type { RepositoryRef } from '../port.ts';
import { parsed, type GitlabClient } from './client.ts';
import type { GitlabAnswer, GitlabRequest } from './exchange.ts';

const pageSize = 100;
/** Pages that are too large are read in parts of a tenth. */
const parts = 10;
/** Requests for one list; what they do not reach is left out. */
const maxRequests = 60;

export interface List<Item extends TSchema> {
  readonly path: string;
  readonly query?: GitlabRequest['query'];
  readonly item: Item;
  /** The largest number of items. */
  readonly limit: number;
  /** True for the last items of the list instead of the first ones; they stay in GitLab's order. */
  readonly isFromEnd?: boolean;
}

/** Reads a list page by page. Leaves out single items that are too large to be read. */
export async function readList<Item extends TSchema>(
  client: GitlabClient,
  repository: RepositoryRef,
  { path, query, item, limit, isFromEnd = false }: List<Item>,
): Promise<Static<Item>[]> {
  const shape = Type.Array(item, { maxItems: pageSize });
  let requests = 0;

  async function page(number: number, size: number): Promise<{ items: Static<Item>[]; answer?: GitlabAnswer }> {
    requests += 1;
    if (requests > maxRequests) return { items: [] };
    try {
      const answer = await client.inProject(repository, { path, query: { ...query, page: number, per_page: size } });
      return { items: parsed(shape, answer), answer };
    } catch (error) {
      if (!(error instanceof AnswerTooLarge)) throw error;
    }
    if (size === 1) return { items: [] };
    const found: Static<Item>[] = [];
    for (let part = 0; part < parts; part += 1)
      found.push(...(await page((number - 1) * parts + part + 1, size / parts)).items);
    return { items: found };
  }

  const most = Math.ceil(limit / pageSize);
  const first = await page(1, pageSize);
  const last = first.answer?.pages ?? (first.answer === undefined || first.items.length === pageSize ? most : 1);
  // The last page may have few items, so that one page more is needed for all that are wanted.
  const from = isFromEnd ? Math.max(last - most, 1) : 1;
  const found = from === 1 ? [...first.items] : [];
  for (let number = Math.max(from, 2); number <= (isFromEnd ? last : Math.min(last, most)); number += 1)
    found.push(...(await page(number, pageSize)).items);
  return isFromEnd ? found.slice(-limit) : found.slice(0, limit);
}
