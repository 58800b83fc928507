// One thing asks for attention at a time: the order, whole.
import { expect, test } from "vitest";
import { ATTENTION, attention, type Asks } from "../../src/cards/attention.ts";

const subsets: readonly (readonly Asks[])[] = Array.from({ length: 16 }, (_, bits) =>
  ATTENTION.filter((_, at) => (bits & (1 << at)) !== 0),
);

test.each(subsets.map((wanted) => [wanted] as const))(
  "O54: of %j the most pressing one may, and no other",
  (wanted) => {
    const order: readonly Asks[] = ["approval", "question", "offer", "chips"];
    expect(attention(new Set(wanted.toReversed()))).toBe(order.find((one) => wanted.includes(one)));
  },
);
