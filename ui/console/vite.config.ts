import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const server = process.env.FERMATA_SERVER ?? 'http://127.0.0.1:4747';

export default defineConfig({
  plugins: [svelte()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
  },
  worker: { format: 'es' },
  server: {
    port: Number(process.env.PORT ?? 5173),
    strictPort: true,
    host: '127.0.0.1',
    proxy: { '/api': server, '/version': server, '/openapi.json': server },
  },
});
