// One thing asks for attention at a time.

/** What could ask a person for something, the most pressing first. */
export const ATTENTION = ["approval", "question", "offer", "chips"] as const;
export type Asks = (typeof ATTENTION)[number];

/** Which of those that would like to may. */
export function attention(wanted: ReadonlySet<Asks>): Asks | undefined {
  return ATTENTION.find((one) => wanted.has(one));
}
