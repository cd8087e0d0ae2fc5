import { defineFixture } from '../../../test/support/fixture.ts';

export const fixture = defineFixture({
  after: ['secrets'],
  /** Creates a server with a value for the secret `STOCK`. */
  async make({ api, org, key, post }) {
    const headers = { authorization: 'Bearer ${STOCK}' };
    const server = await post(`${org}/mcp-servers`, { name: 'Stock', url: 'https://tools.example.com/mcp', headers });
    const id = String(server['id']);
    const answer = await api.call('PUT', `${org}/mcp-servers/${id}/secrets/STOCK`, { key, body: { value: 'x' } });
    if (answer.status !== 200) throw new Error(`an MCP server: ${answer.text}`);
    return { 'mcp-servers/{id}': id, 'mcp-servers/{id}/secrets/{name}': 'STOCK' };
  },
  bodies: {
    createMcpServer: { name: 'x', url: 'https://tools.example.com' },
    setMcpServerSecret: { value: 'x' },
  },
  changes: {
    createMcpServer: { name: 'x', command: 'tools' },
    updateMcpServer: { description: 'Other' },
  },
});
