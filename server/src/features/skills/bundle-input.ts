import type { FastifyRequest } from 'fastify';
import { archiveOf } from '../../http/archive.ts';
import { fieldError } from '../../lib/field-error.ts';
import { readZip, ZipRefused } from '../../lib/zip.ts';
import { limits, sha256, withoutTopDirectory, type BundleFile, type BundleIssue } from './bundle.ts';
import type { CreateSkill, UpdateSkill } from './schemas.ts';

/** A bundle received in a request. */
export interface Received {
  /** Undefined if the request has no bundle. */
  files: BundleFile[] | undefined;
  /** Reasons why the bundle could not be read. */
  issues: BundleIssue[];
  /** The field of the request that has the bundle, as a JSON pointer; `''` for an archive. */
  place: string;
  enabled?: boolean;
  assignments?: CreateSkill['assignments'];
  /** Represents the body when requests are compared. */
  fingerprint: string;
}

/** Reads the bundle of a request: JSON with files, or a zip archive. */
export async function receiveBundle(request: FastifyRequest, body: UpdateSkill): Promise<Received> {
  const archive = await archiveOf(request);
  if (archive !== undefined) return { ...(await filesInZip(archive)), place: '', fingerprint: sha256(archive) };
  const { enabled, assignments } = body;
  return {
    ...filesInJson(body.files),
    ...(enabled === undefined ? {} : { enabled }),
    ...(assignments === undefined ? {} : { assignments }),
    place: '/files',
    fingerprint: request.rawBody,
  };
}

/** Throws 400 if the request has no bundle. */
export function requireFiles({ files }: Received): BundleFile[] {
  if (files !== undefined) return files;
  throw fieldError('/files', 'is required');
}

async function filesInZip(archive: Buffer): Promise<Pick<Received, 'files' | 'issues'>> {
  try {
    const { files: count, fileBytes, totalBytes } = limits;
    return {
      files: withoutTopDirectory(await readZip(archive, { files: count, fileBytes, totalBytes })),
      issues: [],
    };
  } catch (error) {
    if (!(error instanceof ZipRefused)) throw error;
    return { files: [], issues: [{ file: error.path.slice(0, 255), line: 0, message: error.message }] };
  }
}

function filesInJson(files: CreateSkill['files'] | undefined): Pick<Received, 'files' | 'issues'> {
  if (files === undefined) return { files: undefined, issues: [] };
  const issues: BundleIssue[] = [];
  const read = files.map(({ path, executable = false, ...content }): BundleFile => {
    const decoded = decode(content);
    if (decoded === undefined) issues.push({ file: path, line: 0, message: 'The content must be valid base64.' });
    return { path, content: decoded ?? Buffer.alloc(0), executable };
  });
  return { files: read, issues };
}

/** Undefined for invalid base64. */
export function decode({ content, encoding }: { content: string; encoding?: 'utf8' | 'base64' }): Buffer | undefined {
  if (encoding !== 'base64') return Buffer.from(content);
  const isBase64 = content.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(content);
  return isBase64 ? Buffer.from(content, 'base64') : undefined;
}
