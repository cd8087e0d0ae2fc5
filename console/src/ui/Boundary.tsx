import { Component, type ReactNode } from 'react';

interface Props {
  /** Shown in place of the children if they cannot be drawn. */
  fallback: ReactNode;
  children: ReactNode;
}

/** Keeps a failure to draw something within it: the page around it stays. */
export class Boundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
