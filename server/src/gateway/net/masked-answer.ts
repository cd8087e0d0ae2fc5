import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { Mask } from '../../lib/mask/mask.ts';
import { RewriteTransform } from './rewrite-transform.ts';

/** Escapes characters that a header cannot carry: a mask may have introduced them. */
export function printable(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}

/** Returns the decoders of a content encoding; undefined for an unsupported one. */
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

/** Masks values in a body of any kind. */
export function maskTransform(mask: Mask): Transform {
  return new RewriteTransform(mask.stream(), { pieceBytes: 32 * 1_024 });
}
