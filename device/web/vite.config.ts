import { resolve } from "node:path";
import { defineConfig } from "vite";

/** Where the opponents come from; the tests build the page with other ones. */
const release = resolve(process.env["POCKETZERO_RELEASE"] ?? resolve(import.meta.dirname, "../../models/release"));

export default defineConfig({
  root: import.meta.dirname,
  base: "./", // the page may lie in any folder of a site
  resolve: { alias: { "#release": release } },
  build: {
    outDir: process.env["POCKETZERO_WEB_DIST"] ?? "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: ["chrome123", "firefox121", "safari17.5"],
  },
  worker: { format: "es" },
  server: { fs: { allow: [resolve(import.meta.dirname, ".."), release] } },
});
