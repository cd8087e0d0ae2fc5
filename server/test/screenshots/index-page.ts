/** A screen that was drawn. */
export interface Picture {
  name: string;
  route: string;
  part: string;
  /** Words for something that its address does not name; '' for none. */
  shows?: string;
}

const head = `# Screenshots

Every page of the [console](../console.md), in three widths and both themes, with the content of a made-up organization.
\`npm run screenshots\` draws them again.

| page | 1440 px | 768 px | 390 px |
|---|---|---|---|
`;

/** Returns the page that leads to all pictures; those of one part of a page stand together, whenever they were drawn. */
export function describePictures(pictures: readonly Picture[]): string {
  const parts = Map.groupBy(pictures, ({ route, part }) => `${route}?${part.split('&')[0] ?? ''}`);
  const rows = [...parts.values()].flat().map(({ name, route, part, shows = '' }) => {
    const address = `${route.replace(/^\/(?:\$org\/)?/, '…/').replaceAll(/\$(\w+)/g, '{$1}')}${part === '' ? '' : `?${part.replaceAll(' ', '+')}`}`;
    const links = [1440, 768, 390].map(
      (width) => `[light](${name}-${width}-light.webp) [dark](${name}-${width}-dark.webp)`,
    );
    return `| \`${address}\`${shows === '' ? '' : `, ${shows}`} | ${links.join(' | ')} |`;
  });
  return `${head}${rows.join('\n')}\n`;
}
