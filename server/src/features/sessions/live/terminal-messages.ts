import { frameKinds } from './calls.ts';

/** Limit for a text message. */
const maxTextBytes = 256;
const largest = 1_000;

/** Reads a text message of a terminal; undefined if it is not allowed. */
export function parseControl(text: Buffer): { kind: string; payload: Buffer } | undefined {
  if (text.length > maxTextBytes) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
  const { type, cols, rows } = Object(value);
  if (type !== 'resize' || !isSize(cols) || !isSize(rows)) return undefined;
  const payload = Buffer.alloc(4);
  payload.writeUInt16BE(cols);
  payload.writeUInt16BE(rows, 2);
  return { kind: frameKinds.resize, payload };
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= largest;
}
