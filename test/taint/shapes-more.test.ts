// Secrets as code, settings, commands and people write them; lines that only look like them; texts that are hard to fold.
import { describe, expect, it } from "vitest";
import { folded, foldText } from "../../src/taint/folded.ts";
import { HIDDEN } from "../../src/taint/scrub.ts";
import { scrubShapes } from "../../src/taint/shapes.ts";

const made = ["Uv1H3Q29", "DwL2s66G"].join("");
const token = ["e", "yJhbGciOiJIUzI1NiJ9.e", "yJzdWIiOiIxMjM0NTY3ODkwIn0.", "a1B2".repeat(11)].join("");
const aws = ["AK", "IA", "QRSTUVWX".repeat(2)].join("");
const sendgrid = ["SG", "a1b2c3d4e5".repeat(2), "f6g7h8", "k9l0m1n2p3".repeat(4)].join(".");

describe("ways to write a secret", () => {
  it.each([
    `static password: &str = "${made}";`,
    `let password: &'static str = "${made}";`,
    `password: !!str ${made}`,
    `api_key: Optional[str] = "${made}"`,
    `password: str | None = "${made}"`,
    `password: string="${made}"`,
    `var password *string = "${made}"`,
  ])("P29: a type before the value is no value: %j", (text) => {
    expect(scrubShapes(text)).not.toContain(made);
  });

  it.each([
    `password: |\n  ${made}`,
    `password: >-\n  ${made}`,
    `password || "${made}"`,
    `password ||= "${made}"`,
    `DB_PASSWORD ||: "${made}"`,
    `process.env.API_KEY ?? "${made}"`,
    `#define DB_PASSWORD "${made}"`,
    `ENV DB_PASSWORD ${made}`,
    `<string name="api_token">${made}</string>`,
  ])("P29: other ways in which settings and code set a value: %j", (text) => {
    expect(scrubShapes(text)).toContain(HIDDEN);
  });

  it.each([
    `my apikey is ${made}`,
    `the api_key is ${made}`,
    `access_token is ${made}`,
    `pw: ${made}`,
    `DB_PW=${made}`,
  ])("P29: labels as people type them: %j", (text) => {
    expect(scrubShapes(text)).toContain(HIDDEN);
  });

  it.each([
    `curl -sSu bob:${made} https://x.example`,
    `curl -u 'bob:my pass ${made}' https://x.example`,
    `curl -u "bob:my pass ${made}" https://x.example`,
    `sshpass -p '${made}' ssh bob@x.example`,
    `sshpass -p ${made} ssh bob@x.example`,
  ])("P29: commands that are given one: %j", (text) => {
    expect(scrubShapes(text)).toContain(HIDDEN);
  });

  it.each([
    ["after an escaped line end", String.raw`{"log":"got\n${token}"}`, token],
    ["after an encoded quote", `session=%7B%22t%22%3A%22${token}%22%7D`, token],
    ["an id in an address", `s3://${aws}/x`, aws],
    ["SendGrid with three dots", sendgrid, sendgrid],
  ])("P29: a token %s", (_, text, secret) => {
    expect(scrubShapes(text)).not.toContain(secret.slice(-20));
  });
});

describe("what is no secret", () => {
  it.each([
    `public key: MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${"Ab3d".repeat(15)}==`,
    `Public key fingerprint: SHA256:${"Ab3d".repeat(10)}xyz`,
    "--- PASS: TestToken75 (0.01s)",
    "PASS: test_login_27 (0.83s)",
    "SyntaxError: Unexpected token: 'export' (292:61)",
    'key: "users/71/avatar.png"',
    "S3 object key: uploads/2026/11/photo_629528.jpg",
    "cache key: v6-linux-node-20",
    "api_key: Optional[str] = None",
    "api_key: str = Field(...)",
    "host key: SHA256x4f5a6b7c8d9e0f1",
    "primary key: order_2026a1b2c3d4e5",
    "sender:max.muster45@example.de",
    "reply-to:max.muster45@example.de",
    "palabras clave: SEO2026, blog",
    "Kontakt:max.muster45@example.de",
    "assignee:bob99@example.com is:open",
    "пароль: спроси у Ивана",
    "hasło: zapytaj Martę",
    "lösenord: fråga Anna",
    "the-sk-learn-pipeline-2 is slow",
  ])("P29: stays as it is: %j", (text) => {
    expect(scrubShapes(text)).toBe(text);
  });
});

it("P29: user and password before a host stay a sign-in, whatever the user's name", () => {
  expect(scrubShapes(`user:${made}@x.example`)).toBe(`user:${HIDDEN}@x.example`);
});

it("P29: a header's base64 goes wholly, however long", () => {
  const packed = Buffer.from(`bob:${made.repeat(40)}`).toString("base64");
  expect(scrubShapes(`Basic ${packed} end`)).toBe(`Basic ${HIDDEN} end`);
});

it("P29: a value that only looks like a type goes too", () => {
  expect(scrubShapes(`password: ${made} = mine`)).not.toContain(made);
  expect(scrubShapes("token%3dabcdef")).toBe(`token%3d${HIDDEN}`);
});

it("P29: what a quote holds is a value up to 2,000 characters", () => {
  expect(scrubShapes(`password: "${`${made} `.repeat(100)}"`)).toBe(`password: "${HIDDEN}"`);
  expect(scrubShapes(String.raw`password: "ab\"${"c".repeat(20)}" end`)).toBe(`password: "${HIDDEN}" end`);
});

describe("hostile texts", () => {
  it("P28: one letter that folds to several words doesn't make scrubbing twice differ from once", () => {
    const once = scrubShapes(`password=${"\uFDFA".repeat(40)}`);
    expect(scrubShapes(once)).toBe(once);
  });

  it("P28: one sign that folds to several words is hidden whole", () => {
    expect(scrubShapes(`password=${"\uFDFA".repeat(40)}`)).toBe(`password=${HIDDEN}`);
  });

  // Far past a test's time limit when they take time by the square. Their figures: test/bench/secrets.ts.
  it("P28: sign-in headers that are none are gone through once", () => {
    const text = "basic+".repeat(33_000);
    expect(scrubShapes(text)).toBe(text);
  });

  it("P28: marks out of order are gone through once", () => {
    const text = "\u0323\u0301".repeat(100_000);
    expect(foldText(text)).toBe("");
    expect(folded(`${text}a`).back(0, 1)).toEqual({ start: text.length, end: text.length + 1 });
  });
});
