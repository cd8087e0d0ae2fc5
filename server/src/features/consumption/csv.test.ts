import { expect, test } from 'vitest';
import { csvLine } from './csv.ts';

test('quotes what needs quotes, and disarms what a spreadsheet would run', () => {
  expect(csvLine(['a', 1, 'b c', ''])).toBe('a,1,b c,\r\n');
  expect(csvLine(['a,b', 'say "hi"', 'two\nlines'])).toBe('"a,b","say ""hi""","two\nlines"\r\n');
  expect(csvLine(['=1+1', '+1', '-1', '@sum', '\tx', -1])).toBe("'=1+1,'+1,'-1,'@sum,'\tx,-1\r\n");
  expect(csvLine(['=HYPERLINK("http://x","y")'])).toBe(`"'=HYPERLINK(""http://x"",""y"")"\r\n`);
});
