// Other forms of an English word: "invoices" for "invoice", "paid" for "pay". They are looked for beside the word, never instead of it,
// and only those that the index knows. Made when a query is read, so the index holds nothing for them.

const VOWEL = /[aeiouy]/;
const DOUBLED = /([bdfgklmnprtvz])\1$/;
/** One vowel between consonants at the end, which doubles the last before an ending: plan, planned. */
const DOUBLES = /^(?:[^aeiou]*|.*[^aeiou])[aeiouy][bdfgklmnprtvz]$/;

/** Words whose forms follow no rule, those of one word together. Frequent ones only. */
const IRREGULAR: ReadonlyMap<string, readonly string[]> = new Map(
  [
    "be am is are was were been being, have has had, do does did done, go goes went gone, say says said, make made, get got gotten",
    "know knew known, think thought, take took taken, see saw seen, come came, find found, give gave given, tell told, feel felt",
    "leave left, put puts, bring brought, begin began begun, keep kept, hold held, write wrote written, stand stood, hear heard",
    "let lets, mean meant, set sets, meet met, run ran, pay paid, sit sat, speak spoke spoken, lead led, grow grew grown, lose lost",
    "fall fell fallen, send sent, build built, understand understood, draw drew drawn, break broke broken, spend spent, rise rose",
    "drive drove driven, buy bought, wear wore worn, choose chose chosen, eat ate eaten, fly flew flown, forget forgot forgotten",
    "teach taught, sell sold, catch caught, win won, sleep slept, sing sang sung, swim swam, drink drank drunk, lend lent, hide hid",
    "man men, woman women, child children, person people, foot feet, tooth teeth, mouse mice, wife wives, life lives, knife knives",
    "half halves, leaf leaves, shelf shelves, good better best, bad worse worst, photo photos, key keys, day days",
  ]
    .flatMap((line) => line.split(", "))
    .map((forms) => forms.split(" "))
    .flatMap((forms) => forms.map((form): [string, readonly string[]] => [form, forms])),
);

/**
 * Words that may be other forms of `word`, itself left out; most are no words at all, so the caller asks for those it knows. Nothing
 * for what isn't at least three letters from a to z.
 */
export function wordForms(word: string): readonly string[] {
  if (!/^[a-z]{3,24}$/.test(word)) return [];
  const irregular = IRREGULAR.get(word) ?? [];
  const forms = new Set(irregular);
  for (const base of [...irregular.slice(0, 1), ...basesOf(word)]) {
    for (const form of inflected(base)) forms.add(form);
    for (const form of IRREGULAR.get(base) ?? []) forms.add(form);
  }
  forms.delete(word);
  return [...forms];
}

/** What `word` may be a form of, itself first. */
function basesOf(word: string): readonly string[] {
  const bases = [word];
  const without = (ending: string, ...instead: readonly string[]): void => {
    const stem = word.slice(0, -ending.length);
    if (!word.endsWith(ending) || stem.length < 2 || !VOWEL.test(stem)) return;
    for (const end of instead) if (stem.length + end.length > 2) bases.push(stem + end);
  };
  if (!/(?:ss|us|is)$/.test(word)) without("s", "");
  if (/(?:s|x|z|ch|sh|o)es$/.test(word)) without("es", "");
  without("ies", "y");
  without("ied", "y");
  for (const ending of ["ed", "ing", "er", "est"]) {
    without(ending, "", "e");
    const stem = word.slice(0, -ending.length);
    if (word.endsWith(ending) && DOUBLED.test(stem) && stem.length > 3) bases.push(stem.slice(0, -1));
  }
  without("ly", "");
  without("ment", "");
  return bases;
}

function inflected(base: string): readonly string[] {
  const endings = ["s", "ed", "ing", "er", "ly", "ment"];
  if (base.endsWith("e"))
    return [base, `${base}s`, `${base}d`, `${base}r`, `${base.slice(0, -1)}ing`, `${base}ly`, `${base}ment`];
  if (/[^aeiou]y$/.test(base)) {
    const stem = base.slice(0, -1);
    return [base, `${stem}ies`, `${stem}ied`, `${base}ing`, `${stem}ier`, `${stem}ily`];
  }
  const forms = [base, ...endings.map((ending) => base + ending)];
  if (/(?:s|x|z|ch|sh|o)$/.test(base)) forms.push(`${base}es`);
  if (DOUBLES.test(base)) for (const ending of ["ed", "ing", "er"]) forms.push(base + base.slice(-1) + ending);
  return forms;
}
