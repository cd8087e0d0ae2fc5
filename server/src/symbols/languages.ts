/** The languages whose symbols are indexed, by the name of their grammar. */
export const languages = [
  'bash',
  'c-sharp',
  'cpp',
  'go',
  'java',
  'javascript',
  'php',
  'powershell',
  'python',
  'ruby',
  'rust',
  'tsx',
  'typescript',
] as const;

export type Language = (typeof languages)[number];

const byExtension = new Map<string, Language>(
  Object.entries({
    bash: 'bash',
    c: 'cpp',
    cc: 'cpp',
    cjs: 'javascript',
    cpp: 'cpp',
    cs: 'c-sharp',
    cts: 'typescript',
    cxx: 'cpp',
    go: 'go',
    h: 'cpp',
    hh: 'cpp',
    hpp: 'cpp',
    java: 'java',
    js: 'javascript',
    jsx: 'javascript',
    mjs: 'javascript',
    mts: 'typescript',
    php: 'php',
    ps1: 'powershell',
    psm1: 'powershell',
    py: 'python',
    pyi: 'python',
    rake: 'ruby',
    rb: 'ruby',
    rs: 'rust',
    sh: 'bash',
    ts: 'typescript',
    tsx: 'tsx',
  } satisfies Record<string, Language>),
);

/** Returns the language of a file by its name; undefined if its symbols are not indexed. */
export function languageOf(path: string): Language | undefined {
  return byExtension.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase());
}
