// `npm run schema`: writes config/schema.json, which editors check a config with, from the config's own definition.
import { mkdir, writeFile } from "node:fs/promises";
import { configSchema } from "./config.ts";

const folder = new URL("../../config/", import.meta.url);
await mkdir(folder, { recursive: true });
await writeFile(new URL("schema.json", folder), `${JSON.stringify(configSchema(), undefined, 2)}\n`);
