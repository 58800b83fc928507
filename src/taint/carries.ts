// Whether the arguments of a call could carry data out of the chat: by their shape alone, never by what they say.

const MAX_QUERY_CHARS = 80;
const MAX_SEGMENT_CHARS = 60;
const MIN_DATA_CHARS = 24;
const MAX_WORDS_CHARS = 80;
/** Many small pieces carry as much as one large one. */
const MAX_CHARS_IN_ALL = 400;
const MAX_DEPTH = 20;
/** Of one kind of character for this long, without a break: no word of any language, and enough for a key. */
const DATA = /^[\w+/=.~%:?&#@;,!$*()[\]-]+$/u;

/**
 * Whether arguments could carry data out: an address with a long query, fragment or part of its path, or a parameter that looks like
 * data; a text longer than a search takes, or a word in it that looks like data; much in many small pieces; or anything that can't be
 * looked through.
 */
export function couldCarry(input: unknown): boolean {
  const pieces: string[] = [];
  if (!gather(input, pieces, 0)) return true;
  return pieces.reduce((sum, piece) => sum + piece.length, 0) > MAX_CHARS_IN_ALL || pieces.some(textCarries);
}

/** Puts every text and number of a value into `pieces`; false when it can't be looked through. */
function gather(value: unknown, pieces: string[], depth: number): boolean {
  if (depth > MAX_DEPTH || typeof value === "bigint") return false;
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (typeof value === "string" || typeof value === "number") pieces.push(String(value));
  else if (Array.isArray(value)) return value.every((one) => gather(one, pieces, depth + 1));
  else if (typeof value === "object" && value !== null)
    return Object.entries(value).every(([key, one]) => {
      pieces.push(key);
      return gather(one, pieces, depth + 1);
    });
  return true;
}

function textCarries(given: string): boolean {
  const text = given.trim();
  const address = /^[a-z][\w+.-]*:/iu.test(text) ? URL.parse(text) : null;
  if (address !== null) return addressCarries(address);
  return text.length > MAX_WORDS_CHARS || text.split(/\s+/u).some(looksLikeData);
}

function addressCarries(address: URL): boolean {
  // What is no web address (data:, mailto:) is all payload.
  if (!/^https?:$/u.test(address.protocol)) return true;
  return (
    address.username !== "" ||
    address.password !== "" ||
    address.search.length - 1 > MAX_QUERY_CHARS ||
    address.hash.length - 1 > MAX_QUERY_CHARS ||
    address.hostname.split(".").some((label) => label.length >= MIN_DATA_CHARS) ||
    address.pathname.split("/").some((segment) => segment.length > MAX_SEGMENT_CHARS) ||
    [...address.searchParams].some(([key, value]) => looksLikeData(value) || looksLikeData(key))
  );
}

function looksLikeData(word: string): boolean {
  return word.length >= MIN_DATA_CHARS && DATA.test(word);
}
