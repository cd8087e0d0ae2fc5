import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  async make({ api, org, key }) {
    const form = new FormData();
    form.append('file', new Blob(['x']), 'x.txt');
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${api.url}${org}/attachments`, { method: 'POST', headers, body: form });
    const answer: unknown = await response.json();
    // The token is a secret rather than an id: its holder needs no other permission.
    return { 'attachments/{id}': String(Object(answer).id), 'v3/attachments/downloads/{token}': 'none' };
  },
});
