import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { queryClient } from './lib/query.ts';
import { Missing } from './routes/screen.ts';
import { router } from './router.tsx';

// A page says it itself where its code did not arrive.
const onCaughtError = (error: unknown) => error instanceof Missing || reportError(error);

const root = document.getElementById('root');
if (root !== null)
  createRoot(root, { onCaughtError }).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
