import { defineFixture, madeIn } from '../../../test/support/fixture.ts';

/** Without a worker no page is made, so the page is a row. */
export const fixture = defineFixture({
  after: ['repositories'],
  async make(world) {
    const id = madeIn(world, 'repositories/{id}');
    await world.api.ctx.db.transaction(async (trx) => {
      await trx
        .insertInto('wikis')
        .values({ repository_id: id, commit_sha: 'a'.repeat(40) })
        .execute();
      await trx
        .insertInto('wiki_pages')
        .values({
          repository_id: id,
          slug: 'overview',
          position: 0,
          parent: '',
          kind: 'overview',
          title: 'Stock',
          summary: '',
          body: '',
          blobs: [],
        })
        .execute();
    });
    return { 'repositories/{id}/wiki/pages/{slug}': 'overview' };
  },
});
