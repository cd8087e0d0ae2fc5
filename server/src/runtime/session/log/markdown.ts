/** Formats a code block with a fence that the content cannot close. */
export function fenced(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

export function inlineCode(text: string): string {
  const mark = '`'.repeat(longestRun(text) + 1);
  const padding = mark.length > 1 ? ' ' : '';
  return `${mark}${padding}${text}${padding}${mark}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
