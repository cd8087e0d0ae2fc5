import { resolve } from 'node:path';
import { trimOf } from '../lib/trim.ts';
import { UsageError } from './values.ts';

const blobsRule = 'a directory or s3://<bucket>[/<prefix>]';

/** Returns the location of blobs, a directory or a bucket, and that of the built-in git host's repositories. */
export function storage(text: (name: string, fallback: string) => string, data: string) {
  const blobs = text('GUILDHALL_BLOBS', resolve(data, 'blobs'));
  const repositories = text('GUILDHALL_REPOSITORIES', resolve(data, 'repositories'));
  return {
    blobs: bucketOf(blobs) === undefined ? path('GUILDHALL_BLOBS', blobs, blobsRule) : blobs,
    s3PathStyle: text('AWS_ENDPOINT_URL_S3', text('AWS_ENDPOINT_URL', '')) !== '',
    repositories: path('GUILDHALL_REPOSITORIES', repositories, 'a directory'),
  };
}

/** Returns an absolute path. Refuses what names another kind of place, such as `gs://bucket`: it would become a directory. */
function path(name: string, value: string, rule: string): string {
  if (/^[a-z][a-z0-9+.-]+:/i.test(value))
    throw new UsageError(`${name} is ${JSON.stringify(value)}; it must be ${rule}.`);
  return resolve(value);
}

/**
 * Returns the bucket in `GUILDHALL_BLOBS`; undefined for a directory. The prefix is `''` or ends with `/`. Throws
 * {@link UsageError}.
 */
export function bucketOf(location: string): { bucket: string; prefix: string } | undefined {
  if (!location.startsWith('s3://')) return undefined;
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/.exec(location) ?? [];
  if (bucket === undefined)
    throw new UsageError(`GUILDHALL_BLOBS is ${JSON.stringify(location)}; it must be ${blobsRule}.`);
  const plain = trimOf(prefix, '/');
  return { bucket, prefix: plain === '' ? '' : `${plain}/` };
}

/** Returns the location of the key ring; `value` and `variable` only if it is the environment. */
export function keyRing(
  setting: string,
  environment: Record<string, string | undefined>,
): { name: string; variable: string; value: string } {
  if (setting.startsWith('aws-kms:')) return { name: setting, variable: '', value: '' };
  if (!setting.startsWith('env:')) {
    const name = path('GUILDHALL_KEY_RING', setting, 'a file, env:<variable> or aws-kms:<key ARN>[,<older ARN>…]');
    return { name, variable: '', value: '' };
  }
  const variable = setting.slice('env:'.length);
  const value = environment[variable] ?? '';
  if (value.trim() === '')
    throw new UsageError(`GUILDHALL_KEY_RING is ${JSON.stringify(setting)}, and ${variable} is not set.`);
  return { name: setting, variable, value };
}
