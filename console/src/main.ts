import { readAhead } from './ahead.ts';
import { followTheme } from './lib/theme.ts';
import './ui/tokens.css';

followTheme();
readAhead(location);
void import('./app.tsx');
