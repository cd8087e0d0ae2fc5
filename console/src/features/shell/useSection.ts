import { useMatches } from '@tanstack/react-router';
import { sectionOf } from './places.ts';

/** The address of the section that the open page belongs to: `/$org/sessions`. */
export function useSection(): string {
  return useMatches({ select: (matches) => sectionOf(matches.at(-1)?.routeId ?? '') });
}
