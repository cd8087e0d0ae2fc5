import type { Place } from '../markdown.ts';
import type { Document } from '../material.ts';

/** Reads a manifest; `{}` if it is not an object of JSON. */
export function readJson({ text }: Document): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The first line that contains `wanted`, after the line that contains `behind`. */
export function placeOf({ path, text }: Document, wanted: string, behind = ''): Place {
  const from = behind === '' ? 0 : Math.max(0, text.indexOf(behind));
  const at = text.indexOf(wanted, from);
  return { path, line: at < 0 ? 1 : text.slice(0, at).split('\n').length };
}

export function textAt(lines: readonly string[], index: number): string {
  return (lines[index] ?? '').slice(0, 1_000);
}
