import type { Static, TSchema } from 'typebox';
import type { HostConnection } from '../connection.ts';
import type { Call, GithubClient } from './client.ts';
import { ResponseTooLarge } from './failures.ts';

/** Items of a page; a page that is too large to read is read in smaller ones. */
const pageSizes = [100, 20, 4] as const;

/** Runs a reading with pages of the largest size whose responses can be read. */
export async function inPages<T>(read: (size: number) => Promise<T>): Promise<T> {
  for (const size of pageSizes) {
    try {
      return await read(size);
    } catch (error) {
      if (!(error instanceof ResponseTooLarge) || size === pageSizes.at(-1)) throw error;
    }
  }
  throw new Error('There is no page size.');
}

/** Reads a list of the REST API page by page, until `isEnough` of what was read, at most ten pages of 100. */
export async function listAll<Item extends TSchema>(
  client: GithubClient,
  connection: HostConnection,
  call: Call<Item>,
  isEnough: (items: readonly Static<Item>[]) => boolean,
): Promise<Static<Item>[]> {
  return inPages(async (size) => {
    const pages: Static<Item>[] = [];
    for (let page = 1; page <= 1_000 / size; page += 1) {
      const query = { ...call.query, per_page: String(size), page: String(page) };
      const { headers, data } = await client.call(connection, { ...call, query });
      pages.push(data);
      if (isEnough(pages) || !/;\s*rel="next"/.test(headers.get('link') ?? '')) break;
    }
    return pages;
  });
}
