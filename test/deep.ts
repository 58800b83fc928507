// How much is tried: a part of it in `npm test`, which must end in minutes, and all of it in `npm run test:deep`.

/** Whether this is `npm run test:deep`. */
export const DEEP: boolean = process.env["TIDEGATE_DEEP"] === "1";

/** How often a property is tried of the `full` number that `npm run test:deep` tries. */
export function runs(full: number): number {
  return DEEP ? full : Math.max(Math.min(full, 20), Math.ceil(full / 4));
}
