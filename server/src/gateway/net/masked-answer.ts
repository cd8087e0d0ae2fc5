import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { Mask } from '../../lib/mask/mask.ts';
import { RewriteTransform } from './rewrite-transform.ts';

/** A header arrives as bytes that stand for characters; what a mask made of others would not go out again. */
export function printable(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}

/** What undoes a content encoding; undefined for one that is not known. */
export function decodersOf(encoding: string | undefined): Transform[] | undefined {
  switch (encoding?.trim().toLowerCase() ?? 'identity') {
    case '':
    case 'identity':
      return [];
    case 'gzip':
    case 'x-gzip':
      return [createGunzip()];
    case 'deflate':
      return [createInflate()];
    case 'br':
      return [createBrotliDecompress()];
    case 'zstd':
      return [createZstdDecompress()];
    default:
      return undefined;
  }
}

/** Takes values out of a body of any kind. */
export function maskTransform(mask: Mask): Transform {
  return new RewriteTransform(mask.stream(), { pieceBytes: 32 * 1_024 });
}
