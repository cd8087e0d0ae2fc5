import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProviderError } from '../../../lib/errors.ts';
import { keyRingContract } from '../contract.ts';
import { openKmsKeyRing } from './key-ring.ts';

/**
 * Implements the two used operations of AWS KMS's JSON protocol, by its API reference; the AWS SDK judges it. It is not
 * AWS KMS: signatures are read but not verified.
 */
class FakeKms {
  readonly #keys = new Map<string, Buffer>();
  readonly requests: { target: string; authorization: string; body: Record<string, unknown> }[] = [];
  failure: { status: number; type: string } | undefined;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body: Record<string, unknown> = Object(await json(request));
    const target = String(request.headers['x-amz-target']);
    this.requests.push({ target, authorization: String(request.headers.authorization), body });
    const { status, answer } = this.failure === undefined ? this.#answer(target, body) : failed(this.failure);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(answer));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `http://127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  createKey(): string {
    const arn = `arn:aws:kms:eu-central-1:111122223333:key/${randomBytes(8).toString('hex')}`;
    this.#keys.set(arn, randomBytes(32));
    return arn;
  }

  #answer(target: string, body: Record<string, unknown>): { status: number; answer: object } {
    const id = String(body['KeyId']);
    const key = this.#keys.get(id);
    if (key === undefined) return failed({ status: 400, type: 'NotFoundException' });
    const entries = Object.entries(Object(body['EncryptionContext']));
    const context = Buffer.from(JSON.stringify(entries.toSorted(([one], [other]) => (one < other ? -1 : 1))));
    if (target === 'TrentService.Encrypt') {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(context);
      const sealed = [nonce, cipher.update(Buffer.from(String(body['Plaintext']), 'base64')), cipher.final()];
      const blob = Buffer.concat([...sealed, cipher.getAuthTag()]).toString('base64');
      return { status: 200, answer: { CiphertextBlob: blob, KeyId: id, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' } };
    }
    const blob = Buffer.from(String(body['CiphertextBlob']), 'base64');
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(0, 12)).setAAD(context);
      decipher.setAuthTag(blob.subarray(-16));
      const plaintext = Buffer.concat([decipher.update(blob.subarray(12, -16)), decipher.final()]);
      const answer = { Plaintext: plaintext.toString('base64'), KeyId: id, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
      return { status: 200, answer };
    } catch {
      return failed({ status: 400, type: 'InvalidCiphertextException' });
    }
  }
}

function failed({ status, type }: { status: number; type: string }): { status: number; answer: object } {
  return { status, answer: { __type: type, message: `the fake says ${type}` } };
}

const kms = new FakeKms();
const before = { ...process.env };
beforeAll(async () => {
  process.env['AWS_ENDPOINT_URL_KMS'] = await kms.listen();
  process.env['AWS_ACCESS_KEY_ID'] = 'AKIDEXAMPLE';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'secret-of-the-test';
});
afterAll(async () => {
  process.env = before;
  await kms.close();
});

keyRingContract('of AWS KMS', async () => {
  const [first, second] = [kms.createKey(), kms.createKey()];
  const keys = await openKmsKeyRing([first]);
  return {
    keys,
    again: () => openKmsKeyRing([first]),
    stranger: () => openKmsKeyRing([kms.createKey()]),
    rotated: () => openKmsKeyRing([second, first]),
    close: async () => keys.close(),
  };
});

describe('the calls of AWS KMS', () => {
  test('are signed for the region of the key, and carry the binding as encryption context', async () => {
    const arn = kms.createKey();
    const keys = await openKmsKeyRing([arn]);
    const binding = { organization: 'org_a', version: '3' };
    await keys.unwrap(await keys.wrap(randomBytes(32), binding), binding);
    for (const [at, target] of [
      [-2, 'TrentService.Encrypt'],
      [-1, 'TrentService.Decrypt'],
    ] as const) {
      const request = kms.requests.at(at);
      expect(request?.target).toBe(target);
      expect(request?.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/kms\//);
      expect(request?.body).toMatchObject({ KeyId: arn, EncryptionContext: binding });
    }
  });

  test.each([
    [400, 'AccessDeniedException', false],
    [400, 'KMSInvalidStateException', false],
    [400, 'DisabledException', false],
    [500, 'KMSInternalException', true],
    [500, 'DependencyTimeoutException', true],
    [400, 'ThrottlingException', true],
  ])('%i %s is passing: %s', async (status, type, retryable) => {
    const keys = await openKmsKeyRing([kms.createKey()]);
    kms.failure = { status, type };
    const error: unknown = await keys.wrap(randomBytes(32), {}).catch((reason: unknown) => reason);
    kms.failure = undefined;
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ retryable, message: `AWS KMS failed: ${type}.` });
  });

  test('name the error of a network that does not lead there', async () => {
    const endpoint = process.env['AWS_ENDPOINT_URL_KMS'];
    process.env['AWS_ENDPOINT_URL_KMS'] = 'http://127.0.0.1:9';
    const keys = await openKmsKeyRing([kms.createKey()]);
    const refused = expect(keys.wrap(randomBytes(32), {})).rejects;
    await refused.toMatchObject({ retryable: true, message: 'AWS KMS failed: ECONNREFUSED.' });
    process.env['AWS_ENDPOINT_URL_KMS'] = endpoint;
  });

  test.each(['alias/mine', 'arn:aws:kms:eu-central-1:111122223333:alias/mine', ''])('%j is no key', async (arn) => {
    await expect(openKmsKeyRing([arn])).rejects.toThrow('is not the ARN of an AWS KMS key');
  });
});
