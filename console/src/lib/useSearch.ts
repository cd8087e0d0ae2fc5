import { useMatch, type RegisteredRouter, type RouteIds } from '@tanstack/react-router';

/**
 * What the address says, as the route of the page reads it. The router's own `useSearch` has everything else that the
 * address says besides, such as a period that is none.
 */
export function useSearch<const From extends RouteIds<RegisteredRouter['routeTree']>>({ from }: { from: From }) {
  return useMatch({ from, select: (match) => match._strictSearch });
}
