import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { queryClient } from './lib/query.ts';
import { isMissing } from './routes/screen.ts';
import { router } from './router.tsx';

const onCaughtError = (error: unknown) => isMissing(error) || reportError(error);

const root = document.getElementById('root');
if (root !== null)
  createRoot(root, { onCaughtError }).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
