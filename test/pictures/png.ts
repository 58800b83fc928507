// A small reader of PNGs, to look at what was drawn: 8 bits a channel, as resvg writes them.
import { inflateSync } from "node:zlib";

export type Png = {
  readonly width: number;
  readonly height: number;
  /** The colour at a place, as #RRGGBB. */
  readonly at: (x: number, y: number) => string;
};

/** Reads it; throws when it is no PNG of that kind. */
export function readPng(bytes: Uint8Array): Png {
  const file = Buffer.from(bytes);
  if (file.toString("latin1", 1, 4) !== "PNG") throw new Error("no PNG");
  const data: Buffer[] = [];
  for (let at = 8; at < file.length;) {
    const size = file.readUInt32BE(at);
    if (file.toString("latin1", at + 4, at + 8) === "IDAT") data.push(file.subarray(at + 8, at + 8 + size));
    at += size + 12;
  }
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const channels = { 2: 3, 6: 4 }[file.readUInt8(25)];
  if (channels === undefined || file.readUInt8(24) !== 8) throw new Error("another kind of PNG");
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x++) {
      const left = x < channels ? 0 : (pixels[y * stride + x - channels] ?? 0);
      const up = y === 0 ? 0 : (pixels[(y - 1) * stride + x] ?? 0);
      const corner = x < channels || y === 0 ? 0 : (pixels[(y - 1) * stride + x - channels] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      pixels[y * stride + x] = (raw[y * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return {
    width,
    height,
    at: (x, y) =>
      `#${pixels
        .subarray(y * stride + x * channels, y * stride + x * channels + 3)
        .toString("hex")
        .toUpperCase()}`,
  };
}

/** How many pixels have each colour. */
export function colours(png: Png): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (let y = 0; y < png.height; y++) {
    for (let x = 0; x < png.width; x++) counts.set(png.at(x, y), (counts.get(png.at(x, y)) ?? 0) + 1);
  }
  return counts;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
