import { memo } from 'react';
import { spansOf } from './ansi.ts';

/** A line of output with its colors. */
export const OutputLine = memo(({ line }: { line: string }) =>
  spansOf(line).map(({ text, className, style }, at) =>
    className === '' && style === undefined ? (
      text
    ) : (
      <span key={at} className={className} style={style}>
        {text}
      </span>
    ),
  ),
);
