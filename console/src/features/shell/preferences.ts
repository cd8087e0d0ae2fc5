import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { areLettersOn, turnLetters, useLetters } from '../../lib/actions.ts';
import { apiOf, unwrap } from '../../lib/api.ts';
import { currentDensity, setDensity, useDensity, type Density } from '../../lib/density.ts';
import { keys } from '../../lib/keys.ts';
import { replaceData } from '../../lib/query.ts';
import { currentTheme, setTheme, themes, useTheme, type Theme } from '../../lib/theme.ts';
import { useAction } from '../../lib/useAction.ts';

/** How a person likes the console. */
export interface Preferences {
  theme: Theme;
  density: Density;
  /** Single letters act as keys. */
  letters: boolean;
}

const name = 'console';
const path = '/v3/self/preferences/{name}';

function preferencesQuery(org: string) {
  return queryOptions({
    queryKey: keys.one(org, 'preferences', name),
    queryFn: async ({ signal }) => {
      const { value, updated_at: at } = await unwrap(apiOf(org).GET(path, { params: { path: { name } }, signal }));
      return at === null ? {} : preferencesIn(value);
    },
  });
}

/** Returns what a stored value says; whatever else is in it is left out. */
function preferencesIn(value: object): Partial<Preferences> {
  const { theme, density, letters }: Partial<Record<keyof Preferences, unknown>> = value;
  const known = themes.find((one) => one === theme);
  return {
    ...(known === undefined ? {} : { theme: known }),
    ...(density === 'dense' || density === 'normal' ? { density } : {}),
    ...(typeof letters === 'boolean' ? { letters } : {}),
  };
}

/** Makes this browser follow what the person chose in another one. */
export function useFollowPreferences(org: string): void {
  const { data } = useQuery(preferencesQuery(org));
  useEffect(() => {
    if (data !== undefined) show(data);
  }, [data]);
}

/** What holds in this browser, and how to change it here and wherever the person signs in. */
export function usePreferences(org: string) {
  const client = useQueryClient();
  const { theme, isDark } = useTheme();
  const density = useDensity();
  const letters = useLetters();
  const save = useAction({
    call: (value: Preferences) =>
      unwrap(apiOf(org).PUT(path, { params: { path: { name } }, body: { value: { ...value } } })),
  });
  return {
    preferences: { theme, density, letters },
    isDark,
    change: (some: Partial<Preferences>) => {
      show(some);
      const all = { theme: currentTheme(), density: currentDensity(), letters: areLettersOn() };
      void replaceData(client, preferencesQuery(org).queryKey, all);
      save.mutate(all);
    },
  };
}

function show({ theme, density, letters }: Partial<Preferences>): void {
  if (theme !== undefined && theme !== currentTheme()) setTheme(theme);
  if (density !== undefined && density !== currentDensity()) setDensity(density);
  if (letters !== undefined && letters !== areLettersOn()) turnLetters(letters);
}
