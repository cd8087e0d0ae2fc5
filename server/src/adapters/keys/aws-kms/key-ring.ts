import type { KMSClient } from '@aws-sdk/client-kms';
import { codeOf, ProviderError } from '../../../lib/errors.ts';
import type { WrappingKeys } from '../port.ts';

/** `arn:aws:kms:<region>:<account>:key/<id>`. Aliases are refused, because they may be changed to another key. */
const keyArn = /^arn:aws[a-z-]*:kms:([a-z0-9-]+):\d{12}:key\/[A-Za-z0-9-]+$/;
const timeoutMs = 10_000;

/**
 * Keys in AWS KMS, by their ARNs; the first one wraps. The AWS SDK finds credentials and endpoint. Needs `kms:Encrypt` and
 * `kms:Decrypt`. Throws for an invalid ARN.
 */
export async function openKmsKeyRing(arns: readonly string[]): Promise<WrappingKeys> {
  const [current] = arns;
  for (const arn of arns)
    if (!keyArn.test(arn)) throw new Error(`${JSON.stringify(arn)} is not the ARN of an AWS KMS key.`);
  if (current === undefined) throw new Error('A key ring of AWS KMS needs at least one key.');
  // Loaded only by an installation that uses it.
  const { KMSClient: Client, DecryptCommand, EncryptCommand } = await import('@aws-sdk/client-kms');
  const clients = new Map<string, KMSClient>();

  function clientOf(arn: string): KMSClient {
    const region = keyArn.exec(arn)?.[1] ?? '';
    const client = clients.get(region) ?? new Client({ region, maxAttempts: 3 });
    clients.set(region, client);
    return client;
  }

  return {
    current: async () => current,
    ids: async () => arns,
    async wrap(key, binding) {
      const command = new EncryptCommand({ KeyId: current, Plaintext: key, EncryptionContext: { ...binding } });
      const answer = await call(() => clientOf(current).send(command, { abortSignal: AbortSignal.timeout(timeoutMs) }));
      return { ringKey: current, wrapped: Buffer.from(bytesOf(answer.CiphertextBlob)) };
    },
    async unwrap({ ringKey, wrapped }, binding) {
      if (!arns.includes(ringKey))
        throw new ProviderError(`The key ring has no key ${JSON.stringify(ringKey)}.`, { retryable: false });
      const command = new DecryptCommand({
        KeyId: ringKey,
        CiphertextBlob: wrapped,
        EncryptionContext: { ...binding },
      });
      const answer = await call(() => clientOf(ringKey).send(command, { abortSignal: AbortSignal.timeout(timeoutMs) }));
      const plaintext = bytesOf(answer.Plaintext);
      const key = Buffer.from(plaintext);
      plaintext.fill(0);
      return key;
    },
    close() {
      for (const client of clients.values()) client.destroy();
    },
  };
}

/** Errors that a retry of the same call cannot change. */
const lasting =
  /^(?:InvalidCiphertext|IncorrectKey|NotFound|Disabled|AccessDenied|KMSInvalidState|InvalidKeyUsage|InvalidGrantToken)/;

async function call<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : '';
    // KMS's message names accounts and roles, so it goes only into the log, as the cause. Errors of the network have a code.
    const why = name === 'AbortError' ? `no response within ${timeoutMs / 1_000} s` : codeOf(cause) || name;
    throw new ProviderError(`AWS KMS failed: ${why}.`, { retryable: !lasting.test(name), cause });
  }
}

function bytesOf(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw new ProviderError('AWS KMS returned no key.', { retryable: false });
  return bytes;
}
