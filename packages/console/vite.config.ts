import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  // Addresses of files are relative to `<base href>`, which the service writes.
  base: "./",
  plugins: [react(), tailwind()],
  resolve: { conditions: ["@rowmill/source", "browser", "module", "import", "default"] },
  build: {
    target: "es2023",
    // The policy of the pages allows no script within the HTML, and no `data:` fonts.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  // A service in development stands behind the pages of Vite's own server.
  server: { proxy: { "/v1": "http://127.0.0.1:8080", "/docs": "http://127.0.0.1:8080" } },
});
