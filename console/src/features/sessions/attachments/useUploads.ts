import { useState } from 'react';
import { ApiError, apiOf, unwrap } from '../../../lib/api.ts';
import { failureOf } from '../../../lib/errors.ts';
import { bytes } from '../artifacts.ts';
import type { AttachedFile } from './files.ts';

/** A file on its way, or one that did not arrive. */
export interface Upload {
  key: number;
  file: File;
  /** '' while it is sent. */
  problem: string;
}

const longest = 100 * 1024 * 1024;
let count = 0;

/** Sends files as attachments; `arrived` is told of each that arrives. */
export function useUploads(org: string, arrived: (file: AttachedFile) => void) {
  const [uploads, setUploads] = useState<Upload[]>([]);
  const drop = (key: number) => setUploads((now) => now.filter((one) => one.key !== key));
  const fail = (key: number, problem: string) =>
    setUploads((now) => now.map((one) => (one.key === key ? { ...one, problem } : one)));
  const send = async (file: File) => {
    count += 1;
    const key = count;
    const isLarge = file.size > longest;
    const problem = isLarge ? `It has ${bytes(file.size)}; a file can have at most ${bytes(longest)}.` : '';
    setUploads((now) => [...now, { key, file, problem }]);
    if (isLarge) return;
    try {
      const { id, name, size_bytes: size } = await upload(org, file);
      arrived({ id, name, size });
      drop(key);
    } catch (error) {
      fail(key, error instanceof ApiError ? error.message : failureOf(error).title);
    }
  };
  return {
    uploads,
    isSending: uploads.some(({ problem }) => problem === ''),
    add: (files: readonly File[]) => files.forEach((file) => void send(file)),
    drop,
    retry: ({ key, file }: Upload) => {
      drop(key);
      void send(file);
    },
  };
}

function upload(org: string, file: File) {
  // A picture from the clipboard has the name image.png, as any other has.
  const named = file.name === '' ? new File([file], 'file', { type: file.type }) : file;
  return unwrap(apiOf(org).POST('/v3/organizations/{orgId}/attachments', { body: { file: named } }));
}
