import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { startSwift, swiftProblem, type Swift } from '../../../test/support/swift.ts';

const problem = swiftProblem();
const path = '/v3/organizations/default';

/** Optional: Swift is a system package that only these tests need. */
describe.skipIf(problem !== '')(`attachments in a bucket (optional${problem === '' ? '' : `: ${problem}`})`, () => {
  let swift: Swift | undefined;
  let api: TestApi;
  beforeAll(async () => {
    swift = await startSwift();
    // As an operator sets them.
    const environment = {
      AWS_ENDPOINT_URL_S3: swift.endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: swift.accessKeyId,
      AWS_SECRET_ACCESS_KEY: swift.secretAccessKey,
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const bucket = `guildhall-${randomUUID()}`;
    const client = new S3Client({ forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
    api = await startTestApi({ ...environment, GUILDHALL_BLOBS: `s3://${bucket}/blobs` });
  }, 60_000);
  afterAll(async () => {
    await api.close();
    await swift?.close();
    vi.unstubAllEnvs();
  });

  async function upload(content: string): Promise<string> {
    const form = new FormData();
    form.append('file', new Blob([content]), 'a.txt');
    const headers = { authorization: `Bearer ${api.adminKey}` };
    const response = await fetch(`${api.url}${path}/attachments`, { method: 'POST', headers, body: form });
    const answer: unknown = await response.json();
    expect(response.status).toBe(201);
    return String(Object(answer).id);
  }

  async function locationOf(id: string): Promise<string> {
    const headers = { authorization: `Bearer ${api.adminKey}` };
    const response = await fetch(`${api.url}${path}/attachments/${id}/download`, { headers, redirect: 'manual' });
    expect(response.status).toBe(307);
    return response.headers.get('location') ?? '';
  }

  test('are downloaded from the bucket, unless the organization restricts addresses', async () => {
    const id = await upload('in a bucket');
    const direct = await locationOf(id);
    expect(direct.startsWith(`${swift?.endpoint}/`)).toBe(true);
    const response = await fetch(direct);
    expect(await response.text()).toBe('in a bucket');
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="a.txt"/);
    const body = { enabled: true, entries: [{ cidr: '127.0.0.1/32' }] };
    expect((await api.call('PUT', `${path}/ip-access-list`, { body })).status).toBe(200);
    const ours = await locationOf(id);
    expect(ours.startsWith(`${api.url}/v3/attachments/downloads/`)).toBe(true);
    expect(await (await fetch(ours)).text()).toBe('in a bucket');
    expect((await api.call('DELETE', `${path}/attachments/${id}`)).status).toBe(204);
    expect([(await fetch(direct)).status, (await fetch(ours)).status]).toEqual([404, 404]);
  });
});
