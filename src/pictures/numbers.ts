// Numbers as a chart says them, the same on every machine.

const SHORT: readonly (readonly [number, string])[] = [
  [1e12, "T"],
  [1e9, "B"],
  [1e6, "M"],
  [1e4, "k"],
];

/** A number short enough for an axis: 1.5M, 20k, 1,500, 0.25. */
export function axisNumber(value: number, unit: string): string {
  const [size, letter] = SHORT.find(([size]) => Math.abs(value) >= size) ?? [1, ""];
  return withUnit(grouped(value / (letter === "k" ? 1e3 : size), 3) + letter, unit);
}

/** A number with all the digits that matter. */
export function exactNumber(value: number, unit: string): string {
  return withUnit(grouped(value, 6), unit);
}

function grouped(value: number, digits: number): string {
  const isWhole = Number.isInteger(value) && Math.abs(value) < 1e15;
  const [whole = "", fraction] = (
    isWhole ? String(Math.abs(value)) : String(Number(Math.abs(value).toPrecision(digits)))
  ).split(".");
  if (whole.includes("e")) return `${value < 0 ? "−" : ""}${whole}`;
  const sign = value < 0 ? "−" : "";
  return `${sign}${whole.replace(/\B(?=(?:\d{3})+$)/gu, ",")}${fraction === undefined ? "" : `.${fraction}`}`;
}

/** Money goes before the number. */
function withUnit(number: string, unit: string): string {
  if (unit === "") return number;
  if (/^\p{Sc}/u.test(unit)) return number.startsWith("−") ? `−${unit}${number.slice(1)}` : unit + number;
  return unit === "%" || unit === "°" ? number + unit : `${number} ${unit}`;
}
