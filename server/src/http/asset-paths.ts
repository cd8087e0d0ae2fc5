/** The path of the API reference. */
export const pagePath = '/docs';
export const scriptPath = '/docs/js/scalar.js';
export const assetPaths = ['/openapi.json', '/openapi.yaml', pagePath, scriptPath] as const;
